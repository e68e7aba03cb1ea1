//! Processes that end: each has a time limit, and whatever was started in a world is ended with it.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process that was started.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    what: String,
    output: PathBuf,
}

/// What a process printed, on both streams.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    /// Its exit status; none if a signal ended it.
    pub(crate) status: Option<i32>,
    /// What it printed.
    pub(crate) text: String,
}

impl Said {
    /// Checks that it ended well.
    #[track_caller]
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.status, Some(0), "{}", self.text);
        self
    }
}

impl Running {
    /// Starts a process that reads nothing and prints into this file.
    pub(crate) fn start(mut command: Command, output: PathBuf) -> Self {
        let what = format!("{command:?}").chars().take(400).collect();
        let file = fs::File::create(&output).expect("a file for the output can be made");
        let second = file.try_clone().expect("a file can be shared");
        command.stdin(Stdio::null()).stdout(file).stderr(second).process_group(0);
        Self { child: command.spawn().expect("the program can be started"), what, output }
    }

    /// Waits for its end, for so long at most.
    #[track_caller]
    pub(crate) fn finish(mut self, limit: Duration) -> Said {
        let pid = Pid::from_child(&self.child);
        let is_over = pidfd_open(pid, PidfdFlags::empty()).is_ok_and(|process| has_ended(&process, limit));
        let text = || String::from_utf8_lossy(&fs::read(&self.output).unwrap_or_default()).into_owned();
        assert!(is_over, "it did not end within {limit:?}: {}\n{}", self.what, text());
        let status = self.child.wait().expect("a child can be waited for");
        Said { status: status.code(), text: text() }
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn kill(mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// The processes that live in a home, once those that end by themselves within the limit have ended.
pub(crate) fn left_in(home: &Path, limit: Duration) -> Vec<String> {
    let left = processes_in(home).into_iter().filter(|(_, process)| !has_ended(process, limit));
    left.map(|(pid, _)| command_line(pid)).collect()
}

/// Ends every process that lives in a home, and those that they have started meanwhile.
pub(crate) fn end_all_in(home: &Path) {
    for _ in 0..10 {
        let found = processes_in(home);
        if found.is_empty() {
            return;
        }
        for (_, process) in found {
            _ = pidfd_send_signal(&process, Signal::KILL);
            has_ended(&process, Duration::from_secs(5));
        }
    }
}

/// Whether a process has ended before the limit is over.
fn has_ended(process: &OwnedFd, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).expect("a limit of seconds");
    loop {
        match poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&limit)) {
            Err(rustix::io::Errno::INTR) => {}
            ended => return ended.is_ok_and(|count| count > 0),
        }
    }
}

/// The processes whose home folder is this one: no other process has it.
fn processes_in(home: &Path) -> Vec<(i32, OwnedFd)> {
    let mark = [b"HOME=", home.as_os_str().as_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let ours = pids.filter_map(|pid| {
        // Opened first: what is read then is that of this process, or of none.
        let process = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|variable| variable == mark).then_some((pid, process))
    });
    ours.collect()
}

fn command_line(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).map(|word| OsStr::from_bytes(word).to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}
