//! Claude Code: its hook payloads, its transcript, the copy by which a conversation is rewound, and its plugin.
//!
//! The conversation is a tree of rows in an append-only file. It is rewound by a copy of that file under a new id that
//! ends where it should; the old file is never touched, so going back is taking the old id up again.

mod copy;
mod forked;
mod install;
mod leaf;
mod life;
mod payload;
mod place;
mod plugin;
mod row;
mod tools;
mod transcript;

use crate::driver::{Answer, Conversation, Driver, DriverError, Lever, Seat, SignOfLife, Target};
use crate::setup::{Setup, SetupError, SetupPlan, SetupRequest};
use crate::{Event, TranslateError};

/// The name of this agent everywhere.
pub(crate) const NAME: &str = "claude-code";

/// How the names of our own commands begin in the chat: `/takeback:undo 2`.
const OUR_COMMANDS: &str = "takeback:";

/// Claude Code.
pub(crate) struct ClaudeCode;

/// Turns one hook payload into an event.
pub(crate) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    payload::translate(payload)
}

impl Driver for ClaudeCode {
    fn read(&self, seat: &Seat) -> Result<Conversation, DriverError> {
        Ok(transcript::conversation(&transcript::read(seat)?))
    }

    fn sign_of_life(&self, seat: &Seat) -> SignOfLife {
        life::sign_of_life(seat)
    }

    fn prepare(&self, seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
        copy::prepare(seat, target)
    }

    fn discard(&self, _seat: &Seat, lever: &Lever) {
        copy::discard(lever);
    }

    fn activate(&self, _seat: &Seat, _lever: &Lever) -> Result<(), DriverError> {
        // The copy is there; the client stands on it as soon as somebody resumes it.
        Ok(())
    }

    fn resume_command(&self, native: &str) -> String {
        copy::resume_command(native)
    }

    fn answer(&self, event: &Event, answer: &Answer) -> Option<String> {
        payload::answer(event, answer)
    }
}

impl Setup for ClaudeCode {
    fn install(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        install::install(request)
    }

    fn remove(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        install::remove(request)
    }
}
