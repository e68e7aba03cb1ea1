//! Sessions of an agent that keeps its conversation itself, here Claude Code: its transcript is followed, its
//! conversation is cut by a copy, and what happens in the agent without us is noticed.

use std::fs;
use std::path::PathBuf;

use model::{Outcome, Scope, SessionId, TurnId};
use serde_json::{Value, json};
use takeback::{
    AgentHome, Agreement, ConversationResult, Environment, Order, Permits, Received, Report, Selection, Takeback,
    Trouble, Workspace,
};

use crate::world::World;

const UNDO: Selection = Selection::UndoTurns { count: 1 };
const REDO: Selection = Selection::Redo { count: 1 };

/// A client that writes its transcript and calls its hooks as Claude Code does.
struct Client<'a> {
    world: &'a World,
    /// The session it is in.
    session: String,
    /// The row it goes on from.
    leaf: Option<String>,
}

impl<'a> Client<'a> {
    fn begin(world: &'a World, session: &str) -> Self {
        let client = Self { world, session: session.to_owned(), leaf: None };
        fs::create_dir_all(client.projects()).unwrap();
        client.send("SessionStart", &json!({ "source": "startup" }));
        client
    }

    /// Takes a session up as another process of the client would.
    fn resume(world: &'a World, session: &str) -> Self {
        let client = Self { world, session: session.to_owned(), leaf: None };
        let leaf = client.rows().last().and_then(|row| row["uuid"].as_str().map(str::to_owned));
        let client = Self { leaf, ..client };
        client.send("SessionStart", &json!({ "source": "resume" }));
        client
    }

    fn projects(&self) -> PathBuf {
        self.world.folder.path().join("home/.claude/projects/p")
    }

    fn transcript(&self) -> PathBuf {
        self.projects().join(format!("{}.jsonl", self.session))
    }

