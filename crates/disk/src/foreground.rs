//! Running a command in our place: in the same terminal, with the keys of the terminal meant for it and not for us.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use crate::DiskError;

/// A command to be run in the foreground.
#[derive(Debug, Clone, Copy)]
pub struct Foreground<'a> {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: &'a OsStr,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The folder it runs in.
    pub dir: &'a Path,
    /// What it gets besides our own environment.
    pub environment: &'a [(OsString, OsString)],
}

/// How a command ended: with a code or by a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code, if it exited.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

/// The keys of a terminal: interrupt, quit, suspend.
const KEYS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP];

/// Runs a command with our terminal and our standard streams, and waits for its end.
///
/// Meanwhile this process ignores the interrupt, quit and suspend keys, and the command gets them as if it had been
/// started without us. When the command is suspended from the terminal, so are we, and both go on together. Afterwards
/// this process treats these signals as before; since that is one thing for the whole process, only one command may be run
/// so at a time. Fails only if the command could not be started.
pub fn run_foreground(command: &Foreground<'_>) -> Result<Ended, DiskError> {
    let error = |source: io::Error| DiskError::at("run", Path::new(command.program), source);
    let ignored = IgnoredKeys::new().map_err(error)?;
    let before = ignored.before;
    let mut started = Command::new(command.program);
    started.args(command.arguments).current_dir(command.dir).envs(command.environment.iter().map(|(k, v)| (k, v)));
    // SAFETY: `restore` only calls `sigaction`, which is allowed between fork and exec, and allocates nothing.
    unsafe { started.pre_exec(move || restore(&before)) };
    let child = started.spawn().map_err(error)?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::ErrorKind::NotFound.into()).and_then(wait).map_err(error)
}

/// While this lives the keys of the terminal do nothing to this process.
struct IgnoredKeys {
    before: [libc::sigaction; KEYS.len()],
}

impl IgnoredKeys {
    fn new() -> io::Result<Self> {
        // SAFETY: the structure consists of integers and a function address, for which zero, the default, is a value.
        let mut ignore: libc::sigaction = unsafe { std::mem::zeroed() };
        let mut before = [ignore; KEYS.len()];
        ignore.sa_sigaction = libc::SIG_IGN;
        for (&key, slot) in KEYS.iter().zip(&mut before) {
            // SAFETY: both pointers are to live structures, and ignoring a signal runs no code of ours.
            if unsafe { libc::sigaction(key, &ignore, slot) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Self { before })
    }
}

impl Drop for IgnoredKeys {
    fn drop(&mut self) {
        let restored = restore(&self.before);
        debug_assert!(restored.is_ok());
    }
}

/// Treats the keys of the terminal as they were treated before.
fn restore(before: &[libc::sigaction; KEYS.len()]) -> io::Result<()> {
    for (&key, action) in KEYS.iter().zip(before) {
        // SAFETY: the action was given to us by the system for this same signal.
        if unsafe { libc::sigaction(key, action, std::ptr::null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn wait(pid: Pid) -> io::Result<Ended> {
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => follow_suspension(status),
            Ok(Some((_, status))) => {
                return Ok(Ended { code: status.exit_status(), signal: status.terminating_signal() });
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Stops this process too if the command was stopped from the terminal, so that the shell gets the terminal back.
/// Whoever continues the job continues both.
fn follow_suspension(status: WaitStatus) {
    let from_terminal = [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
    let by_key = status.stopping_signal().is_some_and(|signal| from_terminal.contains(&signal));
    if by_key && rustix::termios::isatty(rustix::stdio::stdin()) {
        _ = kill_process(rustix::process::getpid(), Signal::STOP);
    }
}
