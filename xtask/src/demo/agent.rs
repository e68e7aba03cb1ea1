//! [`Agent`]: a scripted agent that says what it does in the canonical shape, as a real one does through its hooks.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::world::World;
use crate::Fault;

/// An agent at work in a world.
pub(crate) struct Agent<'a> {
    world: &'a World,
    calls: Cell<u32>,
}

impl<'a> Agent<'a> {
    /// Begins a session.
    pub(crate) fn start(world: &'a World) -> Result<Self, Fault> {
        let agent = Self { world, calls: Cell::new(0) };
        agent.send(json!({ "hook_event_name": "SessionStart", "source": "startup" }))?;
        Ok(agent)
    }

    /// A human asks for something.
    pub(crate) fn prompt(&self, prompt: &str) -> Result<(), Fault> {
        self.send(json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt, "prompt_id": "p1" }))
    }

    /// An edit tool replaces text in a file.
    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) -> Result<(), Fault> {
        println!("  edit   {path}");
        let file = self.world.project.join(path);
        let input = json!({ "file_path": file, "old_string": old, "new_string": new });
        self.call("Edit", input, || {
            let text = fs::read_to_string(&file)?;
            Ok(fs::write(&file, text.replace(old, new))?)
        })
    }

    /// A shell tool runs a command.
    pub(crate) fn shell(&self, command: &str) -> Result<(), Fault> {
        println!("  shell  {command}");
        self.call("Bash", json!({ "command": command }), || {
            let status = Command::new("sh").args(["-c", command]).current_dir(&self.world.project).status()?;
            if status.success() { Ok(()) } else { Err(format!("`{command}` failed").into()) }
        })
    }

    /// The turn is done.
    pub(crate) fn stop(&self) -> Result<(), Fault> {
        self.send(json!({ "hook_event_name": "Stop", "status": "completed" }))
    }

    fn call(&self, tool: &str, input: Value, work: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
        self.calls.set(self.calls.get() + 1);
        let id = format!("u{}", self.calls.get());
        let event =
            |name: &str| json!({ "hook_event_name": name, "tool_name": tool, "tool_use_id": id, "tool_input": input });
        self.send(event("PreToolUse"))?;
        work()?;
        self.send(event("PostToolUse"))
    }

    fn send(&self, mut event: Value) -> Result<(), Fault> {
        event["session_id"] = json!("demo");
        event["cwd"] = json!(self.world.project);
        let mut hook = self.world.command().args(["hook", "generic"]).stdin(Stdio::piped()).spawn()?;
        hook.stdin.take().ok_or("The hook has no input")?.write_all(event.to_string().as_bytes())?;
        if hook.wait()?.success() { Ok(()) } else { Err("A hook failed".into()) }
    }
}
