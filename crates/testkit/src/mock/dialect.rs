//! What the three protocols have in common: a request is read into lines, a step is chosen by them, and the step
//! becomes calls of the tools that the request offers.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::history::{Line, Role};
use super::plan::{Act, Plans, Step, absolute, plan_named_in};

/// A protocol that clients speak.
pub(super) trait Dialect: Sync {
    /// The history in a request.
    fn lines(&self, body: &Value) -> Vec<Line>;

    /// The names of the tools that a request offers.
    fn tools(&self, body: &Value) -> BTreeSet<String>;

    /// The reply as the events of a stream, each with its name if the protocol names them.
    fn stream(&self, reply: &Reply<'_>) -> Vec<StreamEvent>;

    /// The reply in one piece.
    fn whole(&self, reply: &Reply<'_>) -> Value;
}

/// What is to be replied.
pub(super) struct Reply<'a> {
    /// The request.
    pub(super) body: &'a Value,
    /// A number no other reply has.
    pub(super) number: u64,
    /// What is said, if nothing is called.
    pub(super) text: String,
    /// What is called.
    pub(super) calls: Vec<Call>,
    /// How many tokens the request is said to have had.
    pub(super) tokens: u64,
}

/// What a request is said to have had, unless it fills the context.
pub(super) const TOKENS_FEW: u64 = 1_000;
/// More than any client lets into a context.
pub(super) const TOKENS_MANY: u64 = 10_000_000;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) name: String,
    /// What it gets: an object, or for tools of free form a text.
    pub(super) input: Value,
}

/// One event of a stream.
pub(super) struct StreamEvent {
    /// Its name, where the protocol has names.
    pub(super) name: Option<String>,
    /// What it says.
    pub(super) data: String,
}

impl Call {
    pub(super) fn new(name: &str, input: Value) -> Self {
        Self { name: name.to_owned(), input }
    }

    /// Whether the tool takes a text of free form.
    pub(super) fn is_free_form(&self) -> bool {
        self.input.is_string()
    }
}

impl StreamEvent {
    /// An event whose name is its type.
    pub(super) fn typed(data: &Value) -> Self {
        Self { name: data["type"].as_str().map(str::to_owned), data: data.to_string() }
    }

    /// An event without a name.
    pub(super) fn nameless(data: &Value) -> Self {
        Self { name: None, data: data.to_string() }
    }
}

/// The step that a history has come to; none if its plan is done or it names none.
pub(super) fn step<'a>(plans: &'a Plans, lines: &[Line], kit: &Kit<'_>) -> Option<&'a Step> {
    let named = |line: &Line| if line.role == Role::User { plan_named_in(&line.text).map(str::to_owned) } else { None };
    let (at, name) = lines.iter().enumerate().rev().find_map(|(at, line)| Some((at, named(line)?)))?;
    let mut results = lines[at..].iter().filter(|line| line.role == Role::Result).count();
    plans.steps(&name).iter().find(|step| {
        let width = kit.calls(&step.act).len();
        let is_done = width > 0 && results >= width;
        results = results.saturating_sub(width);
        !is_done
    })
}

/// The tools that a request offers, and the workspace they are used in.
pub(super) struct Kit<'a> {
    /// Their names.
    pub(super) tools: BTreeSet<String>,
    /// The workspace.
    pub(super) workspace: &'a Path,
}

