//! Other processes: naming one so that it cannot be taken for a later one, and starting one that lives on by itself.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::DiskError;

/// A process of this machine. Its number is used again after its end; together with its start it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it was started, in the system's own unit; 0 where that is not known.
    pub started_ticks: u64,
}

impl Process {
    /// This process.
    pub fn own() -> Self {
        static OWN: OnceLock<Process> = OnceLock::new();
        *OWN.get_or_init(|| {
            let pid = std::process::id();
            Process { pid, started_ticks: system::started_ticks(pid).unwrap_or(0) }
        })
    }

    /// The process that has this number now; none if there is none.
    pub fn of(pid: u32) -> Option<Self> {
        system::started_ticks(pid).map(|started_ticks| Process { pid, started_ticks })
    }

    /// The nearest of the processes this one descends from whose program has one of these names, without an ending.
    ///
    /// Looks so many generations up at most that a shell or two between does not matter. None where there is no such
    /// process, and where the system does not tell.
    pub fn ancestor(names: &[&str]) -> Option<Self> {
        const GENERATIONS_MAX: usize = 6;
        if names.is_empty() {
            return None;
        }
        let is_one = |program: &String| names.contains(&program.split('.').next().unwrap_or_default());
        let mut pid = std::process::id();
        for _ in 0..GENERATIONS_MAX {
            pid = system::parent(pid).filter(|parent| *parent > 1)?;
            if system::programs(pid).iter().any(is_one) {
                return Self::of(pid);
            }
        }
        None
    }

    /// Whether this very process still runs. One that has ended and was not yet collected by its parent does not.
    pub fn is_alive(&self) -> bool {
        match system::started_ticks(self.pid) {
            Some(ticks) => self.started_ticks == 0 || ticks == self.started_ticks,
            None => false,
        }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)
    }
}

/// Starts a program that lives on by itself: in its own session, with no terminal, no descriptor of ours, the root as
/// its working folder, and nobody who has to collect it. Its environment is ours.
///
/// Success means that the program was started, not that it did anything.
pub fn spawn_detached(program: &Path, arguments: &[&OsStr]) -> Result<(), DiskError> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: `detach` makes only system calls that are allowed between fork and exec, and allocates nothing.
    unsafe { command.pre_exec(detach) };
    let started = command.spawn().and_then(|mut between| between.wait());
    started.map(|_| ()).map_err(|error| DiskError::at("start", program, error))
}

/// Runs in the child before the program is loaded: leaves the session, and hands over to a grandchild, so that the
/// program's parent is the system.
fn detach() -> io::Result<()> {
    rustix::process::setsid()?;
    // SAFETY: the child of a fork has one thread, and both sides go on to exit or to exec at once.
    match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => {}
        // SAFETY: ends this process without running anything of ours.
        _ => unsafe { libc::_exit(0) },
    }
    close_on_exec();
    Ok(())
}

/// Marks every descriptor above the standard three to be closed when the program is loaded.
fn close_on_exec() {
    #[cfg(target_os = "linux")]
    {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
        // SAFETY: takes integers only.
        let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, CLOSE_RANGE_CLOEXEC) };
        if result == 0 {
            return;
        }
    }
    const DESCRIPTORS_MAX: libc::c_long = 65_536;
    // SAFETY: takes an integer only.
    let limit = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) }.clamp(256, DESCRIPTORS_MAX);
    for descriptor in 3..limit as libc::c_int {
        // SAFETY: takes integers only; a number that is no open descriptor is refused.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! Linux tells of a process in `/proc`.

    /// When a process that runs was started, in clock ticks since the machine was.
    pub(super) fn started_ticks(pid: u32) -> Option<u64> {
        let rest = stat_after_name(pid)?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let started = fields.nth(18)?.parse().ok()?;
        (!matches!(state, "Z" | "X" | "x")).then_some(started)
    }

    /// The process that started it, or took it over.
    pub(super) fn parent(pid: u32) -> Option<u32> {
        stat_after_name(pid)?.split_ascii_whitespace().nth(1)?.parse().ok()
    }

    /// The names of what it runs: of its program's file, and the one it gave itself.
    pub(super) fn programs(pid: u32) -> Vec<String> {
        let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let file = file.and_then(|file| file.file_name().map(|name| name.to_string_lossy().into_owned()));
        let own = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok();
        file.into_iter().chain(own.map(|name| name.trim_end().to_owned())).collect()
    }

    /// The name, in brackets, may hold anything; what follows are plain fields: the state, the parent, and as the 20th
    /// the start.
    fn stat_after_name(pid: u32) -> Option<String> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let after_name = text.iter().rposition(|&byte| byte == b')')? + 1;
        String::from_utf8(text[after_name..].to_vec()).ok()
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    //! macOS tells of a process by `proc_pidinfo`.

    /// When a process that runs was started, in microseconds since the Unix epoch.
    pub(super) fn started_ticks(pid: u32) -> Option<u64> {
        let told = information(pid)?;
        let is_zombie = told.pbi_status == libc::SZOMB;
        (!is_zombie).then(|| told.pbi_start_tvsec.saturating_mul(1_000_000).saturating_add(told.pbi_start_tvusec))
    }

    /// The process that started it, or took it over.
    pub(super) fn parent(pid: u32) -> Option<u32> {
        information(pid).map(|told| told.pbi_ppid)
    }

    /// The names of what it runs: of its program's file, and the one it gave itself.
    pub(super) fn programs(pid: u32) -> Vec<String> {
        let text = |name: &[libc::c_char]| {
            let bytes = name.iter().take_while(|byte| **byte != 0).map(|byte| byte.cast_unsigned()).collect::<Vec<_>>();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        information(pid).map(|told| vec![text(&told.pbi_name), text(&told.pbi_comm)]).unwrap_or_default()
    }

    fn information(pid: u32) -> Option<libc::proc_bsdinfo> {
        let pid = libc::c_int::try_from(pid).ok()?;
        // SAFETY: the structure consists of integers and arrays of them, for which zero is a value.
        let mut told: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
        let size = libc::c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
        // SAFETY: the pointer and the size describe one live, writable structure of the kind this flavor fills.
        let filled = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, (&raw mut told).cast(), size) };
        (filled == size).then_some(told)
    }
}

#[cfg(all(unix, not(target_os = "linux"), not(target_vendor = "apple")))]
mod system {
    //! Other systems: only whether the number is in use.

    /// Zero, which stands for an unknown start, if the number is in use.
    pub(super) fn started_ticks(pid: u32) -> Option<u64> {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
        let there = matches!(rustix::process::test_kill_process(pid), Ok(()) | Err(rustix::io::Errno::PERM));
        there.then_some(0)
    }

    /// Not told.
    pub(super) fn parent(_pid: u32) -> Option<u32> {
        None
    }

    /// Not told.
    pub(super) fn programs(_pid: u32) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_process_that_started_this_one_is_found_by_the_name_of_its_program() {
        let parent = system::parent(std::process::id()).expect("somebody started this test");
        let names = system::programs(parent);
        let stem = names[0].split('.').next().expect("a program has a name");
        assert_eq!(Process::ancestor(&["no such program", stem]), Process::of(parent));
        assert_eq!(Process::ancestor(&["no such program"]), None);
        assert_eq!(Process::ancestor(&[]), None);
    }
}
