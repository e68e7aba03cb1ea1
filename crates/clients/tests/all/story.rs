//! The whole story, once per client: edits, shell work and a subagent's work over three turns, a user who edits in
//! between, and every way back and forth. Checked are all files and the history the model is sent.

use testkit::Tree;
use testkit::mock::{Plans, Request, edit, many, read, say, shell, subagent, write};

use crate::frame::{Claude, Client, Codex, Doer, OpenCode, Scene};

/// What a workspace is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    /// A repository of git.
    Git,
    /// A plain folder.
    Plain,
}

#[test]
fn claude_code_goes_back_and_forth() {
    whole_story(&Claude::New, Folder::Git);
}

#[test]
fn the_older_claude_code_goes_back_and_forth() {
    whole_story(&Claude::Old, Folder::Plain);
}

#[test]
fn codex_goes_back_and_forth() {
    whole_story(&Codex::Tools, Folder::Git);
}

#[test]
fn codex_in_code_mode_goes_back_and_forth() {
    whole_story(&Codex::Code, Folder::Plain);
}

#[test]
fn open_code_goes_back_and_forth() {
    whole_story(&OpenCode, Folder::Plain);
}

#[test]
fn open_code_in_a_repository_goes_back_and_forth() {
    whole_story(&OpenCode, Folder::Git);
}

fn whole_story(client: &dyn Client, folder: Folder) {
    let Some(scene) = Scene::with(client, plans(client.doer())) else { return };
    furnish(&scene, folder);
    let acts = Acts::play(&scene);
    undo_and_redo(&scene, &acts);
    let rewound = rewind_and_go_on(&scene, &acts);
    let compacted = undo_across_a_compaction(&scene, &acts, &rewound);
    fork(&scene, &compacted);
    scene.expect_quiet();
}

/// What there is before anybody works.
pub(crate) fn furnish(scene: &Scene<'_>, folder: Folder) {
    let world = &scene.world;
    world.write("notes.txt", "one\ntwo\n");
    world.write("keep.txt", "keep\n");
    world.write("gone.txt", "gone\n");
    world.write("old.txt", "a name\n");
    world.write("both.txt", "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n");
    world.write("run.sh", "#!/bin/sh\n");
    world.set_mode("run.sh", 0o755);
    world.write(".gitignore", "*.log\n");
    world.write("build.log", "log 1\n");
    world.link("link", "keep.txt");
    world.make_dir("empty");
    if folder == Folder::Git {
        let mut git = std::process::Command::new("git");
        git.args(["init", "--quiet"]).current_dir(world.workspace());
        assert!(git.status().expect("git can be run").success());
    }
}

pub(crate) fn plans(doer: Doer) -> Plans {
    let shell_work = "printf 'over\\n' > keep.txt; rm gone.txt; mv old.txt new.txt; chmod 700 run.sh; \
                      printf 'log 2\\n' > build.log; rmdir empty; ln -s fresh.txt other && mv -T other link; \
                      sed -i 's/line 1/LINE 1/' both.txt";
    let deep_work = [write("deep/down.txt", "deep\n"), shell("echo more >> keep.txt; mkdir deep/hollow")];
    let two = match doer {
        Doer::Subagent => vec![shell(shell_work), subagent("deep")],
        Doer::Agent => [vec![shell(shell_work)], deep_work.to_vec()].concat(),
    };
    let three = many([shell("cp both.txt copy.txt"), shell("echo 3 >> fresh.txt"), write("three.txt", "3\n")]);
    Plans::new()
        .with("one", [read("notes.txt"), edit("notes.txt", "two", "TWO"), write("fresh.txt", "fresh\n"), say("Done.")])
        .with("two", two.into_iter().chain([say("Done.")]))
        .with("deep", deep_work.into_iter().chain([say("Deep.")]))
        .with("three", [three, shell("exit 3"), say("Done.")])
        .with("full", [shell("echo full > full.txt"), say("Done.").filling()])
        .with("say", [say("Said.")])
}

/// What was there after each of the three turns.
pub(crate) struct Acts {
    pub(crate) conversation: String,
    pub(crate) first: Tree,
    pub(crate) third: Tree,
    /// After the second turn, with what the user did then.
    edited: Tree,
    /// What the model was asked last in the first and in the third turn.
    first_asked: Request,
    third_asked: Request,
}

