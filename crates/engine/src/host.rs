//! The typed way in for hosts that drive a session themselves: begin and end turns and steps without writing events by
//! hand. Each call is one event; what it means is in `record`.

use agents::{Event, EventKind, StartSource, ToolCall, ToolClass, ToolResponse, ToolUse};
use model::{SessionId, TurnStatus};

use crate::error::RecordError;
use crate::record::{self, Received};
use crate::workspace::Workspace;

/// One line of work with one agent, driven by the host.
pub struct HostSession<'a> {
    workspace: &'a Workspace,
    agent: String,
    native: String,
    /// The session's id in this workspace.
    pub id: SessionId,
    /// What was said when it began.
    pub said: Vec<String>,
}

/// A turn that is open.
pub struct HostTurn<'a> {
    session: &'a HostSession<'a>,
    prompt_id: String,
    steps: std::cell::Cell<u32>,
}

/// A step whose window is open.
pub struct HostStep<'a> {
    turn: &'a HostTurn<'a>,
    call: ToolCall,
}

impl Workspace {
    /// Begins a session, or takes the one of this id up again.
    ///
    /// `agent` names the host, `native` is the host's own id of the session. Everything in the workspace is captured
    /// before this returns.
    pub fn begin_session(&self, agent: &str, native: &str) -> Result<HostSession<'_>, RecordError> {
        let event =
            event_of(self, agent, native, EventKind::SessionStart { source: StartSource::Startup, parent: None });
        let mut said = record::record(self, &event)?.said;
        said.extend(crate::first_capture::finish(self)?);
        let known = self.store.read()?.session_by_native(agent, native)?;
        let id = known.ok_or(RecordError::Contended)?.id;
        Ok(HostSession { workspace: self, agent: agent.to_owned(), native: native.to_owned(), id, said })
    }
}

impl HostSession<'_> {
    /// Opens a turn with a human prompt. An unfinished turn of the session ends as interrupted.
    pub fn begin_turn(&self, prompt: &str) -> Result<HostTurn<'_>, RecordError> {
        self.open_turn(prompt, None)
    }

    /// The same for a prompt that is more than its text, such as one with images.
    ///
    /// `content` is what the model gets, in the host's own form, and is the prompt's entry in the conversation, byte for
    /// byte. When the turn is taken back it is handed back with the text.
    pub fn begin_turn_with(&self, prompt: &str, content: &[u8]) -> Result<HostTurn<'_>, RecordError> {
        self.open_turn(prompt, Some(content.to_vec()))
    }

    /// Leaves the session. It can be taken up again by its id.
    pub fn end(self) -> Result<Received, RecordError> {
        self.send(EventKind::SessionEnd)
    }

    fn open_turn(&self, prompt: &str, content: Option<Vec<u8>>) -> Result<HostTurn<'_>, RecordError> {
        let prompt_id = format!("{}-{:016x}", self.native, disk::random_u64());
        self.send(EventKind::Prompt { text: prompt.to_owned(), id: Some(prompt_id.clone()), content })?;
        Ok(HostTurn { session: self, prompt_id, steps: std::cell::Cell::new(0) })
    }

    fn send(&self, kind: EventKind) -> Result<Received, RecordError> {
        record::record(self.workspace, &event_of(self.workspace, &self.agent, &self.native, kind))
    }
}

impl HostTurn<'_> {
    /// Opens the window of a step that may change anything, such as a shell command.
    pub fn begin_step(&self, tool: &str, command: &str) -> Result<HostStep<'_>, RecordError> {
        self.begin(tool, ToolClass::Open, Some(command.to_owned()), command)
    }

    /// Opens the window of a step that changes the paths it names, relative to the root or absolute.
    pub fn begin_edit(&self, tool: &str, paths: &[&str]) -> Result<HostStep<'_>, RecordError> {
        let class = ToolClass::Structured { paths: paths.iter().map(|path| (*path).to_owned()).collect() };
        self.begin(tool, class, None, &paths.join(" "))
    }

    /// Closes the turn.
    pub fn end(self, status: TurnStatus) -> Result<Received, RecordError> {
        self.session.send(EventKind::Stop { status, background_tasks: None })
    }

    fn begin(
        &self,
        tool: &str,
        class: ToolClass,
        command: Option<String>,
        summary: &str,
    ) -> Result<HostStep<'_>, RecordError> {
        let number = self.steps.get() + 1;
        self.steps.set(number);
        let tool = ToolUse { name: tool.to_owned(), id: Some(format!("{}-{number}", self.prompt_id)) };
        let call =
            ToolCall { tool, class, command, reads: Vec::new(), summary: summary.to_owned(), is_background: false };
        self.session.send(EventKind::BeforeTool(call.clone()))?;
        Ok(HostStep { turn: self, call })
    }
}

impl HostStep<'_> {
    /// Closes the window: what changed while it was open is this step's.
    pub fn end(self, has_failed: bool) -> Result<Received, RecordError> {
        let response = ToolResponse { has_failed, ..ToolResponse::default() };
        self.turn.session.send(EventKind::AfterTool { call: self.call, response })
    }
}

fn event_of(workspace: &Workspace, agent: &str, native: &str, kind: EventKind) -> Event {
    Event {
        agent: agent.to_owned(),
        name: "Host".to_owned(),
        session: native.to_owned(),
        agent_id: None,
        turn_id: None,
        cwd: Some(workspace.root_path().to_string_lossy().into_owned()),
        transcript: None,
        kind,
        raw: String::new(),
    }
}
