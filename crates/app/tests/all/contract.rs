//! What `--json` prints is what `docs/json.md` says: every field is in its table, of its kind, and every field of a table
//! is printed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testkit::World;

use crate::damage::{damage, noise};
use crate::world;

/// The tables of the document by the name of their object.
#[derive(Debug, Default)]
struct Tables(BTreeMap<String, BTreeMap<String, Kind>>);

#[derive(Debug, Clone)]
struct Kind {
    name: String,
    is_list: bool,
    may_be_null: bool,
    may_be_missing: bool,
}

impl Tables {
    fn read() -> Self {
        let mut tables = Tables::default();
        let mut object = String::new();
        for line in include_str!("../../../../docs/json.md").lines() {
            if let Some(heading) = line.strip_prefix('#') {
                object = heading.trim_start_matches('#').trim().to_owned();
            }
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            if let ["", field, kind, _, ..] = cells.as_slice()
                && let Some(field) = field.strip_prefix('`').and_then(|field| field.strip_suffix('`'))
                && cells.len() == 5
            {
                tables.0.entry(object.clone()).or_default().insert(field.to_owned(), Kind::parse(kind));
            }
        }
        tables
    }

    /// Checks a value against a kind, and notes every field that was seen with something in it.
    fn check(&self, value: &Value, kind: &Kind, place: &str, seen: &mut BTreeSet<String>) {
        if value.is_null() {
            assert!(kind.may_be_null, "{place} is null");
            return;
        }
        if kind.is_list {
            let items = value.as_array().unwrap_or_else(|| panic!("{place} is no list: {value}"));
            let one = Kind { is_list: false, may_be_null: false, ..kind.clone() };
            items.iter().for_each(|item| self.check(item, &one, place, seen));
            return;
        }
        match kind.name.as_str() {
            "text" => assert!(value.is_string(), "{place} is no text: {value}"),
            "number" => assert!(value.is_number(), "{place} is no number: {value}"),
            "anything" => {}
            "yes or no" => assert!(value.is_boolean(), "{place} is not yes or no: {value}"),
            object => self.check_object(value, object, place, seen),
        }
    }

    fn check_object(&self, value: &Value, object: &str, place: &str, seen: &mut BTreeSet<String>) {
        let table = self.0.get(object).unwrap_or_else(|| panic!("there is no table of `{object}`, for {place}"));
        let fields = value.as_object().unwrap_or_else(|| panic!("{place} is no object: {value}"));
        for (field, value) in fields {
            let kind = table.get(field).unwrap_or_else(|| panic!("`{field}` is not in the table of `{object}`"));
            seen.insert(format!("{object}.{field}"));
            self.check(value, kind, &format!("{place}.{field}"), seen);
        }
        for (field, kind) in table {
            assert!(kind.may_be_missing || fields.contains_key(field), "{place} has no `{field}`: {value}");
        }
    }
}

impl Kind {
    fn parse(text: &str) -> Self {
        let name = text.split(',').next().unwrap_or_default();
        Kind {
            name: name.strip_prefix("list of ").unwrap_or(name).to_owned(),
            is_list: name.starts_with("list of "),
            may_be_null: text.contains("may be null"),
            may_be_missing: text.contains("may be missing"),
        }
    }

    fn object(name: &str) -> Self {
        Kind { name: name.to_owned(), is_list: false, may_be_null: false, may_be_missing: false }
    }
}

/// A world in which nearly everything has happened.
fn eventful_world() -> World {
    let world = world();
    let settings = world.home().join(".config/takeback");
    std::fs::create_dir_all(&settings).expect("a folder can be made");
    std::fs::write(settings.join("takeback.toml"), "file_max = \"16KiB\"\n").expect("a file can be written");
    world.write("noise.bin", noise(7));
    world.write("a.txt", "old\n");
    world.write("node_modules/x/index.js", "x\n");
    world.write("package.json", "{}\n");
    world.link("link", "a.txt");
    let mut agent = world.agent("s");
    agent.turn("change things", |turn| {
        turn.write("a.txt", "new\n");
        turn.shell("ln -sfn nowhere link; mv package.json moved.json; touch \"$(printf 'caf\\351')\"");
        turn.shell("git push || true; head -c 20000 /dev/zero >large.bin");
    });
    agent.send("Message", json!({ "id": "answer", "role": "assistant", "kind": "assistant", "content": "done" }));
    world.write("mine.txt", "mine\n");
    agent.turn("go on", |turn| turn.write("b.txt", "b\n"));
    agent
        .send("UserPromptSubmit", json!({ "prompt": "see", "prompt_id": "see", "content": [{ "image": "iVBORw==" }] }));
    agent.send("Stop", json!({ "turn_id": "see" }));
    let mut running = agent.begin_turn("still at it");
    running.begin("Bash", json!({ "command": "make" }));
    world
}

