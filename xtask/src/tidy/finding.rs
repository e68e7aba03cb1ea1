//! [`Finding`]: one place where a rule is not kept.

use std::fmt;

use crate::rust::Source;

/// One place where a rule is not kept, and what to do about it. Findings sort by place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// The file, from the root.
    pub(super) path: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub(super) line: usize,
    /// Whether it fails.
    pub(super) weight: Weight,
    /// What is wrong and what would be right.
    pub(super) message: String,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// It fails the run.
    Failure,
    /// It does not.
    Warning,
}

impl Finding {
    /// Something wrong with a whole file.
    pub(super) fn of_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: 0, weight: Weight::Failure, message: message.into() }
    }

    /// Something wrong on one line of a file.
    pub(super) fn of_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { line, ..Self::of_file(path, message) }
    }

    /// Something wrong at one place of a source.
    pub(super) fn at(source: &Source, place: usize, message: impl Into<String>) -> Self {
        Self::of_line(&source.path, source.line_of(place), message)
    }

    /// The same, but it does not fail.
    pub(super) fn into_warning(self) -> Self {
        Self { weight: Weight::Warning, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.weight {
            Weight::Failure => "fail",
            Weight::Warning => "warn",
        };
        match self.line {
            0 => write!(f, "{weight} {}: {}", self.path, self.message),
            line => write!(f, "{weight} {}:{line}: {}", self.path, self.message),
        }
    }
}
