//! The watcher: a helper process that knows which folders of the watched workspaces may have changed, and the question
//! that a capture puts to it.
//!
//! Nothing here decides what is captured, and nothing depends on the helper: whatever it does not know for certain it
//! answers with everything, and where it does not answer at all the asker gets [`Answer::Unknown`].
#![forbid(unsafe_code)]

mod account;
mod client;
mod folders;
mod helper;
mod message;
mod watched;
mod wire;

pub use account::{Account, DirtyPaths, Since};
pub use client::Client;
pub use helper::{Ended, HelperError, Place, run};
pub use message::{Answer, Blind, Doubt, Mark, Question, Standing};
