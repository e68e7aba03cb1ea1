//! What takeback itself does, how a conflict is treated, and how an operation can end.

/// The verbs that write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Take the newest turns or steps back.
    Undo,
    /// Bring again what was taken back.
    Redo,
    /// Take everything from a turn on back.
    Rewind,
    /// Take exactly the named things back.
    Revert,
    /// Return to a checkpoint.
    Restore,
    /// Go on with another version of the conversation.
    Switch,
}

/// Which halves an operation moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Files and conversation.
    Both,
    /// Files alone.
    Files,
    /// The conversation alone.
    Conversation,
}

/// What happens at a path whose change cannot be taken back cleanly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConflictPolicy {
    /// Write nothing at all and list the conflicts.
    Stop,
    /// Leave those paths as they are and do the rest.
    Keep,
    /// Write the oldest preimage all the same.
    Take,
    /// Write conflict markers into text.
    Merge,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing was written; this is what would be.
    Preview,
    /// All that was planned is done and was read again.
    Done,
    /// There was nothing to do.
    Nothing,
    /// Conflicts; nothing was written.
    Conflict,
    /// Not now; nothing was written.
    Refused,
    /// Part of it is done, or a recovery is needed.
    Partial,
    /// It failed; nothing was written.
    Failed,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Verb; 6] = [Verb::Undo, Verb::Redo, Verb::Rewind, Verb::Revert, Verb::Restore, Verb::Switch];

    /// The word typed by users, printed and stored.
    pub fn code(self) -> &'static str {
        match self {
            Verb::Undo => "undo",
            Verb::Redo => "redo",
            Verb::Rewind => "rewind",
            Verb::Revert => "revert",
            Verb::Restore => "restore",
            Verb::Switch => "switch",
        }
    }

    /// The verb with this word.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.code() == code)
    }
}

impl Scope {
    /// Whether files move.
    pub fn has_files(self) -> bool {
        self != Scope::Conversation
    }

    /// Whether the conversation moves.
    pub fn has_conversation(self) -> bool {
        self != Scope::Files
    }

    /// The stable code, as stored.
    pub fn code(self) -> &'static str {
        match self {
            Scope::Both => "both",
            Scope::Files => "files",
            Scope::Conversation => "conversation",
        }
    }

    /// The scope with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Both, Self::Files, Self::Conversation].into_iter().find(|s| s.code() == code)
    }
}

impl ConflictPolicy {
    /// The word typed by users.
    pub fn code(self) -> &'static str {
        match self {
            ConflictPolicy::Stop => "stop",
            ConflictPolicy::Keep => "keep",
            ConflictPolicy::Take => "take",
            ConflictPolicy::Merge => "merge",
        }
    }

    /// The policy with this word.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Stop, Self::Keep, Self::Take, Self::Merge].into_iter().find(|p| p.code() == code)
    }
}

impl Outcome {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Outcome::Preview => "preview",
            Outcome::Done => "done",
            Outcome::Nothing => "nothing",
            Outcome::Conflict => "conflict",
            Outcome::Refused => "refused",
            Outcome::Partial => "partial",
            Outcome::Failed => "failed",
        }
    }
}
