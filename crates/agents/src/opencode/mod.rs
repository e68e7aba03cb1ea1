//! OpenCode: its hook payloads, its record of the conversation, its levers and its setup.

use crate::driver::{Answer, Conversation, Driver, DriverError, Lever, Seat, SignOfLife, Target};
use crate::setup::{Setup, SetupError, SetupPlan, SetupRequest};
use crate::{Event, TranslateError, generic};

/// OpenCode.
pub(crate) struct OpenCode;

/// Turns one hook payload into an event.
pub(crate) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    Ok(Event { agent: "opencode".to_owned(), ..generic::translate(payload)? })
}

const NOT_YET: DriverError = DriverError::Unsupported { what: "move a conversation" };

impl Driver for OpenCode {
    fn read(&self, _seat: &Seat) -> Result<Conversation, DriverError> {
        Err(NOT_YET)
    }

    fn sign_of_life(&self, _seat: &Seat) -> SignOfLife {
        SignOfLife::Unknown
    }

    fn prepare(&self, _seat: &Seat, _target: &Target) -> Result<Lever, DriverError> {
        Err(NOT_YET)
    }

    fn discard(&self, _seat: &Seat, _lever: &Lever) {}

    fn activate(&self, _seat: &Seat, _lever: &Lever) -> Result<(), DriverError> {
        Err(NOT_YET)
    }

    fn resume_command(&self, native: &str) -> String {
        native.to_owned()
    }

    fn answer(&self, _event: &Event, _answer: &Answer) -> Option<String> {
        None
    }
}

impl Setup for OpenCode {
    fn install(&self, _request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        Err(SetupError::Unsupported { agent: "OpenCode", way: "yet" })
    }

    fn remove(&self, _request: &SetupRequest) -> Result<SetupPlan, SetupError> {
        Err(SetupError::Unsupported { agent: "OpenCode", way: "yet" })
    }
}
