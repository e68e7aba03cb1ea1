//! Taking back a part: hunks, steps in the middle with what needs them, subagents, what several may have done; and whose
//! each line is.

use serde_json::{Value, json};
use testkit::World;

use crate::world;

/// A text of so many lines, some of them replaced.
fn text(replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let new = replaced.iter().find(|(at, _)| *at == number).map(|(_, line)| (*line).to_owned());
        new.unwrap_or_else(|| number.to_string()) + "\n"
    };
    (1..=30).map(line).collect()
}

fn told(world: &World, arguments: &[&str], status: i32) -> Value {
    world.takeback(&[arguments, &["--json"]].concat()).expect(status).json()
}

fn steps(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|step| step.as_str().expect("a step")).collect()
}

#[test]
fn one_hunk_of_a_turn_is_taken_back_and_brought_again() {
    let world = world();
    world.write("src/a.rs", text(&[]));
    let mut agent = world.agent("s");
    agent.turn("two places", |turn| turn.write("src/a.rs", &text(&[(3, "three"), (20, "twenty")])));
    world.write("src/a.rs", text(&[(3, "three"), (12, "mine"), (20, "twenty")]));

    let shown = world.takeback(&["diff", "t1"]).expect(0).text();
    assert!(shown.contains("@@ t1:src/a.rs#1") && shown.contains("@@ t1:src/a.rs#2"), "{shown}");
    let done = told(&world, &["revert", "t1:src/a.rs#2", "--yes"], 0);
    assert_eq!((&done["outcome"], &done["files"][0]["path"]), (&json!("done"), &json!("src/a.rs")));
    assert_eq!(world.read("src/a.rs"), Some(text(&[(3, "three"), (12, "mine")])));
    told(&world, &["revert", "t1:src/a.rs#2", "--yes"], 3);
    told(&world, &["redo", "--yes"], 0);
    assert_eq!(world.read("src/a.rs"), Some(text(&[(3, "three"), (12, "mine"), (20, "twenty")])));

    told(&world, &["revert", "t1.1:src/a.rs#1", "--yes"], 0);
    told(&world, &["undo", "--yes"], 0);
    assert_eq!(world.read("src/a.rs"), Some(text(&[(12, "mine")])));
}

#[test]
fn a_hunk_that_is_not_there_is_an_error_that_says_how_many_there_are() {
    let world = world();
    world.write("a", text(&[]));
    world.write("b#1", "old\n");
    world.agent("s").turn("change", |turn| {
        turn.write("a", &text(&[(3, "three")]));
        turn.write("b#1", "new\n");
        turn.shell("printf '\\0' >bytes");
    });
    for (target, says) in [("t1:a#2", "1 hunk(s)"), ("t1:bytes#1", "not text"), ("t1:nothing#1", "nothing")] {
        let ran = world.takeback(&["revert", target, "--yes"]).expect(2);
        assert!(ran.err.contains(says), "{target}: {}", ran.err);
    }
    // A path that bears the very name is meant.
    told(&world, &["revert", "t1:b#1", "--yes"], 0);
    assert_eq!(world.read("b#1").as_deref(), Some("old\n"));
}

/// Three turns: the second builds on a line of the first, the third works elsewhere in the same file.
fn world_with_dependents() -> World {
    let world = world();
    world.write("a", text(&[]));
    let mut agent = world.agent("s");
    agent.turn("first", |turn| turn.write("a", &text(&[(3, "three")])));
    agent.turn("second", |turn| {
        turn.write("a", &text(&[(3, "three!")]));
        turn.write("of-second", "x\n");
    });
    agent.turn("third", |turn| turn.write("a", &text(&[(3, "three!"), (20, "twenty")])));
    world
}

#[test]
fn a_turn_in_the_middle_names_the_steps_that_need_it_and_takes_them_along_if_asked() {
    let world = world_with_dependents();
    let before = world.look();
    let refused = told(&world, &["revert", "t1", "--yes"], 4);
    assert_eq!(steps(&refused["dependents"][0]["steps"]), ["t2.1"]);
    assert_eq!((&refused["dependents"][0]["path"], &refused["dependents"][0]["outside"]), (&json!("a"), &json!(false)));
    let words = world.takeback(&["revert", "t1", "--yes"]).expect(4);
    assert!(words.text().contains("In the way:") && words.err.contains("--with-dependents"), "{}", words.text());
    assert_eq!(world.look(), before);

    told(&world, &["revert", "t1", "--with-dependents", "--yes"], 0);
    assert_eq!(world.read("a"), Some(text(&[(20, "twenty")])));
    assert_eq!(world.read("of-second").as_deref(), Some("x\n"), "another step of that turn stays");
    told(&world, &["redo", "--yes"], 0);
    assert_eq!(world.look(), before);

    told(&world, &["revert", "t1", "--on-conflict", "merge", "--yes"], 0);
    assert!(world.read("a").is_some_and(|text| text.contains("<<<<<<<") && text.contains("twenty")));
}

