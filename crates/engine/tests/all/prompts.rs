//! Prompts: handed back once with their attachments, and sent again after their turn has ended or in another session.

use std::fs;

use model::{Outcome, Scope, SessionId, TurnId, TurnStatus};
use serde_json::{Value, json};
use takeback::{Attachment, ConversationReport, Order, Selection, Workspace};

use crate::world::{World, apply, order};

const SESSION: SessionId = SessionId(1);
const UNDO: Selection = Selection::UndoTurns { count: 1 };
const REDO: Selection = Selection::Redo { count: 1 };

/// The way in for events, one session long.
struct Teller<'a> {
    workspace: &'a Workspace,
    native: &'static str,
}

impl Teller<'_> {
    fn tell(&self, name: &str, fields: &Value) {
        let mut fields = fields.as_object().unwrap().clone();
        fields.insert("hook_event_name".to_owned(), name.into());
        fields.insert("session_id".to_owned(), self.native.into());
        self.tell_as_it_stands(&Value::Object(fields).to_string());
    }

    fn tell_as_it_stands(&self, payload: &str) {
        self.workspace.receive(&agents::translate("generic", payload.as_bytes()).unwrap()).unwrap();
    }

    fn turn(&self, id: &str, act: impl Fn(&std::path::Path)) {
        self.tell("UserPromptSubmit", &json!({"prompt": format!("say {id}"), "prompt_id": id}));
        let tool =
            json!({"tool_name": "Bash", "tool_use_id": format!("{id}-use"), "tool_input": {"command": "change"}});
        self.tell("PreToolUse", &tool);
        act(self.workspace.root_path());
        self.tell("PostToolUse", &tool);
        self.tell("Stop", &json!({}));
    }
}

fn begun(world: &World) -> Workspace {
    let workspace = world.open();
    workspace.begin_session("generic", "one").unwrap();
    workspace
}

fn conversation(workspace: &Workspace, session: SessionId, selection: Selection) -> ConversationReport {
    let report = apply(workspace, &both(session, selection));
    assert_eq!(report.outcome, Outcome::Done, "{report:#?}");
    report.conversation
}

fn both(session: SessionId, selection: Selection) -> Order {
    Order { scope: Scope::Both, ..order(session, selection) }
}

fn context(workspace: &Workspace, session: SessionId) -> Vec<(String, Option<TurnId>)> {
    let entries = workspace.context(session).unwrap().entries;
    entries.into_iter().map(|entry| (entry.id, entry.turn)).collect()
}

fn write(name: &'static str) -> impl Fn(&std::path::Path) {
    move |root| fs::write(root.join(name), name).unwrap()
}

#[test]
fn a_withdrawn_prompt_comes_back_with_its_attachments_byte_for_byte() {
    let world = World::new();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    let picture = b"\x89PNG\r\n\x1a\n\xff";
    session.begin_turn("plain").unwrap().end(TurnStatus::Completed).unwrap();
    session.begin_turn_with("look at this", picture).unwrap().end(TurnStatus::Completed).unwrap();
    assert_eq!(workspace.context(SESSION).unwrap().entries[1].payload, picture);

    let withdrawn = conversation(&workspace, SESSION, Selection::UndoTurns { count: 2 });
    assert_eq!(withdrawn.prompts, ["plain", "look at this"]);
    assert_eq!(withdrawn.attachments, [Attachment { prompt: 1, content: picture.to_vec() }]);
}

#[test]
fn the_content_of_a_prompt_event_is_kept_as_it_stood() {
    let world = World::new();
    let workspace = begun(&world);
    let teller = Teller { workspace: &workspace, native: "one" };
    let content = r#"[ {"type":"text", "text":"h\u00e9"},{"type":"image","size":1.50,"a":1e3} ]"#;
    teller.tell_as_it_stands(&format!(
        r#"{{"hook_event_name":"UserPromptSubmit","session_id":"one","prompt":"hé","content": {content} }}"#
    ));
    assert_eq!(workspace.context(SESSION).unwrap().entries[0].payload, content.as_bytes());
    let withdrawn = conversation(&workspace, SESSION, UNDO);
    assert_eq!(withdrawn.attachments, [Attachment { prompt: 0, content: content.as_bytes().to_vec() }]);
}

