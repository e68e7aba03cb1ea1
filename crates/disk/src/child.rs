//! Running a program of somebody else and waiting for it, but not for ever. Whatever is started here is ended here.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use thiserror::Error;

/// Output beyond this is thrown away.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;
/// How long one sleeps between two looks at a child.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How long a program that one has talked with may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a program said and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output, at most 16 MiB of it.
    pub stdout: Vec<u8>,
    /// Its standard error, at most 16 MiB of it.
    pub stderr: Vec<u8>,
}

/// Why a program did not come to its end.
#[derive(Debug, Error)]
pub enum ChildError {
    /// It could not be started.
    #[error("`{program}` could not be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It took too long and was ended.
    #[error("`{program}` took longer than {limit:?} and was ended")]
    TooLong {
        /// The program.
        program: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// Its pipes broke.
    #[error("`{program}` could not be listened to: {source}")]
    Listen {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

/// A program to be run.
#[derive(Debug, Clone)]
pub struct Invocation<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a OsStr],
    /// Variables that are set besides those of this process, or instead of them.
    pub variables: &'a [(&'a str, &'a OsStr)],
    /// Variables of this process that the program does not get.
    pub removed_variables: &'a [&'a str],
    /// The folder it runs in; none: the root.
    pub folder: Option<&'a Path>,
    /// What it reads.
    pub input: &'a [u8],
    /// How long it is waited for.
    pub limit: Duration,
}

/// Runs a program to its end. When the time is over it is ended and collected; nothing of it stays behind but what it
/// started itself.
pub fn run(invocation: &Invocation<'_>) -> Result<Output, ChildError> {
    let name = invocation.program.display().to_string();
    let mut child = start(invocation).map_err(|source| ChildError::Start { program: name.clone(), source })?;
    feed(&mut child, invocation.input);
    let stdout = listen(child.stdout.take());
    let stderr = listen(child.stderr.take());
    let deadline = Instant::now() + invocation.limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let rest = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(200));
                let heard = |from: &mpsc::Receiver<Vec<u8>>| from.recv_timeout(rest).unwrap_or_default();
                return Ok(Output { status: status.code(), stdout: heard(&stdout), stderr: heard(&stderr) });
            }
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_AGAIN),
            Ok(None) => {
                end(&mut child);
                return Err(ChildError::TooLong { program: name, limit: invocation.limit });
            }
            Err(source) => {
                end(&mut child);
                return Err(ChildError::Listen { program: name, source });
            }
        }
    }
}

/// A program that one talks with, line by line. When this is dropped the program is ended and collected.
#[derive(Debug)]
pub struct Talk {
    name: String,
    child: Child,
    said: mpsc::Receiver<String>,
}

impl Talk {
    /// Starts a program to talk with. Its standard error is thrown away; the invocation's input and limit do not count.
    pub fn begin(invocation: &Invocation<'_>) -> Result<Self, ChildError> {
        let name = invocation.program.display().to_string();
        let mut child = start(invocation).map_err(|source| ChildError::Start { program: name.clone(), source })?;
        _ = listen(child.stderr.take());
        let said = lines(child.stdout.take());
        Ok(Self { name, child, said })
    }

    /// Says one line.
    pub fn say(&mut self, line: &str) -> Result<(), ChildError> {
        use std::io::Write as _;
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = self.child.stdin.as_mut().ok_or_else(closed);
        let written =
            stdin.and_then(|stdin| stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()));
        written.map_err(|source| ChildError::Listen { program: self.name.clone(), source })
    }

    /// The next line it says; waits at most so long.
    pub fn hear(&mut self, limit: Duration) -> Result<String, ChildError> {
        self.said.recv_timeout(limit).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => ChildError::TooLong { program: self.name.clone(), limit },
            mpsc::RecvTimeoutError::Disconnected => {
                ChildError::Listen { program: self.name.clone(), source: io::ErrorKind::UnexpectedEof.into() }
            }
        })
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // A program that is told that nobody says anything more may tidy up after itself.
        drop(self.child.stdin.take());
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK_AGAIN);
        }
        end(&mut self.child);
    }
}

/// The program of this name in a list of folders like `PATH`.
pub fn find_program(name: &str, search_path: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|told| told.is_file() && told.permissions().mode() & 0o111 != 0)
    };
    let folders = search_path.split(':').filter(|folder| folder.starts_with('/'));
    folders.map(|folder| Path::new(folder).join(name)).find(is_program)
}

fn start(invocation: &Invocation<'_>) -> io::Result<Child> {
    let mut command = Command::new(invocation.program);
    command.args(invocation.arguments).current_dir(invocation.folder.unwrap_or(Path::new("/")));
    invocation.removed_variables.iter().for_each(|name| _ = command.env_remove(name));
    command.envs(invocation.variables.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// Hands over the input in a thread of its own: a program that does not read must not hold anybody up.
fn feed(child: &mut Child, input: &[u8]) {
    use std::io::Write as _;
    let Some(mut stdin) = child.stdin.take() else { return };
    let input = input.to_vec();
    // A program that ends without reading everything is no fault.
    std::thread::spawn(move || _ = stdin.write_all(&input));
}

/// Collects what comes out of a pipe until it closes.
fn listen(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            _ = pipe.by_ref().take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
            _ = told.send(bytes);
            // What is too much is read all the same, so that the program does not wait.
            _ = io::copy(&mut pipe, &mut io::sink());
        }
    });
    heard
}

/// The lines that come out of a pipe, as they come.
fn lines(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    use std::io::BufRead as _;
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        for line in io::BufReader::new(pipe).lines() {
            let Ok(line) = line else { return };
            if told.send(line).is_err() {
                return;
            }
        }
    });
    heard
}

fn end(child: &mut Child) {
    _ = child.kill();
    _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Output, ChildError> {
        let arguments = [OsStr::new("-c"), OsStr::new(script)];
        run(&Invocation {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            variables: &[("GIVEN", OsStr::new("yes"))],
            removed_variables: &["HOME"],
            folder: None,
            input: b"in\n",
            limit,
        })
    }

    #[test]
    fn a_program_is_heard_and_its_end_is_known() {
        let output = shell("read x; echo $x $GIVEN $HOME; echo bad >&2; exit 3", Duration::from_secs(20)).expect("ran");
        assert_eq!((output.status, output.stdout.as_slice()), (Some(3), b"in yes\n".as_slice()));
        assert_eq!(output.stderr, b"bad\n");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let ended = shell("exec sleep 600", Duration::from_millis(50));
        assert!(matches!(ended, Err(ChildError::TooLong { .. })), "{ended:?}");
    }

    #[test]
    fn a_program_is_talked_with_and_ended_when_nobody_listens_any_more() {
        let arguments = [OsStr::new("-c"), OsStr::new("while read x; do echo got $x; done; exec sleep 600")];
        let invocation = Invocation {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            variables: &[],
            removed_variables: &[],
            folder: None,
            input: b"",
            limit: Duration::ZERO,
        };
        let mut talk = Talk::begin(&invocation).expect("started");
        talk.say("one").expect("said");
        assert_eq!(talk.hear(Duration::from_secs(20)).expect("heard"), "got one");
        assert!(matches!(talk.hear(Duration::from_millis(10)), Err(ChildError::TooLong { .. })));
        let pid = talk.child.id();
        drop(talk);
        assert!(crate::Process::of(pid).is_none());
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_and_is_not_found() {
        assert_eq!(find_program("no-such-program", "/bin:relative:/usr/bin"), None);
        assert!(find_program("sh", "/nowhere:/bin:/usr/bin").is_some());
    }
}
