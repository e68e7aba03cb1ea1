//! The nouns of the conversation: what an entry is, and how a version came to be.

/// What an entry of the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A human prompt.
    Prompt,
    /// The model's answer.
    Assistant,
    /// A tool's answer.
    Tool,
    /// A message in the user's role that no human wrote.
    Injected,
    /// A summary that stands for what came before it.
    Compaction,
}

/// How a head came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeadKind {
    /// The first one of a session.
    Main,
    /// It branches off on request.
    Fork,
    /// It was made by taking turns back.
    Rewind,
    /// Two processes went on from one place.
    Concurrent,
}

/// What happens to the model's memory of turns that are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Memory {
    /// They are cut out of it.
    Cut,
    /// They stay in it, and the model is told that they were taken back.
    Inform,
}

impl Memory {
    /// The word typed by users.
    pub fn code(self) -> &'static str {
        match self {
            Memory::Cut => "cut",
            Memory::Inform => "inform",
        }
    }

    /// The policy with this word.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Cut, Self::Inform].into_iter().find(|memory| memory.code() == code)
    }
}

impl MessageKind {
    /// Every kind.
    pub const ALL: [MessageKind; 5] = [Self::Prompt, Self::Assistant, Self::Tool, Self::Injected, Self::Compaction];

    /// The stable code, as printed in JSON and stored.
    pub fn code(self) -> &'static str {
        match self {
            MessageKind::Prompt => "prompt",
            MessageKind::Assistant => "assistant",
            MessageKind::Tool => "tool",
            MessageKind::Injected => "injected",
            MessageKind::Compaction => "compaction",
        }
    }

    /// The kind with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

impl HeadKind {
    /// Every kind.
    pub const ALL: [HeadKind; 4] = [Self::Main, Self::Fork, Self::Rewind, Self::Concurrent];

    /// The stable code, as printed in JSON and stored.
    pub fn code(self) -> &'static str {
        match self {
            HeadKind::Main => "main",
            HeadKind::Fork => "fork",
            HeadKind::Rewind => "rewind",
            HeadKind::Concurrent => "concurrent",
        }
    }
}