/// A world in which several have a hand in the same files.
fn crowded_world() -> World {
    let world = world();
    world.write("a", "1\n2\n");
    let (mut one, mut two) = (world.agent("one"), world.agent("two"));
    one.turn("build on it", |turn| {
        turn.write("a", "one\n2\n");
        turn.write("b", "1\n");
        turn.shell("cat b; echo uno >a; echo 2 >>a");
        turn.spawn("child", |child| child.shell("echo child >>a"));
    });
    let (mut first, mut second) = (one.begin_turn("here"), two.begin_turn("there"));
    let calls = [first.begin("Bash", json!({ "command": "make" })), second.begin("Bash", json!({ "command": "make" }))];
    world.write("made", "1\n");
    let [of_first, of_second] = calls;
    first.finish(of_first);
    second.finish(of_second);
    first.end("completed");
    second.end("completed");
    world
}

#[test]
fn every_object_is_as_it_is_documented() {
    let tables = Tables::read();
    let world = eventful_world();
    let mut seen = BTreeSet::new();
    let mut check_in = |world: &World, arguments: &[&str], status: i32| {
        let value = world.takeback(&[arguments, &["--json"]].concat()).expect(status).json();
        let schema = value["schema"].as_str().unwrap_or_else(|| panic!("{value} has no schema"));
        let object = schema.strip_prefix("takeback.").and_then(|name| name.strip_suffix("/1")).expect("a known form");
        tables.check(&value, &Kind::object(object), object, &mut seen);
    };
    let crowded = crowded_world();
    check_in(&crowded, &["revert", "t1.1", "--yes"], 4);
    check_in(&crowded, &["preview", "revert", "t1.2"], 0);
    check_in(&crowded, &["preview", "undo", "--session", "two"], 0);
    check_in(&crowded, &["log", "--blame", "a"], 0);
    let mut check = |arguments: &[&str], status: i32| check_in(&world, arguments, status);
    check(&["undo", "--yes"], 5);
    check(&["gc"], 5);
    check(&["purge", "a.txt", "--yes"], 5);
    check(&["status"], 0);
    check(&["show", "t3"], 0);
    check(&["undo", "3", "--yes", "--even-if-busy"], 0);
    check(&["redo", "--even-if-busy"], 5);
    for reading in ["log", "sessions", "status", "context", "versions", "verify", "doctor", "diff"] {
        check(&[reading], 0);
    }
    check(&["setup"], 0);
    check(&["setup", "codex", "--yes"], 0);
    check(&["preview", "switch", "h1", "--even-if-busy"], 0);
    check(&["diff", "h1", "h2"], 0);
    check(&["checkpoint", "named"], 0);
    for target in ["t1", "t1.2", "op1", "named", "c1"] {
        check(&["show", target], 0);
    }
    for target in ["t1", "op1", "c1"] {
        check(&["diff", target], 0);
    }
    check(&["fork", "t1", "--into", "other"], 0);
    check(&["purge", "a.txt"], 5);
    check(&["gc", "--even-if-busy"], 0);
    check(&["purge", "a.txt", "--yes", "--even-if-busy"], 0);

    damage(&world, &noise(7));
    check(&["verify"], 1);

    let fields = tables.0.iter().flat_map(|(object, table)| table.keys().map(move |field| format!("{object}.{field}")));
    // What is not text, and so comes in another form, has tests of its own.
    let is_exact_form = |field: &String| field.ends_with(".path_bytes") || field.ends_with(".content_base64");
    let unseen: Vec<String> = fields.filter(|field| !seen.contains(field) && !is_exact_form(field)).collect();
    assert_eq!(unseen, [""; 0], "documented and never printed");
}

#[test]
fn a_path_that_is_no_text_comes_exactly_beside_what_is_shown() {
    let world = eventful_world();
    let turn = world.takeback(&["show", "t1.2", "--json"]).expect(0).json();
    let files = turn["step"]["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["path"].as_str().unwrap().starts_with("caf")).unwrap();
    assert_eq!((&file["path"], &file["path_bytes"]), (&"caf\\xe9".into(), &"Y2Fm6Q==".into()));
}

#[test]
fn every_reason_is_explained() {
    let document = include_str!("../../../../docs/json.md");
    for reason in model::Reason::ALL {
        assert!(document.contains(&format!("| `{}` |", reason.code())), "{}", reason.code());
    }
}