impl Acts {
    pub(crate) fn play(scene: &Scene<'_>) -> Self {
        let conversation = scene.begin("P1 [[plan:one]]");
        let (first, first_asked) = (scene.look(), scene.asked("P1"));
        assert_eq!(scene.world.read("notes.txt").as_deref(), Some("one\nTWO\n"));
        scene.go_on(&conversation, "P2 [[plan:two]]");
        assert_eq!(scene.world.read("keep.txt").as_deref(), Some("over\nmore\n"));
        assert!(!first.contains_key("new.txt") && scene.look().contains_key("new.txt"));
        edit_as_the_user(scene);
        let edited = scene.look();
        scene.go_on(&conversation, "P3 [[plan:three]]");
        scene.expect_history("P1 P2 P3");
        let (third, third_asked) = (scene.look(), scene.asked("P3"));
        assert_eq!(scene.world.read("copy.txt"), scene.world.read("both.txt"));
        Self { conversation, first, third, edited, first_asked, third_asked }
    }
}

/// Between the second and the third turn: a new file, and a line of a file the agent has changed elsewhere.
fn edit_as_the_user(scene: &Scene<'_>) {
    scene.world.write("mine.txt", "mine\n");
    let text = scene.world.read("both.txt").expect("it is there");
    scene.world.write("both.txt", text.replace("line 7", "MY LINE 7"));
}

fn undo_and_redo(scene: &Scene<'_>, acts: &Acts) {
    scene.move_to(&["undo"]);
    scene.expect_files(&acts.edited);
    let conversation = scene.move_to(&["redo"]);
    scene.expect_files(&acts.third);
    scene.go_on(&conversation, "P4 [[plan:say]]");
    scene.expect_history("P1 P2 P3 P4");
    scene.expect_same_words(&acts.third_asked, "P4");
}

/// Back to the second turn, files and conversation, and on from there in a new process.
fn rewind_and_go_on(scene: &Scene<'_>, acts: &Acts) -> String {
    let conversation = scene.move_to(&["rewind", "t2"]);
    scene.expect_files(&with_the_edits_of_the_user(scene, &acts.first));
    scene.go_on(&conversation, "P5 [[plan:full]]");
    scene.expect_history("P1 P5");
    scene.expect_same_words(&acts.first_asked, "P5");
    conversation
}

/// The second turn's change of the first line is taken back, the user's change of the last one is not.
fn with_the_edits_of_the_user(scene: &Scene<'_>, tree: &Tree) -> Tree {
    let mut expected = tree.clone();
    let now = scene.look();
    let text = "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nMY LINE 7\n";
    assert_eq!(scene.world.read("both.txt").as_deref(), Some(text));
    for path in ["mine.txt", "both.txt"] {
        expected.insert(path.to_owned(), now[path].clone());
    }
    expected
}

fn undo_across_a_compaction(scene: &Scene<'_>, acts: &Acts, conversation: &str) -> String {
    if let Some(compact) = scene.client().compact(conversation) {
        scene.run(&compact).well();
    }
    scene.go_on(conversation, "P6 [[plan:three]]");
    assert!(!scene.asked("P6").goes_on_from(&acts.first_asked), "the client has not compacted the conversation");
    let conversation = scene.move_to(&["undo", "2"]);
    scene.expect_files(&with_the_edits_of_the_user(scene, &acts.first));
    scene.go_on(&conversation, "P7 [[plan:say]]");
    scene.expect_history("P1 P7");
    scene.expect_same_words(&acts.first_asked, "P7");
    conversation
}

/// A version that goes on after the first turn: what is said in it is not said in the other, and the other way round.
fn fork(scene: &Scene<'_>, conversation: &str) {
    let forked = scene.world.takeback(&["fork", "t1", "--json"]).expect(0).json();
    let fork = forked["native"].as_str().expect("a fork is a conversation of the client");
    scene.go_on(fork, "P8 [[plan:say]]");
    scene.expect_history("P1 P8");
    scene.go_on(conversation, "P9 [[plan:say]]");
    scene.expect_history("P1 P7 P9");
}
