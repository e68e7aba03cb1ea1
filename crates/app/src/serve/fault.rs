//! [`Fault`]: why a request got no result. The codes are part of the protocol.

use model::IdError;
use takeback::{OrderError, ReceiveError, RecordError};

use crate::explain;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    NotJson,
    InvalidRequest,
    UnknownMethod,
    InvalidParameters,
    UnknownProtocol,
    NotInitialized,
    UnknownSession,
    NotDone,
    UnknownTarget,
    UnknownAgreement,
    TooManyRequests,
    Refused,
    Cancelled,
}

/// Why a request got no result. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: String,
}

/// One row of the table of codes.
struct Row {
    code: Code,
    number: i32,
    name: &'static str,
    meaning: &'static str,
}

const ROWS: [Row; 13] = [
    row(Code::NotJson, -32700, "not-json", "the line is no JSON"),
    row(Code::InvalidRequest, -32600, "invalid-request", "the line is JSON, but no request; or it is too long"),
    row(Code::UnknownMethod, -32601, "unknown-method", "there is no such method"),
    row(Code::InvalidParameters, -32602, "invalid-parameters", "a parameter is missing, unknown or of another type"),
    row(Code::UnknownProtocol, -32001, "unknown-protocol", "this version of the protocol is not spoken here"),
    row(Code::NotInitialized, -32002, "not-initialized", "the first request must be `initialize`"),
    row(Code::UnknownSession, -32010, "unknown-session", "the client has not opened (or attached) this session"),
    row(Code::NotDone, -32011, "not-done", "the workspace or the store could not be used; nothing was changed"),
    row(Code::UnknownTarget, -32012, "unknown-target", "a turn, checkpoint or other thing named does not exist"),
    row(Code::UnknownAgreement, -32013, "unknown-agreement", "no such preview is held, or it was of another order"),
    row(Code::TooManyRequests, -32014, "too-many-requests", "too many requests of this client wait already"),
    row(
        Code::Refused,
        -32015,
        "refused",
        "not as things stand: a turn is running, a name is taken; nothing was changed",
    ),
    row(Code::Cancelled, -32800, "cancelled", "the request was cancelled; nothing was changed"),
];

const fn row(code: Code, number: i32, name: &'static str, meaning: &'static str) -> Row {
    Row { code, number, name, meaning }
}

impl Code {
    /// The number on the wire.
    pub(super) fn number(self) -> i32 {
        ROWS.iter().find(|row| row.code == self).map_or(-32603, |row| row.number)
    }

    /// Every code: number, name and meaning.
    pub(super) fn all() -> impl Iterator<Item = (i32, &'static str, &'static str)> {
        ROWS.iter().map(|row| (row.number, row.name, row.meaning))
    }
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Something of the engine that failed as a whole: nothing was changed.
    pub(super) fn not_done(error: &dyn std::error::Error) -> Self {
        Self::new(Code::NotDone, explain::chain(error))
    }
}

impl From<OrderError> for Fault {
    fn from(error: OrderError) -> Self {
        let code = match &error {
            OrderError::Unknown { .. } | OrderError::NoSession => Code::UnknownTarget,
            OrderError::Running | OrderError::Exists(_) | OrderError::AgentNamesSessions => Code::Refused,
            _ => Code::NotDone,
        };
        Self::new(code, explain::chain(&error))
    }
}

impl From<IdError> for Fault {
    fn from(error: IdError) -> Self {
        Self::new(Code::InvalidParameters, error.to_string())
    }
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::not_done(&error)
    }
}

impl From<ReceiveError> for Fault {
    fn from(error: ReceiveError) -> Self {
        let code = if let ReceiveError::Translate(_) = &error { Code::InvalidParameters } else { Code::NotDone };
        Self::new(code, explain::chain(&error))
    }
}
