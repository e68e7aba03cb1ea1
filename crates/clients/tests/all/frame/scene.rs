//! [`Scene`]: a world with one real client in it, set up by takeback itself, and a model that does what was planned.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::mock::{Mock, Plans, Request};
use testkit::{Tree, World};

use super::client::Client;
use super::installed;
use super::process::{Running, Said, end_all_in, left_in};

/// A client takes seconds for a prompt; one that takes so long has stopped.
const PROMPT_MAX: Duration = Duration::from_secs(120);
/// What a client or a hook leaves running ends within this time, or not at all.
const AFTERMATH_MAX: Duration = Duration::from_secs(20);
/// Files are looked for again after so long.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A world with one real client in it. Everything that was started in it ends with it.
pub(crate) struct Scene<'a> {
    /// Files, and takeback itself.
    pub(crate) world: World,
    /// The model.
    pub(crate) mock: Mock,
    client: &'a dyn Client,
    program: PathBuf,
    runs: Cell<usize>,
    /// Variables besides those of the client.
    more: RefCell<Vec<(&'static str, OsString)>>,
}

impl<'a> Scene<'a> {
    /// A scene in which takeback is plugged into the client; none, and that is said, if the client is not installed.
    pub(crate) fn with(client: &'a dyn Client, plans: Plans) -> Option<Self> {
        let scene = Self::bare(client, plans)?;
        scene.world.takeback(&["setup", client.agent(), "--yes"]).expect(0);
        Some(scene)
    }

    /// A scene in which the client is as it comes.
    pub(crate) fn bare(client: &'a dyn Client, plans: Plans) -> Option<Self> {
        let program = installed::program(client.pin())?;
        let mut world = World::new(installed::takeback());
        let mock = Mock::start(world.workspace(), plans);
        client.configure(&world, &mock.url());
        world.set_variable("PATH", &search_path(&program).to_string_lossy());
        for (name, value) in client.variables(&mock.url()) {
            world.set_variable(name, &value);
        }
        Some(Self { world, mock, client, program, runs: Cell::new(0), more: RefCell::default() })
    }

    /// Asks in a new conversation and returns its id.
    #[track_caller]
    pub(crate) fn begin(&self, prompt: &str) -> String {
        let said = self.run(&self.client.prompt(None, prompt)).well();
        self.client.conversation(&said.text).expect("the client names the conversation")
    }

    /// Asks in a conversation that is there, in a new process.
    #[track_caller]
    pub(crate) fn go_on(&self, conversation: &str, prompt: &str) -> String {
        self.run(&self.client.prompt(Some(conversation), prompt)).well().text
    }

    /// Asks in a conversation and does not wait for the answer.
    pub(crate) fn start(&self, conversation: Option<&str>, prompt: &str) -> Running {
        self.spawn(&self.client.prompt(conversation, prompt))
    }

    /// Starts the client with these arguments and does not wait for its end.
    pub(crate) fn launch(&self, arguments: &[String]) -> Running {
        self.spawn(arguments)
    }

    /// Waits for what was started.
    #[track_caller]
    pub(crate) fn finish(&self, running: Running) -> Said {
        running.finish(PROMPT_MAX)
    }

