//! OpenCode: what its plugin sends, the conversation in its database, the mark by which that is cut, and the plugin.
//!
//! A session is rows in one database. OpenCode itself cuts it by a mark on the session, and drops what lies behind the mark
//! at the next prompt; so before the mark is set the whole session is kept as a copy, which can be taken up again.

mod database;
mod ids;
mod keep;
mod lever;
mod payload;
mod plugin;
mod stop;

use crate::driver::{Answer, Conversation, Driver, DriverError, Lever, Seat, SignOfLife, Target};
use crate::setup::{Setup, SetupError, SetupPlan, SetupRequest};
use crate::{Event, TranslateError};

/// The name of this agent everywhere.
pub(crate) const NAME: &str = "opencode";

/// OpenCode.
pub(crate) struct OpenCode;

/// Turns one payload of the plugin into an event.
pub(crate) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    payload::translate(payload)
}

impl Driver for OpenCode {
    fn read(&self, seat: &Seat) -> Result<Conversation, DriverError> {
        database::open(seat)?.conversation(&seat.native)
    }

    fn sign_of_life(&self, _seat: &Seat) -> SignOfLife {
        // The database does not say who is at work; windows that are open tell, and whether its process lives.
        SignOfLife::Unknown
    }

    fn programs(&self) -> &'static [&'static str] {
        &["opencode"]
    }

    fn prepare(&self, seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
        lever::prepare(seat, target)
    }

    fn discard(&self, seat: &Seat, lever: &Lever) {
        lever::discard(seat, lever);
    }

    fn activate(&self, seat: &Seat, lever: &Lever) -> Result<(), DriverError> {
        lever::activate(seat, lever)
    }

    fn ask_to_stop(&self, seat: &Seat) -> Result<(), DriverError> {
        stop::ask(seat)
    }

    fn resume_command(&self, native: &str) -> String {
        lever::resume_command(native)
    }

    fn answer(&self, event: &Event, answer: &Answer) -> Option<String> {
        payload::answer(event, answer)
    }
}

impl Setup for OpenCode {
    fn install(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        plugin::install(request)
    }

    fn remove(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        plugin::remove(request)
    }
}