#[test]
fn content_that_only_says_the_text_again_is_no_attachment() {
    let world = World::new();
    let workspace = begun(&world);
    let teller = Teller { workspace: &workspace, native: "one" };
    teller.tell("UserPromptSubmit", &json!({"prompt": "a \"b\"", "content": "a \"b\""}));
    teller.tell("UserPromptSubmit", &json!({"prompt": "c", "content": null}));
    let withdrawn = conversation(&workspace, SESSION, Selection::UndoTurns { count: 2 });
    assert_eq!((withdrawn.prompts.len(), withdrawn.attachments), (2, Vec::new()));
}

#[test]
fn a_prompt_is_handed_back_once_and_to_the_session_that_withdrew_it() {
    let world = World::new();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    for number in 1..=2 {
        session.begin_turn_with("again", format!("content {number}").as_bytes()).unwrap();
    }
    let child = workspace.fork(SESSION, None, Some("child")).unwrap().session;

    let withdrawn = conversation(&workspace, child, UNDO);
    assert_eq!(withdrawn.attachments, [Attachment { prompt: 0, content: b"content 2".to_vec() }]);
    let next = workspace.preview(&both(child, UNDO)).unwrap().conversation;
    assert_eq!(next.attachments, [Attachment { prompt: 0, content: b"content 1".to_vec() }]);
    let redone = conversation(&workspace, child, REDO);
    assert_eq!((redone.prompts.len(), redone.attachments.len()), (0, 0));

    let withdrawn = conversation(&workspace, SESSION, UNDO);
    assert_eq!(withdrawn.attachments, [Attachment { prompt: 0, content: b"content 2".to_vec() }]);
}

#[test]
fn a_turn_that_had_completed_ends_redo_also_after_its_prompt_came_again() {
    let world = World::new();
    let workspace = begun(&world);
    let teller = Teller { workspace: &workspace, native: "one" };
    teller.turn("p1", write("a"));
    teller.tell("UserPromptSubmit", &json!({"prompt": "say p2", "prompt_id": "p2"}));
    // While the second turn is open and before it completes, the first one's files are taken back.
    let reverted = Order { ..order(SESSION, Selection::Rewind { turn: TurnId(1) }) };
    assert_eq!(apply(&workspace, &reverted).outcome, Outcome::Done);
    assert_eq!(workspace.preview(&order(SESSION, REDO)).unwrap().outcome, Outcome::Preview);
    teller.tell("Stop", &json!({}));
    assert_eq!(workspace.preview(&order(SESSION, REDO)).unwrap().outcome, Outcome::Nothing);

    teller.tell("UserPromptSubmit", &json!({"prompt": "say p2", "prompt_id": "p2"}));
    assert_eq!(workspace.log(None, None).unwrap().len(), 2);
    assert_eq!(workspace.preview(&order(SESSION, REDO)).unwrap().outcome, Outcome::Nothing);
}

#[test]
fn an_inherited_prompt_sent_again_is_a_turn_of_the_fork_with_an_entry_of_its_own() {
    let world = World::new();
    let workspace = begun(&world);
    let parent = Teller { workspace: &workspace, native: "one" };
    parent.turn("p1", write("a"));
    let fork = workspace.fork(SESSION, None, Some("two")).unwrap().session;
    parent.turn("p2", write("b"));

    let child = Teller { workspace: &workspace, native: "two" };
    child.turn("p1", write("c"));
    child.tell("Message", &json!({"id": "p1", "role": "user", "kind": "prompt", "content": "say p1"}));
    let inherited = ("p1".to_owned(), Some(TurnId(1)));
    let again = ("takeback-t3".to_owned(), Some(TurnId(3)));
    assert_eq!(context(&workspace, fork), [inherited.clone(), again.clone()]);

    // What the parent said after the fork is nothing the child has: its id is free there.
    child.turn("p2", write("d"));
    assert_eq!(context(&workspace, fork), [inherited.clone(), again, ("p2".to_owned(), Some(TurnId(4)))]);
    child.tell("UserPromptSubmit", &json!({"prompt": "say p1", "prompt_id": "p1"}));
    assert_eq!(workspace.log(Some(fork), None).unwrap().len(), 3, "a retry of the fork's own turn is no new turn");

    let withdrawn = conversation(&workspace, fork, Selection::UndoTurns { count: 2 });
    assert_eq!(withdrawn.prompts, ["say p1", "say p2"]);
    assert_eq!(context(&workspace, fork), [inherited]);
    assert_eq!(workspace.status(Some(SESSION)).unwrap().undoable, [TurnId(2), TurnId(1)]);
}
