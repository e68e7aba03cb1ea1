//! The table for people: one line per row, columns as wide as their widest cell.

use crate::row::Row;

const HEAD: [&str; 7] = ["work", "takeback", "p90", "alternative", "needs", "ratio", "target"];

/// Columns whose cells are numbers and end at the right.
const NUMBERS: [usize; 4] = [1, 2, 4, 5];

/// Lays the rows out, with a line of heads.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned)];
    lines.extend(rows.iter().map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| pad(column, cell, *width));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn cells(row: &Row) -> [String; HEAD.len()] {
    let verdict = if row.is_reached() { "reached" } else { "MISSED" };
    [
        row.work.clone(),
        row.ours.text(),
        row.ours.ninetieth_text(),
        row.alternative.to_owned(),
        row.theirs.text(),
        format!("{:.2}×", row.ratio()),
        format!("{}: {verdict}", row.target.text()),
    ]
}

fn pad(column: usize, cell: &str, width: usize) -> String {
    let blanks = " ".repeat(width - cell.chars().count());
    if NUMBERS.contains(&column) { blanks + cell } else { cell.to_owned() + &blanks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::Amount;
    use crate::row::Target;

    #[test]
    fn columns_stand_below_each_other() {
        let row = |work: &str, ours: u64| Row {
            work: work.to_owned(),
            ours: Amount::Bytes(ours << 20),
            alternative: "git",
            theirs: Amount::Bytes(100 << 20),
            target: Target::TimesMax(0.6),
        };
        assert_eq!(
            render(&[row("size", 50), row("larger size", 80)]),
            "\
work         takeback  p90  alternative      needs  ratio  target
size         50.0 MiB       git          100.0 MiB  2.00×  ≤ 0.6× of it: reached
larger size  80.0 MiB       git          100.0 MiB  1.25×  ≤ 0.6× of it: MISSED
"
        );
    }
}
