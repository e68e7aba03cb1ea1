//! [`Chat`]: the conversation. One line of the person is one turn; the model is asked with the context that takeback
//! gives, so that it never knows of what was taken back.

use model::{MessageKind, TurnStatus};
use takeback::{HostSession, HostTurn, NewEntry, SaidView, Workspace, now_ns};

use crate::input::{Input, say};
use crate::model::{Model, Wish};
use crate::{Failure, slash};

/// How often the model may ask for a tool in one turn.
const CALLS_MAX: usize = 20;

/// A chat in one folder.
pub(crate) struct Chat<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) session: HostSession<'a>,
    pub(crate) input: Input,
    /// A prompt that was withdrawn and waits in the input line.
    pub(crate) withdrawn: Option<String>,
    model: Model,
}

/// What becomes of the chat after a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Quit,
}

impl<'a> Chat<'a> {
    /// Begins the chat of a folder, or takes it up where it was left.
    pub(crate) fn begin(workspace: &'a Workspace, model: Model, input: Input) -> Result<Self, Failure> {
        let session = workspace.begin_session("example-chat", "chat")?;
        session.said.iter().for_each(|sentence| say(sentence));
        Ok(Self { workspace, session, input, withdrawn: None, model })
    }

    /// Talks until the person has had enough.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        self.show()?;
        while let Some(line) = self.next_line()? {
            let next = match line.strip_prefix('/') {
                Some(command) => slash::run(&mut self, command)?,
                None if line.trim().is_empty() => Next::GoOn,
                None => self.turn(&line)?,
            };
            if next == Next::Quit {
                break;
            }
        }
        self.session.end()?;
        Ok(())
    }

    /// Shows the conversation as it is now: what was taken back is not in it.
    pub(crate) fn show(&self) -> Result<(), Failure> {
        for entry in self.workspace.transcript(self.session.id)?.entries {
            show(&entry);
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<Option<String>, Failure> {
        Ok(match self.withdrawn.take() {
            Some(prompt) => self.input.ask_with(&prompt)?,
            None => self.input.ask("> ")?,
        })
    }

    fn turn(&self, prompt: &str) -> Result<Next, Failure> {
        let turn = self.session.begin_turn(prompt)?;
        let answered = self.answer(&turn);
        let status = if answered.is_ok() { TurnStatus::Completed } else { TurnStatus::Failed };
        turn.end(status)?;
        answered.map(|()| Next::GoOn)
    }

    /// Asks the model, and runs what it wants to be run, until it has said its last word.
    fn answer(&self, turn: &HostTurn<'_>) -> Result<(), Failure> {
        for _ in 0..CALLS_MAX {
            let context = self.workspace.context(self.session.id)?;
            match self.model.ask(&context.entries) {
                Wish::Call(tool) => {
                    say(&format!("  {}", tool.summary()));
                    let answer = tool.run(turn, self.workspace.root_path())?;
                    self.append("tool", MessageKind::Tool, &answer)?;
                }
                Wish::Say(text) => {
                    say(&text);
                    return self.append("assistant", MessageKind::Assistant, &text);
                }
            }
        }
        Err("The model asked for too many tools".into())
    }

    fn append(&self, role: &str, kind: MessageKind, content: &str) -> Result<(), Failure> {
        let id = format!("chat-{}", now_ns());
        let entry = NewEntry { id: &id, parent: None, turn: None, role, kind, content: content.as_bytes() };
        Ok(self.workspace.append_entries(self.session.id, &[entry])?)
    }
}

fn show(entry: &SaidView) {
    let text = String::from_utf8_lossy(&entry.payload);
    match entry.kind {
        MessageKind::Prompt => say(&format!("> {text}")),
        MessageKind::Tool => say(&format!("  ({})", text.lines().last().unwrap_or_default())),
        MessageKind::Injected | MessageKind::Compaction => say(&format!("  [{text}]")),
        MessageKind::Assistant => say(&text),
    }
}
