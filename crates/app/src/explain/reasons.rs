//! What each reason means, in words for people.

use model::Reason;

/// Why a path was left alone or is not covered.
pub(crate) fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::EditedOutside => "edited by somebody else",
        Reason::MadeBySessionEditedLater => "made by the session, edited by somebody else later",
        Reason::Contested => "several could have changed it",
        Reason::Drift => "changed while this was being done",
        Reason::TypeChange => "another kind of thing is there now",
        Reason::UnsafePath => "the way to it leads through a link or a file",
        Reason::MissingContent => "its old content is missing from the store",
        Reason::Unreadable => "could not be read",
        Reason::Permission => "the system does not permit it",
        Reason::TooLarge => "over the size limit",
        Reason::Derived => "derived: dependencies, build output, caches",
        Reason::Protected => "protected",
        Reason::Special => "a pipe, socket or device",
        Reason::OutsideWorkspace => "outside the workspace",
        Reason::Unsettled => "a program is writing to it",
        Reason::ControlFile => "steers an agent or a CI, see `--include-control`",
        Reason::Superseded => "later work stands in its place",
        Reason::NotCapturedYet => "was not stored in time",
        Reason::LinkSplit => "was one of several names of a hard link",
        Reason::Late => "seen only after its step had ended",
    }
}
