//! [`DiskError`]: a refused call, with the verb and the path, so that a message can say what was tried on what.

use std::io;
use std::path::Path;

use rustix::io::Errno;

/// A call that the operating system refused. Unless the call says otherwise, nothing on disk was changed by it.
#[derive(Debug, thiserror::Error)]
#[error("Could not {verb} `{path}`")]
pub struct DiskError {
    /// What was tried, as in "could not *read* `a.txt`".
    pub verb: &'static str,
    /// On what, for people; bytes that are not UTF-8 are shown escaped.
    pub path: String,
    /// What the operating system said.
    #[source]
    pub source: io::Error,
}

impl DiskError {
    /// The failed `verb` on an absolute path.
    pub(crate) fn at(verb: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        use std::os::unix::ffi::OsStrExt as _;
        Self { verb, path: escaped(path.as_os_str().as_bytes()), source: source.into() }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// The number the operating system gave.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.source.raw_os_error()
    }

    /// Whether nothing was there.
    pub fn is_not_found(&self) -> bool {
        self.is(&[Errno::NOENT])
    }

    /// Whether the disk or a quota is full.
    pub fn is_no_space(&self) -> bool {
        self.is(&[Errno::NOSPC, Errno::DQUOT])
    }

    /// Whether the operating system does not permit it: rights, an immutable file, a read-only file system.
    pub fn is_permission(&self) -> bool {
        self.is(&[Errno::ACCESS, Errno::PERM, Errno::ROFS])
    }

    /// Whether something was there that must not be.
    pub fn is_exists(&self) -> bool {
        self.is(&[Errno::EXIST])
    }

    /// Whether a folder still holds something.
    pub fn is_not_empty(&self) -> bool {
        self.is(&[Errno::NOTEMPTY, Errno::EXIST])
    }

    /// Whether something on the way is no real folder: a link, a file, or a way out of the root.
    pub fn leads_astray(&self) -> bool {
        self.is(&[Errno::LOOP, Errno::NOTDIR, Errno::XDEV])
    }

    /// Whether the name cannot be renamed because it is a mount point or lies on another file system.
    pub fn is_mount_point(&self) -> bool {
        self.is(&[Errno::BUSY, Errno::XDEV])
    }

    fn is(&self, numbers: &[Errno]) -> bool {
        self.raw_os_error().is_some_and(|number| numbers.iter().any(|errno| errno.raw_os_error() == number))
    }
}

/// Bytes as text for people: what is not UTF-8 is shown as `\xNN`.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("because writing into a string cannot fail");
        }
    }
    text
}
