//! What is covered: the rules that say of every name in the workspace whether it is entered and stored, and why not.
//!
//! Rules look at names, kinds, sizes, markers of generated folders and ignore files; they never look at content and
//! store nothing. What a rule leaves out is still named, with its [`Reason`].

mod control;
pub(crate) mod derived;
mod ignored;
mod patterns;

use model::{EntryKind, Reason, WorkspacePath, limits};

pub use control::is_control_file;
pub use derived::names as derived_names;

use crate::Root;
use derived::Generated;
use ignored::IgnoreRules;
use patterns::Patterns;

/// What the user decides about coverage. Everything else is built in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Never read and never stored; patterns as in `.gitignore`, against paths of the workspace.
    pub protect: Vec<String>,
    /// Covered although derived, with everything below; patterns as in `.gitignore`. The folder itself must match: what
    /// lies inside a derived folder that is not included is never reached.
    pub include: Vec<String>,
    /// Greater files are not stored.
    pub file_size_bytes_max: u64,
}

/// A pattern that means nothing. It is passed over and the others are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlawedPattern {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it, for people.
    pub flaw: String,
}

impl Rules {
    /// The rules of a user who has decided nothing.
    pub fn built_in() -> Self {
        Self { protect: Vec::new(), include: Vec::new(), file_size_bytes_max: limits::FILE_SIZE_BYTES_MAX }
    }

    /// The patterns that mean nothing, in the order in which they were given. Everything else of the rules holds.
    pub fn flawed_patterns(&self) -> Vec<FlawedPattern> {
        let mut flawed = Patterns::new(&self.protect).flawed;
        flawed.extend(Patterns::new(&self.include).flawed);
        flawed
    }
}

/// The rules of one workspace, made ready for many questions.
pub(crate) struct Coverage<'a> {
    protect: Patterns,
    include: Patterns,
    file_size_bytes_max: u64,
    ignored: IgnoreRules<'a>,
}

/// One name that a rule is asked about.
pub(crate) struct Candidate<'a> {
    /// The folder that holds it.
    pub(crate) folder: &'a WorkspacePath,
    /// Its name.
    pub(crate) name: &'a [u8],
    /// What it is.
    pub(crate) kind: EntryKind,
    /// Its length in bytes.
    pub(crate) size_bytes: u64,
    /// Whether its folder is covered because the user includes it.
    pub(crate) reach: Reach,
}

/// By which right a covered folder is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing speaks against it.
    Ordinary,
    /// The user includes it, so that nothing below is taken for derived.
    Included,
}

/// What the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is covered; what is below it is reached like this.
    Cover(Reach),
    /// It is left out.
    Leave(Reason),
}

impl<'a> Coverage<'a> {
    /// Makes the rules ready. Flawed patterns are passed over. Reads nothing yet.
    pub(crate) fn new(root: &'a Root, rules: &Rules) -> Self {
        Self {
            protect: Patterns::new(&rules.protect),
            include: Patterns::new(&rules.include),
            file_size_bytes_max: rules.file_size_bytes_max,
            ignored: IgnoreRules::new(root),
        }
    }

    /// What the rules say of one name, as far as name, kind and size tell; markers inside a folder come later, see
    /// [`derived::is_generated`].
    ///
    /// Cost: nothing for most names; ignore files are read only for folders with an ambiguous name.
    pub(crate) fn verdict(&self, candidate: &Candidate<'_>) -> Verdict {
        if candidate.name == b".git" || self.protect.match_child(candidate.folder, candidate.name, candidate.kind) {
            return Verdict::Leave(Reason::Protected);
        }
        match candidate.kind {
            EntryKind::Dir => self.folder_verdict(candidate),
            EntryKind::File if candidate.size_bytes > self.file_size_bytes_max => Verdict::Leave(Reason::TooLarge),
            _ => Verdict::Cover(candidate.reach),
        }
    }

    fn folder_verdict(&self, candidate: &Candidate<'_>) -> Verdict {
        let is_included = candidate.reach == Reach::Included
            || self.include.match_child(candidate.folder, candidate.name, candidate.kind);
        if is_included {
            return Verdict::Cover(Reach::Included);
        }
        match derived::by_name(candidate.name) {
            Generated::Always => Verdict::Leave(Reason::Derived),
            Generated::WhenIgnored if self.ignored.is_ignored_output(candidate.folder, candidate.name) => {
                Verdict::Leave(Reason::Derived)
            }
            Generated::WhenIgnored | Generated::Unknown => Verdict::Cover(Reach::Ordinary),
        }
    }
}
