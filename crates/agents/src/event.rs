//! The canonical event: what every agent file translates into. It is a value; recording it is the engine's work.

use std::path::PathBuf;

use thiserror::Error;

/// Something an agent says has happened or is about to happen.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Which agent file this came through: `generic`, `claude-code`, …
    pub agent: String,
    /// The name the agent gave the event.
    pub name: String,
    /// The agent's own id of the session.
    pub session: String,
    /// The subagent that speaks; none for the main agent.
    pub agent_id: Option<String>,
    /// The agent's own id of the turn.
    pub turn_id: Option<String>,
    /// The folder relative paths are meant from, absolute.
    pub cwd: Option<String>,
    /// Where the agent writes the conversation down, if it says so.
    pub transcript: Option<PathBuf>,
    /// What happened.
    pub kind: EventKind,
    /// The payload as text, to be kept.
    pub raw: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A session begins, goes on or branches off another.
    SessionStart {
        /// How.
        source: StartSource,
        /// The agent's own id of the session it descends from.
        parent: Option<String>,
    },
    /// A human prompt.
    Prompt {
        /// Its text.
        text: String,
        /// The agent's own id of the prompt.
        id: Option<String>,
        /// All that was handed to the model with it, attachments included, as JSON the way it stood in the event; none:
        /// the text alone.
        content: Option<Vec<u8>>,
    },
    /// A tool is about to run.
    BeforeTool(ToolCall),
    /// The user is asked whether a tool may run.
    PermissionRequest(ToolUse),
    /// A tool call was refused and never ran.
    PermissionDenied(ToolUse),
    /// A tool has run, with or without success.
    AfterTool {
        /// Which call.
        call: ToolCall,
        /// What it answered.
        response: ToolResponse,
    },
    /// A subagent begins.
    SubagentStart {
        /// Its id; steps that carry it are its own.
        id: String,
        /// The subagent that started it; none for the main agent.
        parent: Option<String>,
    },
    /// A subagent has ended.
    SubagentStop {
        /// Its id.
        id: String,
    },
    /// The context is about to be compacted.
    PreCompact,
    /// The context was compacted.
    PostCompact {
        /// The id of the entry that replaces what was compacted.
        id: Option<String>,
        /// Its text.
        summary: String,
        /// The first entry before it that stays in the context beside it.
        keeps_from: Option<String>,
    },
    /// The user stopped the turn.
    Interrupt,
    /// The turn has ended.
    Stop {
        /// How: completed, failed, interrupted; completed if not said.
        status: model::TurnStatus,
        /// How many tasks still run in the background; none if not said.
        background_tasks: Option<usize>,
    },
    /// The session is left.
    SessionEnd,
    /// One entry of the conversation.
    Message {
        /// The agent's own id of the entry.
        id: String,
        /// The entry it follows; none: the newest.
        parent: Option<String>,
        /// Who speaks: `user`, `assistant`, …
        role: String,
        /// What it is.
        kind: model::MessageKind,
        /// What it says, as JSON text or plain text.
        content: String,
    },
    /// The user typed one of our own commands into the chat: it opens no turn and reaches no model.
    Command {
        /// The words after the program's name: `undo`, `2`.
        words: Vec<String>,
    },
    /// The agent's own conversation has moved, by a rewind or the like done in the agent.
    ConversationMoved,
    /// An event this version does not know: kept and ignored.
    Unknown,
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSource {
    /// Anew.
    Startup,
    /// An earlier session is taken up again, or its process was started anew.
    Resume,
    /// It branches off another session.
    Fork,
}

/// Names one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool's name.
    pub name: String,
    /// The agent's own id of the call.
    pub id: Option<String>,
}

/// One tool call as it was announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Which.
    pub tool: ToolUse,
    /// What kind of tool it is.
    pub class: ToolClass,
    /// The shell command, if it runs one.
    pub command: Option<String>,
    /// The paths it is told to read, relative to `cwd` or absolute, as far as its arguments name them; what a shell
    /// command reads is not among them.
    pub reads: Vec<String>,
    /// One line that says what the call does.
    pub summary: String,
    /// Whether the call says that its work goes on after it has answered.
    pub is_background: bool,
}

/// What a tool may do to the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolClass {
    /// Nothing: it opens no window.
    ReadOnly,
    /// It changes the paths it names, relative to `cwd` or absolute.
    Structured {
        /// The paths.
        paths: Vec<String>,
    },
    /// It starts a subagent, whose own windows lie inside its window.
    SpawnsSubagent,
    /// Anything at all, like a shell.
    Open,
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResponse {
    /// Whether it failed.
    pub has_failed: bool,
    /// What the file held right before the tool wrote it, as the tool read it.
    pub original_file: Option<String>,
    /// How long the tool itself ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether something it started goes on.
    pub is_background: bool,
}

/// A payload that cannot be translated. Nothing was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranslateError {
    /// No agent of that name is known.
    #[error("Unknown agent: `{agent}`; the canonical shape is `generic`")]
    UnknownAgent {
        /// The name.
        agent: String,
    },
    /// The payload is no JSON.
    #[error("The event is no JSON, nothing was recorded: {reason}")]
    NotJson {
        /// What the parser said.
        reason: String,
    },
    /// The payload is JSON, but a part is missing or of another type.
    #[error("The event has no usable `{field}`, nothing was recorded")]
    MissingField {
        /// Which part.
        field: &'static str,
    },
}
