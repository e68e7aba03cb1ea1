//! How takeback fares here, in words: each finding on a line of its own, what is wrong marked with more than a colour.

use takeback::{CoverageMode, Diagnosis, GapTally, Trial, WatcherState, WatcherView};

use super::{count, reason, size};
use crate::commands::Plugged;
use crate::terminal::{Style, Terminal};

/// Less free room than this is worth a warning.
const FREE_BYTES_MIN: u64 = 1 << 30;
/// A barrier that takes longer is felt.
const BARRIER_NS_MAX: u64 = 100_000_000;

/// How good a finding is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Good,
    Doubtful,
    Bad,
}

/// Says how takeback fares. A trial that went wrong comes as its message.
pub(crate) fn doctor(
    terminal: &Terminal,
    trial: Result<&Trial, &str>,
    agents: &[Plugged],
    diagnosis: Option<&Diagnosis>,
) {
    let mut findings = vec![trial_finding(trial)];
    findings.extend(agents.iter().map(|agent| agent_finding(terminal, agent)));
    match diagnosis {
        Some(diagnosis) => findings.extend(workspace_findings(terminal, diagnosis)),
        None => findings.push((Mark::Doubtful, "nothing has been recorded for this folder yet".to_owned())),
    }
    let line = |(mark, words): (Mark, String)| {
        let (style, sign) = match mark {
            Mark::Good => (Style::Good, "ok"),
            Mark::Doubtful => (Style::Warning, "note"),
            Mark::Bad => (Style::Bad, "WRONG"),
        };
        format!("{} {words}\n", terminal.styled(style, &format!("{sign:<5}")))
    };
    terminal.print(&findings.into_iter().map(line).collect::<String>());
}

fn trial_finding(trial: Result<&Trial, &str>) -> (Mark, String) {
    match trial {
        Ok(Trial { paths, shares_file_system: true }) => {
            (Mark::Good, format!("trial: {} changed, taken back and brought again exactly", count(*paths, "path")))
        }
        Ok(Trial { paths, .. }) => {
            let paths = count(*paths, "path");
            (
                Mark::Doubtful,
                format!("trial: {paths} taken back exactly, but on another file system than this folder's"),
            )
        }
        Err(message) => (Mark::Bad, format!("trial: {message}")),
    }
}

fn agent_finding(terminal: &Terminal, plugged: &Plugged) -> (Mark, String) {
    let agent = plugged.agent;
    match (&plugged.is_set_up, &plugged.proof) {
        (Ok(true), Some(Err(message))) => {
            (Mark::Bad, format!("{agent}: its hook records nothing: {}", terminal.line(message)))
        }
        (Ok(true), _) => (Mark::Good, format!("{agent}: plugged in, and its hook records")),
        (Ok(false), _) => (Mark::Doubtful, format!("{agent}: not plugged in; `takeback setup {agent}` does it")),
        (Err(message), _) => (Mark::Doubtful, format!("{agent}: {}", terminal.line(message))),
    }
}

fn workspace_findings(terminal: &Terminal, diagnosis: &Diagnosis) -> Vec<(Mark, String)> {
    let mut findings = vec![coverage(diagnosis)];
    findings.extend(diagnosis.gaps.iter().map(|tally| (Mark::Doubtful, gap(terminal, tally))));
    findings.push(barrier(diagnosis.barrier_ns));
    findings.push(watcher(terminal, &diagnosis.watcher));
    findings.push(room(diagnosis));
    findings.push((Mark::Good, file_system(diagnosis)));
    match diagnosis.settings_wrong.as_slice() {
        [] => findings.push((Mark::Good, "settings: nothing wrong".to_owned())),
        wrong => {
            findings.extend(wrong.iter().map(|wrong| (Mark::Doubtful, format!("settings: {}", terminal.line(wrong)))))
        }
    }
    findings.extend(diagnosis.stuck.iter().map(|operation| {
        let words = "was interrupted and is not taken back completely; `takeback status` tries again";
        (Mark::Bad, format!("{operation}: {words}"))
    }));
    findings
}

fn coverage(diagnosis: &Diagnosis) -> (Mark, String) {
    let entries = count(diagnosis.entries, "path");
    match diagnosis.coverage {
        CoverageMode::Whole => (Mark::Good, format!("coverage: {entries} known")),
        CoverageMode::TouchedPaths => {
            let mode = "touched-paths mode, so changes by shell commands are not recorded";
            (Mark::Doubtful, format!("coverage: {entries} known; {mode}"))
        }
    }
}

fn gap(terminal: &Terminal, tally: &GapTally) -> String {
    let names: Vec<String> = tally.examples.iter().map(|path| terminal.name(&path.to_string())).collect();
    let more = tally.paths.saturating_sub(names.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("not covered: {}{more} ({})", names.join(", "), reason(tally.reason))
}

fn barrier(barrier_ns: Option<u64>) -> (Mark, String) {
    match barrier_ns {
        None => (Mark::Doubtful, "speed: the first capture has not been made yet".to_owned()),
        Some(ns) => {
            let mark = if ns > BARRIER_NS_MAX { Mark::Doubtful } else { Mark::Good };
            (mark, format!("speed: {:.1} ms to see that nothing has changed", ns as f64 / 1e6))
        }
    }
}

fn watcher(terminal: &Terminal, view: &WatcherView) -> (Mark, String) {
    let barriers = |number: u64| count(usize::try_from(number).unwrap_or(usize::MAX), "barrier");
    let shortened = format!("{} shortened, {} scanned", barriers(view.shortened), barriers(view.scanned));
    match (view.state, view.pid, view.doubt) {
        (WatcherState::Off, ..) => (Mark::Good, "watcher: off".to_owned()),
        (WatcherState::Distrusted, ..) => {
            let path = view.missed_path.as_deref().map(|path| terminal.name(path)).unwrap_or_default();
            let missed = count(usize::try_from(view.missed).unwrap_or(usize::MAX), "change");
            let way = "not used here until the setting was off for a session";
            (Mark::Doubtful, format!("watcher: {missed} missed, as at {path}; found at the end of the turn; {way}"))
        }
        (WatcherState::On, None, _) => (Mark::Doubtful, format!("watcher: on, but it does not answer; {shortened}")),
        (WatcherState::On, Some(_), Some(doubt)) => {
            (Mark::Doubtful, format!("watcher: on, but nothing is watched here ({doubt}); {shortened}"))
        }
        (WatcherState::On, Some(pid), None) => {
            (Mark::Good, format!("watcher: process {pid}, {} folders; {shortened}", view.folders))
        }
    }
}

fn room(diagnosis: &Diagnosis) -> (Mark, String) {
    let mark = if diagnosis.free_bytes < FREE_BYTES_MIN { Mark::Doubtful } else { Mark::Good };
    (mark, format!("room: {} stored, {} free", size(diagnosis.stored_bytes), size(diagnosis.free_bytes)))
}

fn file_system(diagnosis: &Diagnosis) -> String {
    let kind = diagnosis.file_system.as_deref().unwrap_or("of unknown kind");
    let case = if diagnosis.folds_case { "names that differ only in case are one" } else { "names keep their case" };
    format!("file system: {kind}, {case}")
}
