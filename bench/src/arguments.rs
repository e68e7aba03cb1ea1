//! What was typed: which experiments, and how large.

use crate::experiment::{EXPERIMENTS, Experiment};
use crate::history::Length;

/// What is to be measured.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The experiments, in the order of the table.
    pub(crate) experiments: Vec<&'static Experiment>,
    /// How large the trees are.
    pub(crate) sizes: Sizes,
}

/// How large the trees are and how often things are repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Files of a tree of ordinary size.
    pub(crate) ordinary_files: usize,
    /// Files of a large tree.
    pub(crate) large_files: usize,
    /// Bytes of each file of the first capture.
    pub(crate) first_capture_file_bytes: usize,
    /// Files of the tree in which a turn is taken back.
    pub(crate) undo_files: usize,
    /// How many of them the turn changes.
    pub(crate) undo_changed: usize,
    /// Entries of the conversation whose context is read.
    pub(crate) context_entries: usize,
    /// Entries of the conversations that are cut.
    pub(crate) cut_entries: [usize; 2],
    /// The history that lies behind what is asked every day.
    pub(crate) history: Length,
    /// Sessions that a server holds.
    pub(crate) sessions: usize,
    /// How often a short run is repeated.
    pub(crate) short_runs: usize,
    /// How often a long run is repeated.
    pub(crate) long_runs: usize,
}

impl Sizes {
    /// What the targets speak of, with small files in the first capture.
    const STANDARD: Sizes = Sizes {
        ordinary_files: 10_000,
        large_files: 100_000,
        first_capture_file_bytes: 1_500,
        undo_files: 20_000,
        undo_changed: 1_000,
        context_entries: 10_000,
        cut_entries: [10_000, 100_000],
        history: Length { turns: 10_000, transitions_per_turn: 100 },
        sessions: 100,
        short_runs: 31,
        long_runs: 3,
    };

    /// The same with 600 MB in the first capture.
    const FULL: Sizes = Sizes { first_capture_file_bytes: 6_000, ..Self::STANDARD };

    /// Only shows that everything still runs; the numbers mean little.
    const QUICK: Sizes = Sizes {
        ordinary_files: 400,
        large_files: 1_500,
        first_capture_file_bytes: 1_500,
        undo_files: 600,
        undo_changed: 50,
        context_entries: 500,
        cut_entries: [500, 2_000],
        history: Length { turns: 200, transitions_per_turn: 10 },
        sessions: 10,
        short_runs: 5,
        long_runs: 1,
    };
}

impl Arguments {
    /// Reads the arguments; an error is the text that explains them.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut sizes = Sizes::STANDARD;
        let mut experiments: Vec<&'static Experiment> = Vec::new();
        for argument in arguments {
            match argument.as_str() {
                "--quick" => sizes = Sizes::QUICK,
                "--full" => sizes = Sizes::FULL,
                "all" => experiments.extend(EXPERIMENTS),
                name => experiments.push(EXPERIMENTS.iter().find(|known| known.name == name).ok_or_else(usage)?),
            }
        }
        if experiments.is_empty() { Err(usage()) } else { Ok(Self { experiments, sizes }) }
    }
}

fn usage() -> String {
    let mut text = "Usage: cargo run --release -p bench -- [--quick | --full] all | EXPERIMENT…\n\n".to_owned();
    for experiment in EXPERIMENTS {
        text += &format!("  {:14} {}\n", experiment.name, experiment.summary);
    }
    text + "\n  --quick        small trees, to see that everything runs\n  --full         600 MB in the first capture"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Arguments, String> {
        Arguments::parse(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_or_an_unknown_name_is_answered_with_the_names() {
        assert!(parse("").is_err_and(|usage| usage.contains("first-capture")));
        assert!(parse("hook nonsense").is_err());
    }

    #[test]
    fn sizes_and_experiments_go_together_in_any_order() {
        let parsed = parse("hook --quick undo").expect("both are known");
        let names: Vec<_> = parsed.experiments.iter().map(|experiment| experiment.name).collect();
        assert_eq!((names, parsed.sizes), (vec!["hook", "undo"], Sizes::QUICK));
        assert_eq!(parse("all").expect("all").experiments.len(), EXPERIMENTS.len());
    }
}