    fn rows(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.transcript()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn prompts(&self) -> Vec<String> {
        let rows = self.rows();
        let prompts = rows.iter().filter(|row| row["promptId"].is_string());
        prompts.map(|row| row["promptId"].as_str().unwrap().to_owned()).collect()
    }

    fn send(&self, name: &str, more: &Value) -> Received {
        let mut event = json!({
            "hook_event_name": name,
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.world.root,
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        takeback(self.world).receive("claude-code", event.to_string().as_bytes()).unwrap()
    }

    fn write(&mut self, id: &str, row: Value) {
        let mut row = row;
        row["uuid"] = id.into();
        row["parentUuid"] = self.leaf.clone().map_or(Value::Null, Value::from);
        row["version"] = "2.1.332".into();
        let before = fs::read_to_string(self.transcript()).unwrap_or_default();
        fs::write(self.transcript(), format!("{before}{row}\n")).unwrap();
        self.leaf = Some(id.to_owned());
    }

    /// A whole turn whose one shell command does `act`.
    fn turn(&mut self, prompt: &str, act: impl FnOnce(&World)) -> Received {
        let received = self.prompt(prompt);
        let tool = json!({ "prompt_id": prompt, "tool_name": "Bash", "tool_use_id": format!("{prompt}-call"),
            "tool_input": { "command": "do it" } });
        self.send("PreToolUse", &tool);
        act(self.world);
        self.send("PostToolUse", &tool);
        self.answer(prompt);
        self.send("Stop", &json!({ "prompt_id": prompt }));
        received
    }

    fn prompt(&mut self, prompt: &str) -> Received {
        let received =
            self.send("UserPromptSubmit", &json!({ "prompt_id": prompt, "prompt": format!("say {prompt}") }));
        self.write(
            &format!("{prompt}-row"),
            json!({ "type": "user", "promptId": prompt, "message": { "role": "user", "content": format!("say {prompt}") } }),
        );
        received
    }

    fn answer(&mut self, prompt: &str) {
        self.write(
            &format!("{prompt}-answer"),
            json!({ "type": "assistant", "message": { "role": "assistant", "content": [{ "type": "text", "text": "done" }] } }),
        );
    }
}

fn takeback(world: &World) -> Takeback {
    let folder = world.folder.path();
    Takeback::new(Environment {
        state_folder: folder.join("state"),
        config_folder: None,
        home_folder: Some(folder.join("home")),
        temp_folder: folder.join("temp"),
        helper_program: None,
        watcher: takeback::WatcherChoice::Off,
        agent_home: AgentHome { home_folder: folder.join("home"), ..AgentHome::default() },
        speaks_from_chat: false,
        is_inside_step: false,
    })
}

fn workspace(world: &World) -> Workspace {
    takeback(world).workspace_at(&world.root).unwrap()
}

fn order(selection: Selection, scope: Scope) -> Order {
    Order { session: None, selection, scope, policy: None, memory: None, permits: Permits::NONE }
}

fn apply(world: &World, selection: Selection) -> Report {
    apply_scope(world, selection, Scope::Both)
}

fn apply_scope(world: &World, selection: Selection, scope: Scope) -> Report {
    workspace(world).apply(&order(selection, scope), Agreement::Whatever, &mut |_, _| {}).unwrap()
}

fn writes(name: &'static str, text: &'static str) -> impl FnOnce(&World) {
    move |world| fs::write(world.root.join(name), text).unwrap()
}

fn native(report: &Report) -> String {
    report.conversation.at_agent.as_ref().expect("the agent is told where to go on").native.clone()
}

/// The prompts on the version the session stands on.
fn context(world: &World) -> Vec<String> {
    let workspace = workspace(world);
    let session = workspace.newest_session().unwrap().unwrap();
    let entries = workspace.context(session).unwrap().entries;
    entries.into_iter().filter(|entry| entry.kind == model::MessageKind::Prompt).map(|entry| entry.id).collect()
}

/// Two turns: `a` is made, then `b`.
fn two_turns(world: &World) -> Client<'_> {
    let mut client = Client::begin(world, "one");
    client.turn("p1", writes("a", "1"));
    client.turn("p2", writes("b", "2"));
    client
}

#[test]
fn an_undo_makes_a_copy_of_the_transcript_that_ends_before_the_prompt() {
    let world = World::new();
    let client = two_turns(&world);
    let before = fs::read(client.transcript()).unwrap();
    let report = apply(&world, UNDO);
    assert_eq!((report.outcome, report.conversation.result), (Outcome::Done, ConversationResult::Staged));
    assert!(!world.root.join("b").exists() && world.root.join("a").exists());
    assert_eq!(fs::read(client.transcript()).unwrap(), before);
    let copy = client.projects().join(format!("{}.jsonl", native(&report)));
    let copied = fs::read(copy).unwrap();
    assert!(before.starts_with(&copied), "the copy is the old one's beginning, byte for byte");
    assert_eq!(Client { session: native(&report), ..client }.prompts(), ["p1"]);
    assert_eq!(report.conversation.prompts, ["say p2"]);
}

#[test]
fn a_redo_leads_back_to_the_old_session() {
    let world = World::new();
    two_turns(&world);
    apply(&world, UNDO);
    let report = apply(&world, REDO);
    assert_eq!((report.outcome, report.conversation.result), (Outcome::Done, ConversationResult::Done));
    assert_eq!(native(&report), "one");
    assert!(world.root.join("b").exists());
    assert_eq!(context(&world), ["p1", "p2"]);
}

#[test]
fn a_turn_in_the_copy_belongs_to_the_same_session_and_absorbs_the_cut() {
    let world = World::new();
    two_turns(&world);
    let copy = native(&apply(&world, UNDO));
    let received = Client::resume(&world, &copy).turn("p3", writes("c", "3"));
    assert!(received.tell.expect("the model is told what changed under it").contains("b"));
    assert_eq!(context(&world), ["p1", "p3"]);
    assert_eq!(workspace(&world).sessions().unwrap().len(), 1);
    assert_eq!(apply(&world, REDO).outcome, Outcome::Nothing);
    assert_eq!(apply(&world, UNDO).turns, [TurnId(3)]);
}

#[test]
fn a_prompt_in_the_old_session_lifts_the_cut_and_leaves_the_files() {
    let world = World::new();
    let mut client = two_turns(&world);
    apply(&world, UNDO);
    let received = client.turn("p3", writes("c", "3"));
    assert!(received.tell.expect("the model is told").contains("went on from them"));
    assert_eq!(context(&world), ["p1", "p2", "p3"]);
    assert!(!world.root.join("b").exists() && world.root.join("c").exists());
}

#[test]
fn the_model_is_told_once() {
    let world = World::new();
    let mut client = two_turns(&world);
    apply_scope(&world, UNDO, Scope::Files);
    assert!(client.turn("p3", |_| ()).tell.is_some());
    assert_eq!(client.turn("p4", |_| ()).tell, None);
}

#[test]
fn a_rewind_in_the_client_is_followed_and_the_files_are_offered() {
    let world = World::new();
    let mut client = two_turns(&world);
    client.leaf = Some("p1-answer".to_owned());
    client.turn("p3", |_| ());
    assert_eq!(context(&world), ["p1", "p3"]);
    assert!(world.root.join("b").exists(), "nothing is done unasked");
    let report = apply_scope(&world, Selection::Rewind { turn: TurnId(2) }, Scope::Files);
    assert_eq!(report.outcome, Outcome::Done);
    assert!(!world.root.join("b").exists());
}

#[test]
fn a_conflict_leaves_no_copy_behind() {
    let world = World::new();
    let mut client = Client::begin(&world, "one");
    client.turn("p1", writes("a", "1\n"));
    client.turn("p2", writes("a", "2\n"));
    fs::write(world.root.join("a"), "somebody else's\n").unwrap();
    let report = apply(&world, UNDO);
    assert_eq!(report.outcome, Outcome::Conflict);
    assert_eq!(fs::read_dir(client.projects()).unwrap().count(), 1);
}

#[test]
fn a_transcript_that_is_not_understood_leaves_the_files() {
    let world = World::new();
    let mut client = two_turns(&world);
    fs::write(client.transcript(), "{\"type\":\"user\",\"message\":{},\"leafUuid\":1}\n").unwrap();
    let said = client.send("Stop", &json!({ "prompt_id": "p2" })).said;
    assert!(said.iter().any(|sentence| sentence.contains("Only files")), "{said:?}");
    let report = apply(&world, UNDO);
    assert_eq!((report.outcome, report.conversation.result), (Outcome::Done, ConversationResult::Unsupported));
    assert!(!world.root.join("b").exists());
    assert_eq!(apply(&world, REDO).outcome, Outcome::Done);
    assert!(world.root.join("b").exists());
    client.leaf = None;
}

#[test]
fn a_client_at_work_is_left_alone_and_one_that_is_gone_holds_nothing_up() {
    let world = World::new();
    let client = two_turns(&world);
    let sign = world.folder.path().join("home/.claude/sessions/1.json");
    fs::create_dir_all(sign.parent().unwrap()).unwrap();
    let life = |pid: u32, status: &str| json!({ "pid": pid, "sessionId": "one", "status": status }).to_string();
    fs::write(&sign, life(std::process::id(), "busy")).unwrap();
    let refused = apply(&world, UNDO);
    assert_eq!((refused.outcome, refused.trouble), (Outcome::Refused, Some(Trouble::AgentAtWork)));
    // A command that never answered, of a process that is gone.
    client.send(
        "PreToolUse",
        &json!({ "prompt_id": "p2", "tool_name": "Bash", "tool_use_id": "u", "tool_input": { "command": "x" } }),
    );
    fs::write(&sign, life(u32::MAX >> 1, "busy")).unwrap();
    assert_eq!(apply(&world, UNDO).outcome, Outcome::Done);
}

/// Another session that goes on from the first of two turns, with a turn of its own.
fn branch_off(world: &World) {
    let client = Client { world, session: "one".to_owned(), leaf: None };
    fs::write(client.projects().join("two.jsonl"), first_turn(&client)).unwrap();
    Client::resume(world, "two").turn("p3", writes("c", "3"));
}

/// The rows of a transcript's first turn.
fn first_turn(client: &Client<'_>) -> String {
    let text = fs::read_to_string(client.transcript()).unwrap();
    text.lines().take(2).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_session_that_begins_with_turns_of_another_branched_off_it() {
    let world = World::new();
    two_turns(&world);
    branch_off(&world);
    let sessions = workspace(&world).sessions().unwrap();
    assert_eq!(sessions.iter().map(|session| session.parent).collect::<Vec<_>>(), [None, Some(SessionId(1))]);
    assert_eq!(context(&world), ["p1", "p3"]);
    assert_eq!(apply(&world, Selection::UndoTurns { count: 2 }).turns, [TurnId(1), TurnId(3)]);
    assert!(world.root.join("b").exists(), "what the other session did stays");
}

#[test]
fn a_prompt_that_was_blocked_elsewhere_leaves_no_turn() {
    let world = World::new();
    let mut client = two_turns(&world);
    client.send("UserPromptSubmit", &json!({ "prompt_id": "blocked", "prompt": "never seen" }));
    client.turn("p3", writes("c", "3"));
    let prompts: Vec<_> = workspace(&world).log(None, None).unwrap().into_iter().map(|turn| turn.prompt).collect();
    assert_eq!(prompts.iter().flatten().collect::<Vec<_>>(), ["say p1", "say p2", "say p3"]);
}

#[test]
fn a_fork_is_a_session_of_the_agents_own() {
    let world = World::new();
    two_turns(&world);
    let workspace = workspace(&world);
    let forked = workspace.fork(SessionId(1), Some(TurnId(1)), None).unwrap();
    let at_agent = forked.at_agent.expect("the agent is told where to go on");
    let copy = Client { world: &world, session: at_agent.native, leaf: None };
    assert_eq!(copy.prompts(), ["p1"]);
    assert!(workspace.fork(SessionId(1), None, Some("mine")).is_err());
}

/// A prompt that was typed while the turn before came to its end.
fn queued(client: &mut Client<'_>, told_as: &str, prompt: &str) {
    client.send("UserPromptSubmit", &json!({ "prompt_id": told_as, "prompt": format!("say {prompt}") }));
    let message = json!({ "role": "user", "content": format!("say {prompt}") });
    client.write(&format!("{prompt}-row"), json!({ "type": "user", "promptId": prompt, "message": message }));
}

#[test]
fn a_prompt_that_is_told_under_the_id_of_the_one_before_opens_a_turn_of_its_own() {
    let world = World::new();
    let mut client = Client::begin(&world, "one");
    client.turn("p1", writes("a", "1"));
    queued(&mut client, "p1", "p2");
    let tool =
        json!({ "prompt_id": "p2", "tool_name": "Bash", "tool_use_id": "call", "tool_input": { "command": "do it" } });
    client.send("PreToolUse", &tool);
    writes("b", "2")(&world);
    client.send("PostToolUse", &tool);
    client.answer("p2");
    client.send("Stop", &json!({ "prompt_id": "p2" }));
    assert_eq!(context(&world), ["p1", "p2"]);

    let report = apply(&world, UNDO);
    assert_eq!(
        (report.turns.as_slice(), report.conversation.prompts.as_slice()),
        (&[TurnId(2)][..], &["say p2".to_owned()][..])
    );
    assert!(world.root.join("a").exists() && !world.root.join("b").exists());
    assert_eq!(context(&world), ["p1"]);
}

#[test]
fn such_a_prompt_is_found_in_the_transcript_where_nothing_else_tells_of_it() {
    let world = World::new();
    let mut client = Client::begin(&world, "one");
    client.turn("p1", writes("a", "1"));
    queued(&mut client, "p1", "p2");
    client.answer("p2");
    let report = apply(&world, UNDO);
    assert_eq!((report.outcome, report.turns.as_slice()), (Outcome::Done, &[TurnId(2)][..]));
    assert_eq!(context(&world), ["p1"]);
    assert!(world.root.join("a").exists());
}

#[test]
fn what_a_fork_inherited_can_still_be_taken_back_after_an_undo_in_it() {
    let world = World::new();
    two_turns(&world);
    branch_off(&world);
    let rewound = native(&apply(&world, UNDO));
    let mut child = Client::resume(&world, &rewound);
    child.turn("p4", writes("d", "4"));
    assert_eq!(context(&world), ["p1", "p4"]);
    let preview = workspace(&world).preview(&order(Selection::UndoTurns { count: 2 }, Scope::Both)).unwrap();
    assert_eq!(preview.turns, [TurnId(1), TurnId(4)]);
    assert_eq!(apply(&world, Selection::UndoTurns { count: 2 }).turns, [TurnId(1), TurnId(4)]);
}

#[test]
fn a_fork_that_is_written_down_after_it_was_told_of_branched_off_all_the_same() {
    let world = World::new();
    let client = two_turns(&world);
    let mut child = Client::begin(&world, "two");
    child.send("UserPromptSubmit", &json!({ "prompt_id": "p3", "prompt": "say p3" }));
    fs::write(child.transcript(), first_turn(&client)).unwrap();
    child.leaf = Some("p1-answer".to_owned());
    let message = json!({ "role": "user", "content": "say p3" });
    child.write("p3-row", json!({ "type": "user", "promptId": "p3", "message": message }));
    child.answer("p3");
    child.send("Stop", &json!({ "prompt_id": "p3" }));
    let sessions = workspace(&world).sessions().unwrap();
    assert_eq!(sessions.iter().map(|session| session.parent).collect::<Vec<_>>(), [None, Some(SessionId(1))]);
    assert_eq!(context(&world), ["p1", "p3"]);
    assert_eq!(apply(&world, Selection::UndoTurns { count: 2 }).turns, [TurnId(1), TurnId(3)]);
}
