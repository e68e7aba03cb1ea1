//! [`Plans`]: what the model does, as values. A plan is a list of steps; each step is one reply.

use std::collections::BTreeMap;
use std::path::Path;

/// Plans by their names.
#[derive(Debug, Clone, Default)]
pub struct Plans {
    plans: BTreeMap<String, Vec<Step>>,
}

/// One reply of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub act: Act,
    /// Whether the reply waits until [`Mock::let_go`](super::Mock::let_go) is called.
    pub is_held: bool,
    /// Whether the reply counts so many tokens that the client has to compact the conversation.
    pub fills_context: bool,
}

/// What a reply does. Paths are relative to the workspace; every client gets the call that its own tools want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Says something, and by that ends the turn.
    Say(String),
    /// Runs a shell command.
    Shell(String),
    /// Runs a shell command that goes on while the turn does.
    Background(String),
    /// Writes a whole file with the client's tool for that.
    Write {
        /// Which.
        path: String,
        /// What it is to hold.
        text: String,
    },
    /// Replaces a piece of a file with the client's tool for that.
    Edit {
        /// Which.
        path: String,
        /// The piece.
        old: String,
        /// What is to stand there.
        new: String,
    },
    /// Reads a file.
    Read(String),
    /// Applies a patch in the form Codex wants it.
    Patch(String),
    /// Starts a subagent with this prompt and waits for it.
    Subagent(String),
    /// Several calls in one reply.
    Many(Vec<Act>),
    /// No reply but an HTTP status.
    Fail(u16),
}

impl Plans {
    /// No plan yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a plan, or puts it in the place of one with the same name.
    #[must_use]
    pub fn with(mut self, name: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.plans.insert(name.to_owned(), steps.into_iter().collect());
        self
    }

    pub(super) fn steps(&self, name: &str) -> &[Step] {
        self.plans.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Step {
    /// The same step, but its reply waits until [`Mock::let_go`](super::Mock::let_go) is called.
    #[must_use]
    pub fn held(self) -> Self {
        Self { is_held: true, ..self }
    }

    /// The same step, but after its reply the client finds the context full.
    #[must_use]
    pub fn filling(self) -> Self {
        Self { fills_context: true, ..self }
    }
}

impl From<Act> for Step {
    fn from(act: Act) -> Self {
        Self { act, is_held: false, fills_context: false }
    }
}

/// Says something.
pub fn say(text: &str) -> Step {
    Act::Say(text.to_owned()).into()
}

/// Runs a shell command in the workspace.
pub fn shell(command: &str) -> Step {
    Act::Shell(command.to_owned()).into()
}

/// Runs a shell command that goes on while the turn does.
pub fn background(command: &str) -> Step {
    Act::Background(command.to_owned()).into()
}

/// Writes a whole file.
pub fn write(path: &str, text: &str) -> Step {
    Act::Write { path: path.to_owned(), text: text.to_owned() }.into()
}

/// Replaces a piece of a file.
pub fn edit(path: &str, old: &str, new: &str) -> Step {
    Act::Edit { path: path.to_owned(), old: old.to_owned(), new: new.to_owned() }.into()
}

/// Reads a file.
pub fn read(path: &str) -> Step {
    Act::Read(path.to_owned()).into()
}

/// Applies a patch in the form Codex wants it.
pub fn patch(text: &str) -> Step {
    Act::Patch(text.to_owned()).into()
}

/// Starts a subagent that follows a plan of its own, and waits for it.
pub fn subagent(plan: &str) -> Step {
    Act::Subagent(format!("Work. {}", mark(plan))).into()
}

/// Several calls in one reply.
pub fn many(steps: impl IntoIterator<Item = Step>) -> Step {
    Act::Many(steps.into_iter().map(|step| step.act).collect()).into()
}

/// No reply but an HTTP status.
pub fn fail(status: u16) -> Step {
    Act::Fail(status).into()
}

/// The words by which a prompt names a plan.
fn mark(plan: &str) -> String {
    format!("[[plan:{plan}]]")
}

/// The plan that a text names; the last one, if there are several.
pub(super) fn plan_named_in(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("[[plan:")?;
    rest.split_once("]]").map(|(name, _)| name)
}

/// A path of the workspace as tools want it that take no relative one.
pub(super) fn absolute(workspace: &Path, path: &str) -> String {
    workspace.join(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_plan_that_is_named_counts() {
        assert_eq!(plan_named_in("P1 [[plan:one]] and [[plan:two]] now"), Some("two"));
        assert_eq!(plan_named_in("P1 [[plan:"), None);
        assert_eq!(plan_named_in(&mark("three")), Some("three"));
    }
}
