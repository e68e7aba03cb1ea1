//! Codex: its hook payloads, its rollouts, its app-server by which a conversation is forked or rewound, and its hooks file.
//!
//! A conversation is a thread, kept in append-only rollout files; a fork or a rewind is a new file that points into an
//! older one. takeback never writes into a rollout: a cut is a fork made by Codex itself, or a copy where Codex is not
//! there to make one.

mod app_server;
mod hooks;
mod lever;
mod payload;
mod rollout;

use crate::driver::{Answer, Conversation, Driver, DriverError, Lever, Seat, SignOfLife, Target};
use crate::setup::{Setup, SetupError, SetupPlan, SetupRequest};
use crate::{Event, TranslateError};

/// The name of this agent everywhere.
pub(crate) const NAME: &str = "codex";

/// Codex.
pub(crate) struct Codex;

/// Turns one hook payload into an event.
pub(crate) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    payload::translate(payload)
}

impl Driver for Codex {
    fn read(&self, seat: &Seat) -> Result<Conversation, DriverError> {
        Ok(rollout::conversation(&rollout::read(seat)?))
    }

    fn sign_of_life(&self, _seat: &Seat) -> SignOfLife {
        // Codex keeps no file that says so; windows that are open tell, and whether its process lives.
        SignOfLife::Unknown
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex"]
    }

    fn prepare(&self, seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
        lever::prepare(seat, target)
    }

    fn discard(&self, _seat: &Seat, lever: &Lever) {
        lever::discard(lever);
    }

    fn activate(&self, seat: &Seat, lever: &Lever) -> Result<(), DriverError> {
        // A fork is there already; Codex stands on it as soon as somebody resumes it.
        lever::activate(seat, lever)
    }

    fn can_pull_from_chat(&self) -> bool {
        // The thread cannot be rewound while the prompt that asks for it is being looked at.
        false
    }

    fn ask_to_stop(&self, seat: &Seat) -> Result<(), DriverError> {
        app_server::interrupt_in_terminal(&seat.home, &seat.native)
    }

    fn resume_command(&self, native: &str) -> String {
        lever::resume_command(native)
    }

    fn answer(&self, event: &Event, answer: &Answer) -> Option<String> {
        payload::answer(event, answer)
    }
}

impl Setup for Codex {
    fn install(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        hooks::install(request)
    }

    fn remove(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        hooks::remove(request)
    }
}
