//! Help, manual page and completions are produced, need no state, and know every command.

use crate::world;

const COMMANDS: [&str; 23] = [
    "run",
    "undo",
    "redo",
    "rewind",
    "revert",
    "restore",
    "preview",
    "status",
    "log",
    "show",
    "diff",
    "checkpoint",
    "context",
    "versions",
    "switch",
    "fork",
    "sessions",
    "verify",
    "doctor",
    "gc",
    "purge",
    "hook",
    "completions",
];

#[test]
fn every_command_has_a_short_and_a_longer_help() {
    let world = world();
    let program = world.takeback(&["--help"]).expect(0).text();
    for command in COMMANDS {
        assert!(program.contains(&format!("\n  {command} ")), "{command} is in no list");
        let short = world.takeback(&[command, "-h"]).expect(0).text();
        let long = world.takeback(&[command, "--help"]).expect(0).text();
        assert!(long.len() > short.len(), "{command}");
        assert!(long.contains("--json"), "{command}");
    }
    assert!(!world.state().exists(), "asking for help made a state folder");
}

#[test]
fn no_line_of_any_help_is_wider_than_a_terminal() {
    let world = world();
    for command in COMMANDS {
        let long = world.takeback(&[command, "--help"]).expect(0).text();
        let widest = long.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 100, "{command}: {widest} columns");
    }
}

#[test]
fn what_was_typed_wrong_is_told_on_standard_error_alone() {
    let world = world();
    let ran = world.takeback(&["undoo"]).expect(2);
    assert_eq!(ran.text(), "");
    assert!(ran.err.contains("undo"), "the nearest command is named: {}", ran.err);
    world.takeback(&[]).expect(2);
    world.takeback(&["--version"]).expect(0);
}

#[test]
fn there_is_a_manual_page_for_the_program_and_for_each_command() {
    let world = world();
    let page = world.takeback(&["man"]).expect(0).text();
    assert!(page.contains(".TH takeback 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("takeback\\-{command}")), "{command} is not on the page");
        let own = world.takeback(&["man", command]).expect(0).text();
        assert!(own.contains(&format!(".TH takeback-{command} 1")), "{own}");
    }
    world.takeback(&["man", "first-capture"]).expect(2);
}

#[test]
fn every_shell_gets_completions_for_every_command() {
    let world = world();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = world.takeback(&["completions", shell]).expect(0).text();
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    world.takeback(&["completions", "tcsh"]).expect(2);
}
