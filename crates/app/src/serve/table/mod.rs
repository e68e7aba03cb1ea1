//! The protocol as data: every method with its parameters and its result. Checking, dispatch and the schema all read
//! it, so that they cannot differ.

mod fields;
mod methods;

use super::call::Handler;

pub(super) use methods::{METHODS, NOTIFICATIONS};

/// One method a client can call.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) parameters: &'static [Field],
    pub(super) others: Others,
    pub(super) result: Kind,
    pub(super) way: Way,
    pub(super) handler: Handler,
}

/// One notification that clients get.
pub(super) struct Notification {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) parameters: &'static [Field],
}

/// One named value.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) presence: Presence,
    pub(super) meaning: &'static str,
}

/// What a value may be.
pub(super) enum Kind {
    /// Any JSON value.
    Anything,
    /// A text.
    Text,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// Any bytes, in base64.
    Bytes,
    /// Yes or no.
    Flag,
    /// A whole number from here on.
    Number { min: u64 },
    /// What names a request.
    RequestId,
    /// A list.
    List(&'static Kind),
    /// An object with these fields.
    Object(&'static [Field]),
    /// An object of a schema that the command line prints too; see `docs/json.md`.
    Document(&'static str),
    /// The same, with one field more.
    Extended(&'static str, &'static Field),
    /// Nothing.
    Null,
}

/// Whether a value is always there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
    /// Always there, but it may be null.
    Nullable,
}

/// What becomes of parameters that are not listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// They are an error: a misspelt one must not widen an order.
    Refused,
    /// They are kept with the event that is recorded.
    Kept,
}

/// When a request is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In its turn, after all that came before it.
    InTurn,
    /// As soon as it can be: it may wait, and requests that came later may be answered first.
    Beside,
}

/// The method of a name.
pub(super) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}
