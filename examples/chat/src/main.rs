//! A small host: a terminal chat with a scripted model, whose turns can be taken back. Reads what was typed and starts
//! the chat; everything else is in the other files.
#![forbid(unsafe_code)]

mod chat;
mod input;
mod model;
mod slash;
mod tool;

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use takeback::{Environment, Takeback};

use crate::chat::Chat;
use crate::input::Input;
use crate::model::Model;

/// Anything that ends the chat early, as text for people.
type Failure = Box<dyn Error>;

/// What was typed.
#[derive(Default)]
struct Options {
    folder: PathBuf,
    state: Option<PathBuf>,
    model: Option<PathBuf>,
    script: Option<PathBuf>,
}

const USAGE: &str = "Usage: takeback-example-chat [--state DIR] [--model FILE] [--script FILE] [FOLDER]";

fn main() -> ExitCode {
    match options(std::env::args_os().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            input::say(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<(), Failure> {
    let model = Model::load(options.model.as_deref())?;
    let input = Input::open(options.script.as_deref())?;
    let takeback = Takeback::new(environment(options.state)?);
    let workspace = takeback.workspace_at(&options.folder.canonicalize()?)?;
    Chat::begin(&workspace, model, input)?.run()
}

fn options(mut typed: impl Iterator<Item = OsString>) -> Result<Options, Failure> {
    let mut options = Options { folder: PathBuf::from("."), ..Options::default() };
    while let Some(word) = typed.next() {
        let place = match word.to_str() {
            Some("--state") => &mut options.state,
            Some("--model") => &mut options.model,
            Some("--script") => &mut options.script,
            Some(other) if other.starts_with('-') => return Err(USAGE.into()),
            _ => {
                options.folder = word.into();
                continue;
            }
        };
        *place = Some(typed.next().ok_or(USAGE)?.into());
    }
    Ok(options)
}

/// What takeback needs to know of the world.
fn environment(state: Option<PathBuf>) -> Result<Environment, Failure> {
    let home_folder = std::env::var_os("HOME").map(PathBuf::from);
    let own_state = || home_folder.as_ref().map(|home| home.join(".local/share/takeback-example-chat"));
    Ok(Environment {
        state_folder: state.or_else(own_state).ok_or("Neither `--state` nor `HOME` is given")?,
        config_folder: None,
        home_folder,
        temp_folder: std::env::temp_dir(),
        helper_program: None,
        watcher: takeback::WatcherChoice::Off,
        agent_home: takeback::AgentHome::default(),
        speaks_from_chat: false,
        is_inside_step: false,
    })
}