#[test]
fn the_users_own_edit_in_the_way_is_named_and_never_taken_along() {
    let world = world();
    world.write("a", text(&[]));
    world.agent("s").turn("first", |turn| turn.write("a", &text(&[(3, "three")])));
    world.write("a", text(&[(3, "mine")]));
    for arguments in [&["revert", "t1", "--yes"][..], &["revert", "t1", "--with-dependents", "--yes"]] {
        let refused = told(&world, arguments, 4);
        assert_eq!(refused["dependents"], json!([{ "path": "a", "steps": [], "operations": [], "outside": true }]));
        assert_eq!(world.read("a"), Some(text(&[(3, "mine")])));
    }
}

#[test]
fn later_steps_that_read_what_goes_are_named() {
    let world = world();
    world.agent("s").turn("all at once", |turn| {
        turn.write("src/a.rs", "1\n");
        turn.write("other", "1\n");
        for (tool, input) in [
            ("Read", json!({ "file_path": world.at("src/a.rs").to_string_lossy() })),
            ("Grep", json!({ "pattern": "1", "path": "src" })),
            ("Read", json!({ "file_path": "other" })),
        ] {
            let call = turn.begin(tool, input);
            turn.finish(call);
        }
        turn.shell("cat ./src/a.rs >/dev/null");
        turn.shell("true src/a.rs.old >> src/a.rs");
    });
    let shown = told(&world, &["preview", "revert", "t1.1"], 0);
    let readers: Vec<&str> =
        shown["readers"].as_array().expect("a list").iter().filter_map(|reader| reader["step"].as_str()).collect();
    assert_eq!(readers, ["t1.3", "t1.4", "t1.6"]);
    assert!(world.takeback(&["preview", "revert", "t1.1"]).expect(0).text().contains("Was read by later steps:"));
    assert_eq!(told(&world, &["preview", "undo"], 0)["readers"], json!([]), "nothing comes later than the end");
}

