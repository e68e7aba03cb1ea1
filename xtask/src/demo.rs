//! `cargo xtask demo`: the main job, shown on a scratch copy of this repository. A scripted agent works in it for one
//! turn; everything is taken back, compared byte for byte, brought again and compared again. Nothing outside of one
//! temporary folder is touched.

mod agent;
pub(crate) mod snapshot;
pub(crate) mod world;

use std::path::Path;

use agent::Agent;
use snapshot::Snapshot;
use world::World;

use crate::{Fault, Verdict};

/// What the scripted agent is asked to do.
const PROMPT: &str = "give the project a new face";

/// Plays the whole story.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    say("Building the program (once)");
    let program = world::build(root)?;
    let world = World::new(root, program)?;
    say(&format!("A scratch copy of this repository: {} files", Snapshot::of(&world.project)?.files()));
    let before = Snapshot::of(&world.project)?;
    play_agent(&world)?;
    let after = Snapshot::of(&world.project)?;

    say("What happened");
    world.show(&["log"])?;
    say("What undo would do");
    world.show(&["preview", "undo"])?;
    say("Taking the whole turn back: edits, shell commands and the build");
    world.show(&["undo", "--yes"])?;
    let is_undone = compare("before the turn", &before, &Snapshot::of(&world.project)?);
    say("Bringing it again");
    world.show(&["redo", "--yes"])?;
    let is_redone = compare("after the turn", &after, &Snapshot::of(&world.project)?);
    Ok(if is_undone && is_redone { Verdict::Clean } else { Verdict::Found })
}

/// One turn with everything that today's undo is blind to.
fn play_agent(world: &World) -> Result<(), Fault> {
    say(&format!("An agent works on it for one turn: \"{PROMPT}\""));
    let agent = Agent::start(world)?;
    agent.prompt(PROMPT)?;
    agent.edit("README.md", "takeback", "TAKEBACK")?;
    agent.shell("sed -i 's/workspace/playground/g' ARCHITECTURE.md STYLE.md")?;
    agent.shell("rm -r docs/decisions")?;
    agent.shell("mv CHANGELOG.md HISTORY.md && mkdir -p notes/empty && ln -s HISTORY.md notes/latest")?;
    agent.shell("chmod +x Cargo.toml && printf 'fn main() {}\\n' > tool.rs && rustc -o tool tool.rs")?;
    agent.stop()
}

fn compare(what: &str, wanted: &Snapshot, found: &Snapshot) -> bool {
    let differences = wanted.differences(found);
    if differences.is_empty() {
        println!("  every file, mode, link and folder is exactly as {what}");
    } else {
        println!("  NOT as {what}: {}", differences.join(", "));
    }
    differences.is_empty()
}

fn say(text: &str) {
    println!("\n== {text}");
}
