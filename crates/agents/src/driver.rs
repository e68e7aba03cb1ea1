//! [`Driver`]: what can be done with an agent that keeps its conversation itself. Each agent's folder implements it with
//! that agent's own files and levers. Which lever is pulled, and when, is the engine's judgement.

use std::collections::BTreeMap;
use std::path::PathBuf;

use model::MessageKind;
use thiserror::Error;

use crate::Event;

/// Where agents keep their files, as the environment says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentHome {
    /// The user's home folder.
    pub home_folder: PathBuf,
    /// The variables that move an agent's folders or programs, by name: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `PATH`, …
    pub variables: BTreeMap<String, String>,
}

/// Where one conversation of an agent is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The agent's own id of it.
    pub native: String,
    /// Its file, if the agent has told.
    pub transcript: Option<PathBuf>,
    /// The folder the session was started in.
    pub cwd: PathBuf,
    /// Where the agent keeps its files.
    pub home: AgentHome,
}

/// An agent's own conversation, or what is new in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// What was said, in the order the agent wrote it down; parents come before what follows them.
    pub entries: Vec<NativeEntry>,
    /// The ids of the prompts on the line the agent would go on from, the oldest first. It is complete also when only
    /// what is new was read.
    pub line: Vec<String>,
    /// The version of the agent that wrote it, if it says so.
    pub version: Option<String>,
    /// What could not be understood and was left out, as sentences.
    pub left_out: Vec<String>,
}

/// One entry of an agent's own conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeEntry {
    /// Its id. A human prompt's is the id by which the agent's hooks name the prompt or the turn.
    pub id: String,
    /// The prompt it belongs to; a prompt's own id for a prompt. None before the first prompt.
    pub prompt: Option<String>,
    /// For a prompt: the prompt before it on its line, across compactions; none for the first.
    pub prompt_before: Option<String>,
    /// Who speaks.
    pub role: String,
    /// What it is.
    pub kind: MessageKind,
    /// What it says: the agent's own record, byte for byte.
    pub payload: Vec<u8>,
    /// For a compaction: the first entry before it that stays in the context.
    pub keeps_from: Option<String>,
}

/// Where a conversation is to stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Right before a prompt of this conversation, which goes with all that follows it.
    Before {
        /// The id of the prompt.
        prompt: String,
    },
    /// At the end of a prompt's turn, on the line it lies on; the way back to what was left.
    After {
        /// The id of the prompt; none: at the very end of this conversation, whatever it is.
        prompt: Option<String>,
    },
    /// In a new conversation of its own that ends with a prompt's turn; the old one is not moved.
    Fork {
        /// The id of the last prompt it holds; none: all that was said.
        prompt: Option<String>,
    },
}

/// How the agent is to stand where it should: made ready, not yet in force. A value that can be written down and taken
/// up by another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lever {
    /// The agent's own id of the conversation from then on; the old one where the agent moves in place.
    pub native: String,
    /// Its file, if that is known already.
    pub transcript: Option<PathBuf>,
    /// The id under which what is cut away can be taken up again: the old conversation, or a bookmark of it.
    pub left: String,
    /// The exact command that takes the conversation up in a new process.
    pub resume: String,
    /// What a person types inside the agent's running chat to stand there, if there is such a way.
    pub resume_in_chat: Option<String>,
    /// Whether pulling it moves the agent; if not, the agent stands there as soon as somebody resumes it.
    pub moves_agent: bool,
    /// The translator's own notes, opaque to everybody else.
    pub notes: Vec<u8>,
}

/// What an agent's own files say about whether it is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignOfLife {
    /// Nothing is known.
    Unknown,
    /// No process holds the conversation.
    Gone,
    /// A process holds it and waits for a prompt.
    Idle,
    /// A process is at work on it.
    Busy,
}

/// What a hook answers the agent that called it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The prompt or command goes no further; this is shown to the user, and no model is asked.
    Handled {
        /// What is shown.
        text: String,
    },
    /// The model is told this along with the prompt.
    Tell {
        /// What the model is told.
        text: String,
    },
}

/// Set for programs of agents that are started here: what their hooks tell is our own doing, and nothing to record.
pub const ASKING_VARIABLE: &str = "TAKEBACK_ASKS_AGENT";

/// Something could not be done with an agent's own conversation. It was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DriverError {
    /// The agent has no conversation of this id, or no file of it.
    #[error("The agent has no record of the conversation `{native}`: nothing of it was changed")]
    NoConversation {
        /// The id.
        native: String,
    },
    /// The record has a shape that is not known.
    #[error("The agent's record of the conversation is not understood, nothing of it was changed: {reason}")]
    UnknownShape {
        /// What was met.
        reason: String,
    },
    /// The prompt is not in the conversation.
    #[error("The agent's conversation does not hold the prompt `{prompt}`: nothing of it was changed")]
    NoPrompt {
        /// The id of the prompt.
        prompt: String,
    },
    /// The agent has no way to do this.
    #[error("The agent has no way to {what}: nothing of its conversation was changed")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
    /// A file or a program of the agent failed.
    #[error("{verb} failed, the conversation was left as it was: {reason}")]
    Failed {
        /// What was being done.
        verb: &'static str,
        /// What went wrong.
        reason: String,
    },
}

/// An agent that keeps its conversation itself.
pub trait Driver: Sync {
    /// Reads the whole conversation. Cost grows with its length. Never writes.
    fn read(&self, seat: &Seat) -> Result<Conversation, DriverError>;

    /// Whether the agent is at work on a conversation, by its own files. Cheap; never fails, never writes.
    fn sign_of_life(&self, seat: &Seat) -> SignOfLife;

    /// The names of its programs, by which a hook finds the process of the agent that called it; none where the agent's
    /// own files tell of it.
    fn programs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Makes everything ready for the conversation to stand at `target`, and reads back what it made.
    ///
    /// After success nothing is in force yet; [`Driver::discard`] throws it away without a trace in the old
    /// conversation. After a failure nothing is left behind.
    fn prepare(&self, seat: &Seat, target: &Target) -> Result<Lever, DriverError>;

    /// Throws away what was made ready. Throwing it away twice, or after it was used, is harmless.
    fn discard(&self, seat: &Seat, lever: &Lever);

    /// Pulls the lever. Pulling it again once the agent stands there changes nothing.
    fn activate(&self, seat: &Seat, lever: &Lever) -> Result<(), DriverError>;

    /// Whether the lever can be pulled while the agent's chat waits for the answer to the command that asks for it. If not,
    /// it has to be pulled shortly after.
    fn can_pull_from_chat(&self) -> bool {
        true
    }

    /// Asks the agent to stop the turn it is at work on. It is asked and nothing more: whether it comes to rest is seen by
    /// its hooks. Never ends a process.
    fn ask_to_stop(&self, _seat: &Seat) -> Result<(), DriverError> {
        Err(DriverError::Unsupported { what: "be stopped from outside" })
    }

    /// The exact command that takes a conversation up in a new process.
    fn resume_command(&self, native: &str) -> String;

    /// What the hook's process prints to give an answer; none where this event can carry none.
    fn answer(&self, event: &Event, answer: &Answer) -> Option<String>;
}