impl Kit<'_> {
    /// The calls that do what an act says; none if it only talks, or if the tool for it is not offered.
    pub(super) fn calls(&self, act: &Act) -> Vec<Call> {
        if self.offers("exec") && !self.offers("exec_command") {
            return self.code(act).into_iter().collect();
        }
        self.plain_calls(act)
    }

    /// In code mode everything is one call with a piece of JavaScript that uses the other tools.
    fn code(&self, act: &Act) -> Option<Call> {
        let inner = Kit { tools: ["exec_command", "apply_patch"].map(str::to_owned).into(), workspace: self.workspace };
        let calls = inner.plain_calls(act);
        let line = |call: &Call| format!("text(JSON.stringify(await tools.{}({})));\n", call.name, call.input);
        let code: String = calls.iter().map(line).collect();
        (!calls.is_empty()).then(|| Call::new("exec", code.into()))
    }

    fn plain_calls(&self, act: &Act) -> Vec<Call> {
        match act {
            Act::Many(acts) => acts.iter().flat_map(|act| self.plain_calls(act)).collect(),
            Act::Say(_) | Act::Fail(_) => Vec::new(),
            Act::Shell(command) => self.shell(command).into_iter().collect(),
            Act::Background(command) => self.background(command).into_iter().collect(),
            Act::Write { path, text } => self.write(path, text).into_iter().collect(),
            Act::Edit { path, old, new } => self.edit(path, old, new).into_iter().collect(),
            Act::Read(path) => self.read(path).into_iter().collect(),
            Act::Patch(text) => vec![Call::new("apply_patch", text.as_str().into())],
            Act::Subagent(prompt) => self.subagent(prompt).into_iter().collect(),
        }
    }

    fn offers(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// The first of these calls whose tool is offered.
    fn first(&self, calls: impl IntoIterator<Item = (&'static str, Value)>) -> Option<Call> {
        calls.into_iter().find(|(name, _)| self.offers(name)).map(|(name, input)| Call::new(name, input))
    }

    fn shell(&self, command: &str) -> Option<Call> {
        let described = json!({ "command": command, "description": "as planned" });
        self.first([("exec_command", json!({ "cmd": command })), ("Bash", described.clone()), ("bash", described)])
    }

    fn background(&self, command: &str) -> Option<Call> {
        self.first([
            ("Bash", json!({ "command": command, "description": "as planned", "run_in_background": true })),
            ("exec_command", json!({ "cmd": command, "yield_time_ms": 250 })),
        ])
    }

    fn write(&self, path: &str, text: &str) -> Option<Call> {
        let file = absolute(self.workspace, path);
        let added: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch");
        self.first([
            ("Write", json!({ "file_path": file, "content": text })),
            ("write", json!({ "filePath": file, "content": text })),
            ("apply_patch", patch.into()),
        ])
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Option<Call> {
        let file = absolute(self.workspace, path);
        let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch");
        self.first([
            ("Edit", json!({ "file_path": file, "old_string": old, "new_string": new })),
            ("edit", json!({ "filePath": file, "oldString": old, "newString": new })),
            ("apply_patch", patch.into()),
        ])
    }

    fn read(&self, path: &str) -> Option<Call> {
        let file = absolute(self.workspace, path);
        self.first([("Read", json!({ "file_path": file })), ("read", json!({ "filePath": file }))])
            .or_else(|| self.shell(&format!("cat '{file}'")))
    }

    fn subagent(&self, prompt: &str) -> Option<Call> {
        let general = |kind: &str| json!({ "description": "as planned", "subagent_type": kind, "prompt": prompt });
        self.first([
            ("Agent", general("general-purpose")),
            ("Task", general("general-purpose")),
            ("task", general("general")),
            ("spawn_agent", json!({ "message": prompt })),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::plan::{many, say, shell, write};

    fn kit(tools: &[&str]) -> Kit<'static> {
        Kit { tools: tools.iter().map(|tool| (*tool).to_owned()).collect(), workspace: Path::new("/ws") }
    }

    fn history(results: usize) -> Vec<Line> {
        let result = Line::text(Role::Result, "{}");
        let prompt = |text| Line::text(Role::User, text);
        [prompt("P1 [[plan:old]]"), result.clone(), prompt("P2 [[plan:new]]")]
            .into_iter()
            .chain(std::iter::repeat_n(result, results))
            .collect()
    }

    #[test]
    fn the_step_follows_from_the_results_after_the_last_prompt() {
        let (first, last) = (many([shell("a"), shell("b")]), say("done"));
        let plans = Plans::new().with("new", [first.clone(), shell("c"), last.clone()]);
        let at = |results| step(&plans, &history(results), &kit(&["bash"]));
        assert_eq!(at(0), Some(&first));
        assert_eq!(at(2), Some(&shell("c")));
        assert_eq!(at(3), Some(&last));
        assert_eq!(step(&plans, &history(0)[..1], &kit(&["bash"])), None);
    }

    #[test]
    fn in_code_mode_several_acts_are_one_call() {
        let acts = many([shell("a"), write("b.txt", "b\n")]).act;
        let calls = kit(&["exec"]).calls(&acts);
        assert_eq!(calls.len(), 1);
        let code = calls[0].input.as_str().expect("code is a text");
        assert!(code.contains(r#"tools.exec_command({"cmd":"a"})"#), "{code}");
        assert!(code.contains("Add File: b.txt"), "{code}");
        assert_eq!(kit(&["exec_command", "apply_patch"]).calls(&acts).len(), 2);
    }
}
