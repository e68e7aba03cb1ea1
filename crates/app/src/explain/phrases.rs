//! Small pieces of sentences: numbers with their nouns, sizes, times, lists, and texts cut to fit. Values only.

use std::path::Path;

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A size as people read it.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = "B";
    let mut value = bytes as f64;
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}

/// How long ago something was; a day that is long past by its date.
pub(crate) fn ago(now_ns: i64, at_ns: i64) -> String {
    let seconds = now_ns.saturating_sub(at_ns) / 1_000_000_000;
    match seconds {
        ..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..2_592_000 => format!("{} d ago", seconds / 86_400),
        _ => date(at_ns),
    }
}

/// How long something took.
pub(crate) fn duration(ns: i64) -> String {
    let ms = ns.max(0) / 1_000_000;
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// The first few of a list, and how many more there are.
pub(crate) fn listed(items: impl ExactSizeIterator<Item = String>, shown_max: usize) -> String {
    let more = items.len().saturating_sub(shown_max);
    let shown: Vec<String> = items.take(shown_max).collect();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// A text in which paths of a folder are written as from that folder.
pub(crate) fn below(text: &str, folder: &Path) -> String {
    text.replace(&format!("{}/", folder.display()), "")
}

/// The first line of a text, cut to a number of columns of a terminal.
pub(crate) fn first_line(text: &str, columns_max: usize) -> String {
    let mut lines = text.trim().lines();
    let line = lines.next().unwrap_or_default();
    let mut columns = 0;
    let fits = |(_, character): &(usize, char)| {
        columns += columns_of(*character);
        columns >= columns_max
    };
    let is_last = lines.next().is_none();
    match line.char_indices().find(fits) {
        Some((at, character)) if !is_last || at + character.len_utf8() < line.len() => format!("{}…", &line[..at]),
        None if !is_last => format!("{line} …"),
        _ => line.to_owned(),
    }
}

/// How many columns of a terminal a character takes, near enough.
fn columns_of(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 2,
        '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

fn date(ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns))
        .map_or_else(|_| "at an unknown time".to_owned(), |time| time.to_string().chars().take(10).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        assert_eq!([0, 1, 2].map(|number| count(number, "file")), ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn sizes_have_one_digit_behind_the_point() {
        assert_eq!([0, 1023, 1024, 1536, 5 << 30].map(size), ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "5.0 GiB"]);
    }

    #[test]
    fn times_are_told_from_now_and_long_past_days_by_their_date() {
        let now_ns = 1_700_000_000_000_000_000;
        let told = |seconds: i64| ago(now_ns, now_ns - seconds * 1_000_000_000);
        assert_eq!([0, 59, 60, 7_200, 172_800].map(told), ["just now", "just now", "1 min ago", "2 h ago", "2 d ago"]);
        assert_eq!(told(40 * 86_400), "2023-10-05");
        assert_eq!(told(-5), "just now", "a clock that was set back is no reason for nonsense");
    }

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        assert_eq!(first_line("short", 10), "short");
        assert_eq!(first_line("exactly ten", 12), "exactly ten");
        assert_eq!(first_line("much too long", 8), "much to…");
        assert_eq!(first_line("日本語のテキスト", 8), "日本語…");
        assert_eq!(first_line("\n  two\nlines", 20), "two …");
    }

    #[test]
    fn a_list_says_how_many_more_there_are() {
        let items = || ["a", "b", "c"].into_iter().map(str::to_owned);
        assert_eq!(listed(items(), 3), "a, b, c");
        assert_eq!(listed(items(), 1), "a and 2 more");
    }
}
