//! Reads the environment once: folders, the own program, where the command was typed.

use std::env;
use std::path::PathBuf;

use takeback::{Environment, WatcherChoice};

/// What is set in the shells that agents run their commands in, and by `takeback run`.
const STEP_VARIABLES: [&str; 5] =
    [takeback::INSIDE_STEP_VARIABLE, "CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE"];

/// The environment as the engine wants it. Without a home folder and without `$TAKEBACK_HOME` there is no place for
/// state.
pub(crate) fn read() -> Result<Environment, String> {
    let home_folder = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let state_folder = absolute("TAKEBACK_HOME").or_else(|| data_folder(home_folder.as_ref()));
    let state_folder =
        state_folder.ok_or("Neither `TAKEBACK_HOME` nor `HOME` is set: there is no place to keep state in")?;
    let config_folder = absolute("XDG_CONFIG_HOME").or_else(|| home_folder.as_ref().map(|home| home.join(".config")));
    Ok(Environment {
        state_folder,
        config_folder: config_folder.map(|folder| folder.join("takeback")),
        watcher: watcher(),
        agent_home: agent_home(home_folder.clone().unwrap_or_default()),
        home_folder,
        temp_folder: env::temp_dir(),
        helper_program: env::current_exe().ok(),
        speaks_from_chat: false,
        is_inside_step: STEP_VARIABLES.iter().any(|variable| env::var_os(variable).is_some()),
    })
}

/// Whether this process was started by a program of an agent that takeback itself has started.
pub(crate) fn is_asked_by_us() -> bool {
    env::var_os(agents::ASKING_VARIABLE).is_some()
}

/// The variables that say where agents keep their files and programs.
const AGENT_VARIABLES: [&str; 8] = [
    "PATH",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "TMPDIR",
];

fn agent_home(home_folder: PathBuf) -> agents::AgentHome {
    let variable = |name: &&str| Some(((*name).to_owned(), env::var(name).ok().filter(|value| !value.is_empty())?));
    agents::AgentHome { home_folder, variables: AGENT_VARIABLES.iter().filter_map(variable).collect() }
}

/// Whether the watcher is used; a word that means nothing leaves it as it is set.
fn watcher() -> WatcherChoice {
    match env::var("TAKEBACK_WATCHER").as_deref() {
        Ok("on") => WatcherChoice::On,
        Ok("off") => WatcherChoice::Off,
        _ => WatcherChoice::AsSet,
    }
}

/// The folder the command was typed in.
pub(crate) fn current_folder() -> PathBuf {
    env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Whether colours are welcome where a terminal shows them.
pub(crate) fn wants_colour() -> bool {
    let is_unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_plain = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    !is_unwanted && !is_plain
}

/// Relative values are not used: they would mean another folder for every command.
fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn data_folder(home: Option<&PathBuf>) -> Option<PathBuf> {
    let home = home?;
    if cfg!(target_os = "macos") {
        return Some(home.join("Library/Application Support/takeback"));
    }
    Some(absolute("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("takeback"))
}
