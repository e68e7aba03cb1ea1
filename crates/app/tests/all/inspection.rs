//! Looking: log, show, diff, sessions, status, in words and without.

use testkit::World;

use crate::world;

fn world_with_a_turn() -> World {
    let world = world();
    world.write("numbers.txt", (1..=20).map(|number| format!("{number}\n")).collect::<String>());
    world.write("logo.bin", b"a\0b");
    world.write("moved.txt", "moves as it is\n");
    world.link("link", "numbers.txt");
    world.agent("native-id").turn("change what can be changed\nin two lines", |turn| {
        turn.shell(
            "sed -i s/10/ten/ numbers.txt; printf 'a\\0c' >logo.bin; mv moved.txt there.txt; ln -sfn logo.bin link; \
             mkdir folder; printf 'no newline' >folder/new.txt; chmod 600 numbers.txt; git push origin main || true",
        );
    });
    world
}

#[test]
fn a_diff_shows_lines_and_names_everything_else() {
    let world = world_with_a_turn();
    let expected = "\
New folder folder
New file folder/new.txt
--- /dev/null
+++ b/folder/new.txt
@@ -0,0 +1,1 @@ t1:folder/new.txt#1
+no newline
\\ No newline at end of file
Link link: numbers.txt -> logo.bin
Changed logo.bin
  not text: 3 B -> 3 B
Changed numbers.txt
  mode 0644 -> 0600
--- a/numbers.txt
+++ b/numbers.txt
@@ -7,7 +7,7 @@ t1:numbers.txt#1
 7
 8
 9
-10
+ten
 11
 12
 13
Moved moved.txt -> there.txt
";
    assert_eq!(world.takeback(&["diff"]).expect(0).text(), expected);
    assert_eq!(world.takeback(&["diff", "t1"]).expect(0).text(), expected);
    assert_eq!(world.takeback(&["diff", "t1.1"]).expect(0).text(), expected.replace("t1:", "t1.1:"));
}

#[test]
fn a_diff_since_a_checkpoint_reaches_to_this_moment() {
    let world = world_with_a_turn();
    world.takeback(&["checkpoint", "here"]).expect(0);
    world.write("mine.txt", "mine\n");
    let since = world.takeback(&["diff", "here"]).expect(0).text();
    assert_eq!(since, "New file mine.txt\n--- /dev/null\n+++ b/mine.txt\n@@ -0,0 +1,1 @@\n+mine\n");
}

#[test]
fn a_diff_of_an_operation_is_the_way_back() {
    let world = world_with_a_turn();
    world.takeback(&["undo", "--yes"]).expect(0);
    let text = world.takeback(&["diff", "op1"]).expect(0).text();
    assert!(text.contains("-ten\n+10\n") && text.contains("Moved there.txt -> moved.txt\n"), "{text}");
    assert!(text.contains("Deleted folder folder\n"), "{text}");
}

#[test]
fn a_diff_without_any_turn_has_nothing_to_show() {
    let world = world();
    world.takeback(&["checkpoint"]).expect(0);
    let ran = world.takeback(&["diff", "--json"]).expect(3);
    assert_eq!(ran.json()["files"], serde_json::json!([]));
}

#[test]
fn a_pipe_gets_every_byte_as_it_was() {
    let world = world();
    world.agent("s").turn("write bytes", |turn| turn.shell("printf 'caf\\351 \\033[31mred\\r\\n' >bytes.txt"));
    let ran = world.takeback(&["diff"]).expect(0);
    let line = b"+caf\xe9 \x1b[31mred\r\n";
    assert!(ran.out.windows(line.len()).any(|window| window == line), "{}", ran.out.escape_ascii());
}

#[test]
fn a_shown_turn_has_its_whole_prompt_its_files_and_its_effects() {
    let world = world_with_a_turn();
    let text = world.takeback(&["show", "t1"]).expect(0).text();
    for part in
        ["    in two lines\n", "  ~ numbers.txt\n", "moved.txt -> there.txt", "git push origin main", "native-id"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let turn = world.takeback(&["show", "t1", "--json"]).expect(0).json();
    assert_eq!(turn["turn"]["prompt"], "change what can be changed\nin two lines");
    assert_eq!(turn["turn"]["steps"][0]["effects"][0]["class"], "irreversible");
}

#[test]
fn steps_operations_and_checkpoints_are_shown_by_id_and_name() {
    let world = world_with_a_turn();
    world.takeback(&["undo", "--yes"]).expect(0);
    world.takeback(&["checkpoint", "mark"]).expect(0);
    let step = world.takeback(&["show", "t1.1", "--json"]).expect(0).json();
    assert!(step["step"]["command"].as_str().unwrap().starts_with("sed -i"));
    let operation = world.takeback(&["show", "op1", "--json"]).expect(0).json();
    assert_eq!(
        (&operation["operation"]["verb"], &operation["operation"]["state"]),
        (&"undo".into(), &"committed".into())
    );
    let checkpoint = world.takeback(&["show", "mark", "--json"]).expect(0).json();
    assert_eq!(checkpoint["checkpoint"]["name"], "mark");
    for id in ["t1.1", "op1", "mark", checkpoint["checkpoint"]["id"].as_str().unwrap()] {
        world.takeback(&["show", id]).expect(0);
    }
}

#[test]
fn a_log_is_read_in_one_look() {
    let world = world();
    world.write("a.txt", "old\n");
    let mut agent = world.agent("s");
    agent.turn("first thing to do, told at such a length that it does not fit", |turn| turn.write("a.txt", "new\n"));
    world.write("mine.txt", "mine\n");
    agent.turn("second", |turn| turn.shell("rm a.txt"));
    world.takeback(&["undo", "--yes"]).expect(0);
    let expected = "\
t1  just now  first thing to do, told at such a length that it does n…
    t1.1  Write  a.txt
          ~ a.txt
t2  just now  second  [undone]
    by others  + mine.txt
    t2.1  Bash  rm a.txt
          - a.txt
";
    let text = world.takeback(&["log"]).expect(0).text();
    assert_eq!(text, expected);
    assert_eq!(world.takeback(&["log", "-n", "1", "--json"]).expect(0).json()["turns"].as_array().unwrap().len(), 1);
}

#[test]
fn sessions_and_status_tell_where_one_stands() {
    let world = world_with_a_turn();
    let sessions = world.takeback(&["sessions"]).expect(0).text();
    assert_eq!(sessions, "s1  1 turn  just now  generic  native-id\n");
    let status = world.takeback(&["status"]).expect(0).text();
    assert!(status.contains("  undo      t1 is next, of 1 turn\n"), "{status}");
}
