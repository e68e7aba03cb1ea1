//! The eyes and hands of takeback in the workspace: what is covered, what has changed, what is there right now.
//!
//! Everything goes through directory handles that start at the workspace's [`Root`], follows no link and opens no
//! special file. Nothing here knows the state folder, runs git or judges whose change it was.
#![forbid(unsafe_code)]

mod capture;
mod links;
mod locate;
mod observe;
mod perform;
mod repositories;
mod root;
mod rules;
mod scan;
mod small_file;

pub use capture::{CaptureError, CaptureScope, Captured, Counts, Difference, capture};
pub use locate::{SpecialRoot, find_git_top_level, is_special_root};
pub use observe::{
    Claim, LookError, Seen, is_case_insensitive, list, look, look_closely, missing_parents, needs_lift, resolve,
};
pub use perform::{
    Doors, Mismatch, PerformError, PerformFailure, Progress, Stuck, clean, compensate, perform, progress, verify,
};
pub use repositories::{Head, observe_repositories};
pub use root::{Root, RootError};
pub use rules::{FlawedPattern, Rules, derived_names, is_control_file};
pub use scan::Suspects;
