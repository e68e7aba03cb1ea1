//! The result as a table for people and as JSON for machines.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::options::Options;
use crate::row::{Row, Target, Unit, median};

/// The table for people.
pub(crate) fn human(rows: &[Row], options: &Options) -> String {
    let mut lines = vec![["", "takeback", "shadow git", "", "times", "target", ""].map(str::to_owned)];
    lines.extend(rows.iter().map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut table = format!("Medians of paired runs, {} size; times = shadow git / takeback\n\n", options.scale.name());
    for line in &lines {
        let [what, ours, theirs, beside, times, target, met] = line;
        let _ = write!(table, "{what:0$}  {ours:>1$}  {theirs:>2$}", widths[0], widths[1], widths[2]);
        let rest = format!("  {beside:0$}  {times:>1$}  {target:2$}  {met}", widths[3], widths[4], widths[5]);
        let _ = writeln!(table, "{}", rest.trim_end());
    }
    table
}

/// The same for machines, with every run.
pub(crate) fn json(rows: &[Row], options: &Options) -> String {
    let rows: Vec<Value> = rows.iter().map(row_json).collect();
    let all = json!({"schema": "takeback.bench/1", "scale": options.scale.name(), "rows": rows});
    format!("{all:#}\n")
}

fn cells(row: &Row) -> [String; 7] {
    [
        row.what.clone(),
        amount(median(&row.takeback), row.unit),
        amount(median(&row.shadow_git), row.unit),
        format!("({})", row.beside),
        format!("{:.2}", row.ratio()),
        target(row),
        (if row.is_met() { "met" } else { "MISSED" }).to_owned(),
    ]
}

fn row_json(row: &Row) -> Value {
    let unit = match row.unit {
        Unit::Milliseconds => "ms",
        Unit::Bytes => "bytes",
    };
    json!({
        "what": row.what,
        "beside": row.beside,
        "unit": unit,
        "takeback": row.takeback,
        "shadow_git": row.shadow_git,
        "takeback_median": median(&row.takeback),
        "shadow_git_median": median(&row.shadow_git),
        "shadow_git_per_takeback": row.ratio(),
        "target": target(row),
        "is_met": row.is_met(),
    })
}

fn amount(number: f64, unit: Unit) -> String {
    match unit {
        Unit::Milliseconds if number < 1_000.0 => format!("{number:.1} ms"),
        Unit::Milliseconds => format!("{:.2} s", number / 1_000.0),
        Unit::Bytes => format!("{:.1} MB", number / 1_000_000.0),
    }
}

/// What the row should come to, told by `times`.
fn target(row: &Row) -> String {
    match row.target {
        Target::AtMost(most) => format!("≤ {}", amount(most, row.unit)),
        Target::TimesLess(least) => format!("≥ {least:.1} times"),
        Target::TimesAtMost(most) => format!("≥ {:.2} times", 1.0 / most),
    }
}
