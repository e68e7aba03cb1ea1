//! [`Agent`]: a scripted agent. It announces what it does as real agents do, in the canonical shape, and does it.

use std::process::Command;

use serde_json::{Map, Value, json};

use crate::program::Ran;
use crate::world::World;

/// An agent in one session.
#[derive(Debug)]
pub struct Agent<'a> {
    world: &'a World,
    session: String,
    turns: usize,
}

/// One turn of an agent, from its prompt on.
#[derive(Debug)]
pub struct Turn<'a> {
    world: &'a World,
    session: String,
    /// The agent's own id of it.
    pub key: String,
    subagent: Option<String>,
    uses: usize,
}

impl<'a> Agent<'a> {
    pub(crate) fn start(world: &'a World, session: &str) -> Self {
        let agent = Self { world, session: session.to_owned(), turns: 0 };
        agent.send("SessionStart", json!({ "source": "startup" }));
        agent
    }

    /// Does one whole turn.
    pub fn turn(&mut self, prompt: &str, work: impl FnOnce(&mut Turn<'a>)) {
        let mut turn = self.begin_turn(prompt);
        work(&mut turn);
        turn.end("completed");
    }

    /// Opens a turn that is ended by hand, or never.
    pub fn begin_turn(&mut self, prompt: &str) -> Turn<'a> {
        self.turns += 1;
        let key = format!("{}.p{}", self.session, self.turns);
        self.send("UserPromptSubmit", json!({ "prompt": prompt, "prompt_id": key }));
        self.send("Message", json!({ "id": key, "role": "user", "kind": "prompt", "content": prompt }));
        Turn { world: self.world, session: self.session.clone(), key, subagent: None, uses: 0 }
    }

    /// Says one event of its session.
    pub fn send(&self, event: &str, fields: Value) -> Ran {
        send(self.world, &self.session, event, fields)
    }
}

impl<'a> Turn<'a> {
    /// Lets a subagent work, which is called and ends here.
    pub fn spawn(&mut self, id: &str, work: impl FnOnce(&mut Turn<'a>)) {
        let call = self.begin("Task", json!({ "prompt": id }));
        let mut child = self.begin_subagent(id);
        work(&mut child);
        self.send("SubagentStop", json!({ "agent_id": id }));
        self.finish(call);
    }

    /// A subagent begins to work; who called it is said before.
    pub fn begin_subagent(&mut self, id: &str) -> Turn<'a> {
        self.send("SubagentStart", json!({ "agent_id": id, "parent_agent_id": self.subagent }));
        Turn {
            world: self.world,
            session: self.session.clone(),
            key: self.key.clone(),
            subagent: Some(id.to_owned()),
            uses: 0,
        }
    }

    /// Says one event of the turn's session.
    pub fn send(&self, event: &str, fields: Value) -> Ran {
        send(self.world, &self.session, event, fields)
    }

    /// Writes a file as a structured tool does.
    pub fn write(&mut self, path: &str, text: &str) {
        let input = json!({ "file_path": self.world.at(path).to_string_lossy(), "content": text });
        let call = self.begin("Write", input);
        self.world.write(path, text);
        self.finish(call);
    }

    /// Runs a shell command.
    pub fn shell(&mut self, command: &str) {
        let call = self.begin("Bash", json!({ "command": command }));
        let ran = Command::new("sh").args(["-c", command]).current_dir(self.world.workspace()).status();
        assert!(ran.expect("a shell can be run").success(), "`{command}` failed");
        self.finish(call);
    }

    /// Announces a call: its window is open until it is finished.
    pub fn begin(&mut self, tool: &str, input: Value) -> Value {
        self.uses += 1;
        let id = format!("{}.{}u{}", self.key, self.subagent.as_deref().unwrap_or_default(), self.uses);
        let mut call = json!({ "tool_name": tool, "tool_use_id": id, "tool_input": input, "turn_id": self.key });
        if let Some(subagent) = &self.subagent {
            call["agent_id"] = subagent.as_str().into();
        }
        send(self.world, &self.session, "PreToolUse", call.clone());
        call
    }

    /// Says that a call has ended.
    pub fn finish(&self, call: Value) {
        send(self.world, &self.session, "PostToolUse", call);
    }

    /// Ends the turn.
    pub fn end(self, status: &str) {
        send(self.world, &self.session, "Stop", json!({ "status": status, "turn_id": self.key }));
    }
}

fn send(world: &World, session: &str, event: &str, fields: Value) -> Ran {
    let mut object = Map::new();
    object.insert("hook_event_name".to_owned(), event.into());
    object.insert("session_id".to_owned(), session.into());
    object.insert("cwd".to_owned(), world.workspace().to_string_lossy().into());
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    world.hook(Value::Object(object).to_string().as_bytes()).expect(0)
}
