//! Verify, doctor, gc and purge.

use std::fs;

use serde_json::json;
use testkit::World;

use crate::world;

fn world_with_a_secret() -> World {
    let world = world();
    world.write(".env", "TOKEN=very-secret-4711\n");
    world.write("copy.env", "TOKEN=very-secret-4711\n");
    world.write("a.txt", "old\n");
    world.agent("s").turn("change", |turn| {
        turn.write(".env", "TOKEN=other\n");
        turn.write("a.txt", "new\n");
        turn.shell("rm copy.env");
    });
    world
}

#[test]
fn a_purge_removes_a_path_for_good_names_others_and_leaves_the_files() {
    let world = world_with_a_secret();
    let before = world.look();
    let asked = world.takeback(&["purge", ".env", "--json"]).expect(5).json();
    assert_eq!((&asked["outcome"], &asked["contents"]), (&"preview".into(), &2.into()));
    let purged = world.takeback(&["purge", ".env", "--yes", "--json"]).expect(0).json();
    assert_eq!(purged["also_at"], json!([{ "path": "copy.env" }]));
    assert_eq!(world.look(), before);
    world.takeback(&["verify"]).expect(0);
    world.takeback(&["undo", "--yes", "--files", "--on-conflict", "keep"]).expect(0);
    assert_eq!(world.read(".env").as_deref(), Some("TOKEN=other\n"));
    assert_eq!(world.read("copy.env"), None);
    assert_eq!(world.read("a.txt").as_deref(), Some("old\n"));
    world.takeback(&["purge", "never-seen.txt", "--yes"]).expect(3);
}

#[test]
fn a_purge_of_what_is_no_path_of_the_workspace_is_wrong_usage() {
    let world = world_with_a_secret();
    for path in ["..", "../home", ".", "/etc/passwd"] {
        world.takeback(&["purge", path, "--yes"]).expect(2);
    }
}

#[test]
fn nothing_is_removed_while_an_agent_runs_or_from_inside_its_step() {
    let mut world = world_with_a_secret();
    world.set_variable("CLAUDECODE", "1");
    world.takeback(&["purge", ".env", "--yes"]).expect(5);
    let refused = world.takeback(&["gc", "--json", "--even-if-busy"]).expect(5).json();
    assert_eq!(refused["outcome"], "refused");
    world.clear_variable("CLAUDECODE");
    world.agent("other").begin_turn("run on").begin("Bash", json!({ "command": "sleep 1000" }));
    world.takeback(&["purge", ".env", "--yes"]).expect(5);
    world.takeback(&["gc"]).expect(5);
    world.takeback(&["gc", "--even-if-busy"]).expect(0);
    world.takeback(&["purge", ".env", "--yes", "--even-if-busy"]).expect(0);
}

#[test]
fn a_clean_up_keeps_all_that_can_be_taken_back() {
    let world = world_with_a_secret();
    let before = world.look();
    world.takeback(&["gc"]).expect(0);
    world.takeback(&["undo", "--yes"]).expect(0);
    world.takeback(&["gc"]).expect(0);
    world.takeback(&["redo", "--yes"]).expect(0);
    assert_eq!(world.look(), before);
    assert_eq!(world.takeback(&["verify", "--json"]).expect(0).json()["sound"], true);
}

#[test]
fn the_doctor_tries_it_out_and_leaves_no_trace() {
    let world = world_with_a_secret();
    world.make_dir("node_modules/x");
    world.write("package.json", "{}\n");
    world.agent("look").turn("look", |turn| turn.shell("true"));
    let before = world.look();
    let around = || -> Vec<_> {
        let folders = [world.state(), world.workspace().parent().unwrap().to_owned(), world.home()];
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect()
    };
    let before_around = around();
    let report = world.takeback(&["doctor", "--json"]).expect(0).json();
    assert_eq!((&report["well"], &report["trial"]["well"]), (&true.into(), &true.into()));
    assert_eq!(report["trial"]["same_file_system"], true);
    assert!(report["trial"]["paths"].as_u64().unwrap() >= 10, "{report}");
    assert_eq!(report["workspace"]["gaps"][0]["reason"], "derived");
    assert_eq!(world.look(), before);
    assert_eq!(around(), before_around);
    assert!(world.takeback(&["doctor"]).expect(0).text().starts_with("ok    trial: "));
}

#[test]
fn the_doctor_names_troubles_in_the_settings_and_needs_no_past() {
    let world = world();
    world.takeback(&["doctor"]).expect(0);
    world.write("takeback.toml", "protekt = []\n");
    world.agent("s").turn("begin", |turn| turn.write("a.txt", "a\n"));
    let text = world.takeback(&["doctor"]).expect(0).text();
    assert!(text.contains("note  settings: ") && text.contains("protekt"), "{text}");
}