#[test]
fn a_dispatch_is_one_step_to_undo_and_each_subagent_can_be_reverted_alone() {
    let world = world();
    let mut agent = world.agent("s");
    agent.turn("share the work", |turn| {
        turn.write("main", "1\n");
        turn.spawn("child", |child| {
            child.write("of-child", "1\n");
            child.spawn("grandchild", |grandchild| grandchild.shell("echo 1 >of-grandchild"));
        });
        turn.spawn("other", |other| other.shell("echo 1 >of-other"));
    });
    let all = world.look();
    let there = |world: &World| -> Vec<String> { world.look().into_keys().collect() };

    told(&world, &["undo", "--steps", "1", "--yes"], 0);
    assert_eq!(there(&world), ["main", "of-child", "of-grandchild"]);
    told(&world, &["undo", "--steps", "1", "--yes"], 0);
    assert_eq!(there(&world), ["main"], "the call, its subagent and the one below go as one");
    told(&world, &["redo", "2", "--yes"], 0);
    assert_eq!(world.look(), all);

    told(&world, &["revert", "grandchild", "--yes"], 0);
    assert_eq!(there(&world), ["main", "of-child", "of-other"]);
    told(&world, &["redo", "--yes"], 0);
    told(&world, &["revert", "child", "--yes"], 0);
    assert_eq!(there(&world), ["main", "of-other"]);
    told(&world, &["redo", "--yes"], 0);
    let log = told(&world, &["log"], 0);
    let calls: Vec<&str> = log["turns"][0]["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|step| step["tool"] == "Task" && step["agent_id"].is_null())
        .filter_map(|step| step["id"].as_str())
        .collect();
    told(&world, &["revert", calls[0], "--yes"], 0);
    assert_eq!(there(&world), ["main", "of-other"]);
}

#[test]
fn subagents_called_side_by_side_belong_to_their_own_calls() {
    let world = world();
    let mut agent = world.agent("s");
    agent.turn("at once", |turn| {
        let calls = ["one", "two"].map(|id| turn.begin("Task", json!({ "prompt": id })));
        let mut children = ["one", "two"].map(|id| turn.begin_subagent(id));
        for (child, path) in children.iter_mut().zip(["of-one", "of-two"]) {
            child.write(path, "1\n");
        }
        for (id, call) in ["one", "two"].into_iter().zip(calls) {
            turn.send("SubagentStop", json!({ "agent_id": id }));
            turn.finish(call);
        }
    });
    told(&world, &["revert", "t1.1", "--yes"], 0);
    assert_eq!((world.read("of-one"), world.read("of-two").as_deref()), (None, Some("1\n")));
}

#[test]
fn a_subagent_that_still_works_in_the_background_makes_an_undo_refuse() {
    let world = world();
    let mut agent = world.agent("s");
    let mut turn = agent.begin_turn("send somebody off");
    let call = turn.begin("Task", json!({ "prompt": "child", "run_in_background": true }));
    let mut child = turn.begin_subagent("child");
    turn.finish(call);
    child.write("of-child", "1\n");
    turn.send("Stop", json!({ "status": "completed", "background_tasks": 1 }));

    let refused = told(&world, &["undo", "--yes"], 5);
    assert!(refused["message"].as_str().is_some_and(|why| why.contains("t1.1")), "{refused}");
    assert_eq!(world.read("of-child").as_deref(), Some("1\n"));
    turn.send("SubagentStop", json!({ "agent_id": "child" }));
    told(&world, &["undo", "--yes"], 0);
    assert_eq!(world.read("of-child"), None);
}

#[test]
fn what_two_sessions_may_have_done_names_both_and_goes_only_on_request() {
    let world = world();
    let (mut one, mut two) = (world.agent("one"), world.agent("two"));
    let (mut first, mut second) = (one.begin_turn("here"), two.begin_turn("there"));
    let calls = [first.begin("Bash", json!({ "command": "make" })), second.begin("Bash", json!({ "command": "make" }))];
    world.write("made", "by one of them\n");
    let [of_first, of_second] = calls;
    first.finish(of_first);
    second.finish(of_second);
    first.end("completed");
    second.end("completed");

    let shown = told(&world, &["preview", "undo", "--session", "one"], 0);
    assert_eq!(shown["contested"][0]["path"], json!("made"));
    assert_eq!(steps(&shown["contested"][0]["steps"]), ["t1.1", "t2.1"]);
    assert_eq!(shown["contested"][0]["outside"], json!(false));
    told(&world, &["undo", "--session", "one", "--yes"], 0);
    assert_eq!(world.read("made").as_deref(), Some("by one of them\n"));
    told(&world, &["redo", "--session", "one", "--yes"], 0);
    told(&world, &["undo", "--session", "one", "--include-contested", "--yes"], 0);
    assert_eq!(world.read("made"), None);
    told(&world, &["redo", "--session", "one", "--yes"], 0);
    told(&world, &["revert", "t1", "t2", "--yes"], 0);
    assert_eq!(world.read("made"), None, "whoever it was is among these");
}

#[test]
fn each_line_of_a_file_is_its_last_authors() {
    let world = world();
    world.write("a", "there\nbefore\n");
    let mut agent = world.agent("s");
    agent.turn("one", |turn| {
        turn.write("a", "there\nbefore\nstep\n");
        turn.spawn("child", |child| child.write("a", "there\nbefore\nstep\nchild\n"));
    });
    world.write("a", "there\nmine\nstep\nchild\n");
    agent.turn("moved", |turn| turn.shell("mv a b"));
    agent.turn("more", |turn| turn.write("b", "there\nmine\nstep\nchild\nlast"));
    let by = |world: &World| -> Vec<(String, String)> {
        let blamed = told(world, &["log", "--blame", "b"], 0);
        let lines = blamed["lines"].as_array().expect("a list").clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        lines.iter().map(|line| (text(&line["by"]), text(&line["steps"][0]))).collect()
    };
    let expected = [("before", ""), ("outside", ""), ("step", "t1.1"), ("step", "t1.3"), ("step", "t3.1")]
        .map(|(by, step)| (by.to_owned(), step.to_owned()));
    assert_eq!(by(&world), expected);
    told(&world, &["undo", "2", "--yes"], 0);
    told(&world, &["redo", "--yes"], 0);
    assert_eq!(by(&world), expected, "what was taken back and brought again is its first author's");
    let words = world.takeback(&["log", "--blame", "b"]).expect(0).text();
    assert!(words.contains("t1.3 s1 [child]") && words.contains("you or others"), "{words}");
    world.takeback(&["log", "--blame", "nothing"]).expect(2);
}
