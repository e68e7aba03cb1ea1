//! What was found or removed in the store, in words.

use model::WorkspacePath;
use takeback::{CleanedUp, Damage, DamageKind, PurgePreview, Purged, VerifyReport};

use super::change::section;
use super::{count, size};
use crate::terminal::{Style, Terminal};

/// More lines of one kind than this are summed up.
const LINES_MAX: usize = 100;

/// Says what a check of the store found.
pub(crate) fn verify(terminal: &Terminal, report: &VerifyReport) {
    let read = format!("{} read again, {}", count(report.contents as usize, "content"), size(report.bytes));
    if report.damages.is_empty() {
        terminal.print(&format!("{}\n", terminal.styled(Style::Good, &format!("The store is sound: {read}"))));
        return;
    }
    let head = format!("The store is damaged in {}: {read}\n", count(report.damages.len(), "place"));
    let mut text = terminal.styled(Style::Bad, &head);
    for damage in &report.damages {
        let paths = damage.paths.iter().map(|path| terminal.name(&path.to_string())).collect();
        let what = damage_words(terminal, damage);
        text.push_str(&match damage.paths.as_slice() {
            [] => format!("{what}\n"),
            _ => section(&format!("{what}; cannot be brought back to it:"), paths, LINES_MAX),
        });
    }
    terminal.print(&text);
    let advice = "All else can still be taken back. What such a path holds now is stored again when it changes";
    terminal.say(&terminal.styled_for_saying(Style::Faint, advice));
}

/// Says what a clean-up did.
pub(crate) fn gc(terminal: &Terminal, cleaned: &CleanedUp) {
    let done = &cleaned.done;
    let stored = size(cleaned.stored_bytes);
    let text = if done.contents_dropped == 0 && done.packs_removed == 0 {
        format!("Nothing to clean up: everything of the {stored} stored is needed")
    } else {
        let dropped = count(done.contents_dropped as usize, "content");
        format!("Cleaned up: {dropped} dropped, {} freed, {stored} stored", size(done.freed_bytes))
    };
    terminal.print(&format!("{}\n", terminal.styled(Style::Good, &text)));
    if done.packs_left > 0 {
        let packs = count(done.packs_left as usize, "pack");
        terminal.say(&format!(
            "{packs} could not be cleaned now, since they are in use or cannot be read; try again later"
        ));
    }
}

/// Says what a purge would remove.
pub(crate) fn purge_preview(terminal: &Terminal, path: &WorkspacePath, preview: &PurgePreview) {
    let name = terminal.name(&path.to_string());
    let contents = count(preview.contents, "content");
    let head = format!("Would remove what `{name}` ever held, for good: {contents}");
    let mut text = terminal.styled(Style::Strong, &head) + "\n";
    text.push_str(&others(terminal, &preview.also_at, "Held the same at some time, and loses it too:"));
    text.push_str(&records(terminal, preview));
    terminal.print(&text);
}

/// Says what a purge removed.
pub(crate) fn purge(terminal: &Terminal, path: &WorkspacePath, purged: &Purged, preview: &PurgePreview) {
    let name = terminal.name(&path.to_string());
    let text = if purged.hashes.is_empty() && purged.events == 0 {
        format!("Nothing to purge: the store holds nothing of `{name}`\n")
    } else {
        let contents = count(purged.hashes.len(), "content");
        let head = format!("Purged `{name}`: {contents} and {} cleared", count(purged.events as usize, "event"));
        format!("{}\n", terminal.styled(Style::Good, &head))
    };
    let lost = others(terminal, &purged.also_at, "Held the same at some time, and lost it too:");
    terminal.print(&(text + &lost + &records(terminal, preview)));
    let advice =
        "The file itself is as it was; to keep it out of the store, name it under `protect` in `takeback.toml`";
    terminal.say(&terminal.styled_for_saying(Style::Faint, advice));
}

fn records(terminal: &Terminal, preview: &PurgePreview) -> String {
    let names = preview.agent_records.iter().map(|path| terminal.name(&path.display().to_string())).collect();
    section("Agents keep what was said here in files of their own, which may hold it too:", names, LINES_MAX)
}

fn others(terminal: &Terminal, paths: &[WorkspacePath], heading: &str) -> String {
    section(heading, paths.iter().map(|path| terminal.name(&path.to_string())).collect(), LINES_MAX)
}

fn damage_words(terminal: &Terminal, damage: &Damage) -> String {
    let content = damage.hash.map(|hash| hash.to_string()[..12].to_owned()).unwrap_or_default();
    let pack = damage.pack.map(|pack| format!(" in pack {pack}")).unwrap_or_default();
    match &damage.what {
        DamageKind::Database(what) => format!("The database contradicts itself: {}", terminal.name(what)),
        DamageKind::Unplaced => format!("Content {content} is needed and not stored"),
        DamageKind::PackGone => format!("Content {content} was{pack}, which is gone"),
        DamageKind::NotItsBytes => format!("Content {content}{pack} is damaged"),
    }
}
