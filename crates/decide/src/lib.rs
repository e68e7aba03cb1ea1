//! The judgement of takeback: what would be written to take something back, in which steps, and what still stands.
//!
//! Everything here is pure and total: values in, values out, the same answer for the same input, no panic on any
//! input. Nothing here opens a file, asks the time or knows a wire format; content is asked for through
//! [`model::Contents`], the present state through [`model::Tree`].
#![forbid(unsafe_code)]

pub mod attribution;
pub mod blame;
pub mod dispatch;
mod drift;
pub mod effects;
mod merge;
mod part;
mod restore;
mod reversal;
pub mod selection;
mod standing;
pub mod talk;

pub use drift::drift;
pub use merge::{DiffHunk, DiffLine, DiffSide, Merge, MergeLabels, diff_text, merge_text, merge_text_labelled};
pub use part::{Part, PartError, count_hunks, reverse_parts};
pub use restore::{LinkGroup, Site, note_split_links, write_steps};
pub use reversal::{ControlFiles, Dependent, Reversal, dependents, reverse};
pub use standing::{Reverses, standing};