    /// Runs the client to its end.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[String]) -> Said {
        self.spawn(arguments).finish(PROMPT_MAX)
    }

    /// The client, ready to be started in a clean environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(self.world.workspace()).env_clear().envs(self.environment());
        command
    }

    /// The environment of the client.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let home = self.world.home();
        let temp = home.with_file_name("temp");
        let mut environment: Vec<(&'static str, OsString)> = vec![
            ("PATH", search_path(&self.program)),
            ("HOME", home.into()),
            ("TMPDIR", temp.into()),
            ("TAKEBACK_HOME", self.world.state().into()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
            ("SHELL", "/bin/bash".into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ];
        environment.extend(self.more.borrow().iter().cloned());
        environment
            .extend(self.client.variables(&self.mock.url()).into_iter().map(|(name, value)| (name, value.into())));
        environment
    }

    /// Adds variables to the environment of the client.
    pub(crate) fn add_variables(&self, variables: &[(&'static str, &str)]) {
        self.more.borrow_mut().extend(variables.iter().map(|(name, value)| (*name, OsString::from(value))));
    }

    /// Changes a piece of a file in the home of the client, if there is such a file.
    pub(crate) fn edit_file_of_home(&self, path: &str, old: &str, new: &str) {
        let path = self.world.home().join(path);
        if let Ok(text) = std::fs::read_to_string(&path) {
            assert!(text.contains(old), "{text}");
            std::fs::write(path, text.replace(old, new)).expect("a file can be written");
        }
    }

    /// The lines of JSON in a file below a folder of the home whose name holds a conversation's id.
    #[track_caller]
    pub(crate) fn lines_below(&self, folder: &str, conversation: &str) -> Vec<Value> {
        let mut found = files_below(&self.world.home().join(folder));
        found.retain(|path| path.to_string_lossy().ends_with(&format!("{conversation}.jsonl")));
        let path = found.first().expect("the client has written the conversation down");
        let text = std::fs::read_to_string(path).expect("it can be read");
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Gives an order to takeback and returns what it says as JSON.
    #[track_caller]
    pub(crate) fn order(&self, words: &[&str]) -> Value {
        let outcome = self.world.takeback(&[words, &["--yes", "--json"]].concat()).expect(0).json();
        assert_eq!(outcome["outcome"], "done", "{outcome}");
        outcome
    }

    /// Gives an order and returns the conversation that is to be resumed now.
    #[track_caller]
    pub(crate) fn move_to(&self, words: &[&str]) -> String {
        let outcome = self.order(words);
        let native = outcome["conversation"]["native"].as_str().map(str::to_owned);
        native.unwrap_or_else(|| panic!("nothing is said of a conversation: {outcome}"))
    }

    /// The conversation at which takeback stands now.
    #[track_caller]
    pub(crate) fn present(&self) -> String {
        let sessions = self.world.takeback(&["sessions", "--json"]).expect(0).json();
        let newest = sessions["sessions"].as_array().and_then(|sessions| sessions.last()).cloned().unwrap_or_default();
        newest["native"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("no session: {sessions}"))
    }

    /// Waits until a file is in the workspace.
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "the client makes the file some time; the wait is bounded")]
    pub(crate) fn wait_for_file(&self, path: &str) {
        let deadline = Instant::now() + PROMPT_MAX;
        while self.world.read(path).is_none() {
            assert!(Instant::now() < deadline, "{path} never came");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits until so many files below a folder of the home bear a conversation's id.
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "the client writes some time; the wait is bounded")]
    pub(crate) fn wait_for_files_below(&self, folder: &str, conversation: &str, count: usize) {
        let deadline = Instant::now() + PROMPT_MAX;
        let folder = self.world.home().join(folder);
        let is_of_it = |path: &PathBuf| path.to_string_lossy().contains(conversation);
        while files_below(&folder).iter().filter(|path| is_of_it(path)).count() < count {
            assert!(Instant::now() < deadline, "there never were {count}: {:#?}", files_below(&folder));
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends everything that was started in this scene at once, as a crash of the machine would.
    pub(crate) fn end_all(&self) {
        end_all_in(&self.world.home());
    }

    /// Everything in the workspace but git's own folder, which clients look into and thereby touch.
    pub(crate) fn look(&self) -> Tree {
        let is_of_git = |path: &String| path == ".git" || path.starts_with(".git/");
        self.world.look().into_iter().filter(|(path, _)| !is_of_git(path)).collect()
    }

    /// Checks that exactly this is in the workspace.
    #[track_caller]
    pub(crate) fn expect_files(&self, expected: &Tree) {
        let found = self.look();
        let paths: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
        let differing = paths.into_iter().filter(|path| found.get(*path) != expected.get(*path));
        let lines: Vec<String> = differing
            .map(|path| format!("{path}: found {:?}, expected {:?}", found.get(path), expected.get(path)))
            .collect();
        assert!(lines.is_empty(), "{lines:#?}\n{}", self.world.takeback(&["log"]).text());
    }

    /// What the model was asked last on a prompt. Prompts are told apart by their tags.
    #[track_caller]
    pub(crate) fn asked(&self, tag: &str) -> Request {
        let asked = self.mock.requests().into_iter().rev().find(|request| request.tags().last() == Some(&tag));
        asked.unwrap_or_else(|| panic!("the model was never asked on {tag}"))
    }

    /// Checks which human prompts the model was sent along with the last of them.
    #[track_caller]
    pub(crate) fn expect_history(&self, tags: &str) {
        let asked = self.asked(tags.rsplit(' ').next().unwrap_or_default());
        assert_eq!(asked.tags().join(" "), tags, "{:#?}", asked.lines);
    }

    /// Checks that the model was sent all it was sent on an earlier prompt, word for word, before a later one. Of a
    /// client that words a conversation anew when it resumes it, nothing is checked.
    #[track_caller]
    pub(crate) fn expect_same_words(&self, earlier: &Request, tag: &str) {
        let later = self.asked(tag);
        if self.client.repeats_itself() {
            assert!(later.goes_on_from(earlier), "earlier: {:#?}\nlater: {:#?}", earlier.lines, later.lines);
        }
    }

    /// Checks that neither the client nor takeback has left a process behind.
    #[track_caller]
    pub(crate) fn expect_quiet(&self) {
        assert_eq!(left_in(&self.world.home(), AFTERMATH_MAX), Vec::<String>::new());
    }

    /// The client that plays in it.
    pub(crate) fn client(&self) -> &'a dyn Client {
        self.client
    }

    fn spawn(&self, arguments: &[String]) -> Running {
        self.runs.set(self.runs.get() + 1);
        let output = self.world.home().with_file_name(format!("output-{}", self.runs.get()));
        let mut command = self.command();
        command.args(arguments);
        Running::start(command, output)
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        end_all_in(&self.world.home());
        // What is left of a test that failed can be looked at, if somebody asks for it.
        if let (true, Some(folder)) = (std::thread::panicking(), std::env::var_os("TAKEBACK_KEEP_WORLDS")) {
            let home = self.world.home();
            _ = Command::new("cp").arg("-a").arg(home.parent().unwrap_or(&home)).arg(folder).status();
        }
    }
}

/// The client's folder, and those of the system: neither the user's own programs nor a second takeback.
fn search_path(program: &Path) -> OsString {
    let folder = program.parent().expect("a program lies in a folder");
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    std::env::join_paths([folder.to_owned()].into_iter().chain(system))
        .expect("no colon in a path of the target folder")
}

/// The files below a folder, by name.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect();
    paths.sort();
    paths
}
