//! [`Terminal`]: a client in a terminal of its own, driven by keys and read from the screen.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, mkfifoat};

use super::installed;
use super::scene::Scene;

/// The screen shows what is waited for within this time, or never.
const SCREEN_MAX: Duration = Duration::from_secs(60);
/// The screen is looked at again after so long even if nothing was printed.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A client that prints nothing for so long has taken in what was typed.
const REST: Duration = Duration::from_millis(300);

/// A client in a terminal.
pub(crate) struct Terminal<'a> {
    scene: &'a Scene<'a>,
    tmux: PathBuf,
    folder: PathBuf,
    printed: Receiver<()>,
}

impl<'a> Terminal<'a> {
    /// Starts the client in a terminal; none, and that is said, if there is no tmux.
    pub(crate) fn open(scene: &'a Scene<'a>, arguments: &[&str]) -> Option<Self> {
        let tmux = installed::tool("tmux")?;
        // Each has a server of its own: the one before may still be about to end.
        let folders = (1..).map(|number| scene.world.home().with_file_name(format!("terminal-{number}")));
        let folder = folders.into_iter().find(|folder| !folder.exists()).expect("there is always a next number");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let line: Vec<String> = client_line(scene, arguments);
        let mut start = vec!["new-session", "-d", "-s", "client", "-x", "120", "-y", "45"];
        start.extend(line.iter().map(String::as_str));
        run(&mut command(scene, &tmux, &folder, &start));
        let printed =
            listen(|pipe| run(&mut command(scene, &tmux, &folder, &["pipe-pane", "-t", "client", pipe])), &folder);
        Some(Self { scene, tmux, folder, printed })
    }

    /// Types a line, waits until it is on the screen, and enters it.
    #[track_caller]
    pub(crate) fn enter(&self, text: &str) {
        self.tmux(&["send-keys", "-t", "client", "-l", "--", text]);
        let shown: String = text.chars().take(60).collect();
        self.wait_for(&shown);
        self.wait_for_rest();
        self.press("Enter");
    }

    /// Waits until the client prints nothing for a while: an Enter right behind the text is taken for part of a paste.
    pub(crate) fn wait_for_rest(&self) {
        let deadline = Instant::now() + SCREEN_MAX;
        while self.printed.recv_timeout(REST).is_ok() && Instant::now() < deadline {}
    }

    /// Enters a line and waits until an answer is on the screen once more than before, and the client at rest.
    #[track_caller]
    pub(crate) fn ask(&self, text: &str, answer: &str) {
        let before = self.screen().matches(answer).count();
        self.enter(text);
        let in_text = text.matches(answer).count();
        let what = format!("`{text}` is answered `{answer}`");
        self.wait_until(&what, |screen| screen.matches(answer).count() > before + in_text);
        self.wait_for_rest();
    }

    /// Waits until a prompt stands in the input line, and clears it. It comes some time after the conversation is shown,
    /// and what is typed before it comes would be mixed up with it.
    #[track_caller]
    pub(crate) fn clear_prompt(&self, prompt: &str) {
        let line = format!("❯ {prompt}");
        self.wait_until(&format!("`{prompt}` stands in the input line"), |screen| screen.contains(&line));
        self.wait_for_rest();
        self.press("C-u");
        self.wait_until("the input line is empty", |screen| !screen.contains(&line));
        self.wait_for_rest();
    }

    /// Presses a key.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", "-t", "client", key]);
    }

    /// Waits until a text is on the screen.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}` is on it"), |screen| screen.contains(text));
    }

    /// Waits until the screen is as it should.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + SCREEN_MAX;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return;
            }
            assert!(Instant::now() < deadline, "the screen never came to: {what}\n{screen}");
            // What was printed meanwhile is looked at in one go.
            _ = self.printed.recv_timeout(LOOK_AGAIN);
            while self.printed.try_recv().is_ok() {}
        }
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-t", "client", "-p"]).replace('\u{a0}', " ")
    }
}

impl Terminal<'_> {
    #[track_caller]
    fn tmux(&self, arguments: &[&str]) -> String {
        run(&mut command(self.scene, &self.tmux, &self.folder, arguments))
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // If it has ended already, that is as well.
        _ = command(self.scene, &self.tmux, &self.folder, &["kill-server"]).output();
    }
}

/// tmux on a socket of its own, in the environment of the client.
fn command(scene: &Scene<'_>, tmux: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(tmux);
    command.current_dir(scene.world.workspace()).env_clear().envs(scene.environment());
    command.arg("-S").arg(folder.join("socket")).args(["-f", "/dev/null"]).args(arguments);
    command
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().expect("tmux can be started");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The words that start the client.
fn client_line(scene: &Scene<'_>, arguments: &[&str]) -> Vec<String> {
    let program = scene.command().get_program().to_string_lossy().into_owned();
    std::iter::once(program).chain(arguments.iter().map(|word| (*word).to_owned())).collect()
}

/// A message for each piece that the client prints from now on.
fn listen(pipe_into: impl FnOnce(&str) -> String, folder: &Path) -> Receiver<()> {
    let pipe = folder.join("printed");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe can be made");
    pipe_into(&format!("exec cat > '{}'", pipe.display()));
    let (said, printed) = channel();
    std::thread::spawn(move || {
        let Ok(mut pipe) = File::open(pipe) else { return };
        let mut piece = [0; 4096];
        while pipe.read(&mut piece).is_ok_and(|length| length > 0) && said.send(()).is_ok() {}
    });
    printed
}
