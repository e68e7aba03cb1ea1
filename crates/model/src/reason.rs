//! [`Reason`]: the closed list of codes that say why a path was left alone or is not covered. The codes are part of
//! the public contract; their wording for people lives in the faces.

/// Why a path was kept, is in conflict, or is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The user or another program changed it later.
    EditedOutside,
    /// The session made it and somebody edited it later.
    MadeBySessionEditedLater,
    /// Several open windows could have made the change.
    Contested,
    /// It changed between plan and apply.
    Drift,
    /// Another kind of thing is there now.
    TypeChange,
    /// The way to it leads through something that is no real folder.
    UnsafePath,
    /// Its bytes are missing from the store, or damaged.
    MissingContent,
    /// It could not be read.
    Unreadable,
    /// The operating system did not permit it.
    Permission,
    /// It is over the size cap.
    TooLarge,
    /// A derived folder: dependencies, build output, caches.
    Derived,
    /// The user protects it.
    Protected,
    /// A pipe, socket or device.
    Special,
    /// It lies outside the workspace.
    OutsideWorkspace,
    /// Somebody is writing to it.
    Unsettled,
    /// It steers an agent or a CI.
    ControlFile,
    /// Later work stands where it was: nothing to do.
    Superseded,
    /// The first capture had not reached it.
    NotCapturedYet,
    /// One name of a hard link had to be replaced.
    LinkSplit,
    /// Seen only after its window was closed.
    Late,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 20] = [
        Reason::EditedOutside,
        Reason::MadeBySessionEditedLater,
        Reason::Contested,
        Reason::Drift,
        Reason::TypeChange,
        Reason::UnsafePath,
        Reason::MissingContent,
        Reason::Unreadable,
        Reason::Permission,
        Reason::TooLarge,
        Reason::Derived,
        Reason::Protected,
        Reason::Special,
        Reason::OutsideWorkspace,
        Reason::Unsettled,
        Reason::ControlFile,
        Reason::Superseded,
        Reason::NotCapturedYet,
        Reason::LinkSplit,
        Reason::Late,
    ];

    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Reason::EditedOutside => "edited-outside",
            Reason::MadeBySessionEditedLater => "made-by-session-edited-later",
            Reason::Contested => "contested",
            Reason::Drift => "drift",
            Reason::TypeChange => "type-change",
            Reason::UnsafePath => "unsafe-path",
            Reason::MissingContent => "missing-content",
            Reason::Unreadable => "unreadable",
            Reason::Permission => "permission",
            Reason::TooLarge => "too-large",
            Reason::Derived => "derived",
            Reason::Protected => "protected",
            Reason::Special => "special",
            Reason::OutsideWorkspace => "outside-workspace",
            Reason::Unsettled => "unsettled",
            Reason::ControlFile => "control-file",
            Reason::Superseded => "superseded",
            Reason::NotCapturedYet => "not-captured-yet",
            Reason::LinkSplit => "link-split",
            Reason::Late => "late",
        }
    }

    /// The reason with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_names_one_reason() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_code(reason.code()), Some(reason));
        }
    }
}
