//! Renaming, exchanging and linking names, never over something that is there.
//!
//! Where the system or the file system lacks the call, a fallback does the same in several steps. Each is arranged so
//! that no bytes can be lost in between; what can be seen in between is said at each.

use rustix::fs::{AtFlags, linkat, renameat, unlinkat};
use rustix::io::Errno;

use super::{Dir, durably, single};
use crate::{DiskError, Stat};

/// What the fallback of [`Dir::exchange`] appends to its first name for the time of the exchange.
const MEANWHILE: &[u8] = b".out";

impl Dir {
    /// Exchanges what two names in this folder hold, so that neither is ever absent.
    ///
    /// Fallback: `b` is renamed to a third name (`a` with `.out` after it), `a` becomes `b`, the third name becomes `a`.
    /// For an instant `b` is absent. If somebody makes a new `b` in that instant, it stays, the exchange fails with
    /// [`DiskError::is_exists`], and what was `b` waits under the third name. After a crash [`Dir::mend_exchange`] puts
    /// right what it left.
    pub fn exchange(&self, a: &[u8], b: &[u8]) -> Result<(), DiskError> {
        let names = single(a).and_then(|a| single(b).map(|b| (a, b)));
        names.and_then(|(a, b)| self.exchange_raw(a, b)).map_err(|errno| self.error("exchange", b, errno))
    }

    /// Finishes or takes back an exchange of `a` and `b` that the fallback left half done; does nothing otherwise.
    ///
    /// Afterwards either both names hold what they held before it, or they are exchanged. Fails with
    /// [`DiskError::is_exists`] if somebody made a new thing at both names: then three things stay under three names.
    pub fn mend_exchange(&self, a: &[u8], b: &[u8]) -> Result<(), DiskError> {
        let meanwhile = [a, MEANWHILE].concat();
        let Some(waiting) = self.stat(&meanwhile)? else { return Ok(()) };
        let (first, second) = (self.stat(a)?, self.stat(b)?);
        let is_same = |one: Option<Stat>, other: Stat| one.is_some_and(|one| one.stamp.is_same_thing(&other.stamp));
        match second {
            None => return self.rename_no_replace(&meanwhile, self, b),
            Some(_) if is_same(first, waiting) => return self.unlink(&meanwhile),
            Some(second) if is_same(first, second) => self.unlink(a)?,
            Some(_) => {}
        }
        self.rename_no_replace(&meanwhile, self, a)
    }

    /// Whether an exchange with `a` as its first name was left half done, so that it has to be mended.
    pub fn has_unfinished_exchange(&self, a: &[u8]) -> Result<bool, DiskError> {
        self.stat(&[a, MEANWHILE].concat()).map(|stat| stat.is_some())
    }

    /// Renames `from` in this folder to `to` in another, where nothing may be.
    ///
    /// Fails with [`DiskError::is_exists`] if something is there; nothing is changed then. Fallback: for anything but a
    /// folder a second name is made and the first removed, so that both names are there for an instant; a folder is
    /// renamed after a look, and an empty folder that somebody makes in that instant is replaced.
    pub fn rename_no_replace(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), DiskError> {
        let names = single(from).and_then(|from| single(to).map(|to| (from, to)));
        names
            .and_then(|(from, to)| self.rename_raw(from, to_dir, to))
            .map_err(|errno| self.error("rename", from, errno))
    }

    /// Gives the file `from` in this folder a second name, `to`, in another, where nothing may be.
    ///
    /// Fails with [`DiskError::is_exists`] if something is there.
    pub fn link_no_replace(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), DiskError> {
        let names = single(from).and_then(|from| single(to).map(|to| (from, to)));
        names
            .and_then(|(from, to)| durably(|| linkat(&self.fd, from, &to_dir.fd, to, AtFlags::empty())))
            .map_err(|errno| self.error("link", from, errno))
    }

    fn exchange_raw(&self, a: &[u8], b: &[u8]) -> Result<(), Errno> {
        if self.calls.are_native() {
            match durably(|| native::exchange(self, a, b)) {
                Err(errno) if super::may_be_unknown(errno) => {}
                result => return result,
            }
        }
        self.exchange_portable(a, b)
    }

    fn exchange_portable(&self, a: &[u8], b: &[u8]) -> Result<(), Errno> {
        let meanwhile = [a, MEANWHILE].concat();
        self.stat_raw(a)?;
        self.rename_checked(b, self, &meanwhile)?;
        if let Err(errno) = self.rename_portable(a, self, b) {
            // Nothing is lost if this fails too: somebody made a new `b`, and the old one keeps its third name.
            _ = self.rename_portable(&meanwhile, self, b);
            return Err(errno);
        }
        self.rename_portable(&meanwhile, self, a)
    }

    fn rename_raw(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), Errno> {
        if self.calls.are_native() {
            match durably(|| native::rename_no_replace(self, from, to_dir, to)) {
                Err(errno) if super::may_be_unknown(errno) => {}
                result => return result,
            }
        }
        self.rename_portable(from, to_dir, to)
    }

    fn rename_portable(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), Errno> {
        match durably(|| linkat(&self.fd, from, &to_dir.fd, to, AtFlags::empty())) {
            Ok(()) => self.drop_first_name(from, to_dir, to),
            // No second name for a folder, and none at all on some file systems.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::NOSYS) => self.rename_checked(from, to_dir, to),
            Err(errno) => Err(errno),
        }
    }

    /// Removes `from` after `to` was made its second name, unless somebody has put another thing there meanwhile.
    fn drop_first_name(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), Errno> {
        let (first, second) = (self.stat_raw(from)?, to_dir.stat_raw(to)?);
        if !first.stamp.is_same_thing(&second.stamp) {
            return Ok(());
        }
        durably(|| unlinkat(&self.fd, from, AtFlags::empty())).inspect_err(|_| {
            // Back to one name; should that fail too, both are names of the same thing.
            _ = unlinkat(&to_dir.fd, to, AtFlags::empty());
        })
    }

    /// A rename after a look that nothing is at `to`; for names that nobody else makes, and for folders.
    fn rename_checked(&self, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), Errno> {
        match to_dir.stat_raw(to) {
            Err(Errno::NOENT) => durably(|| renameat(&self.fd, from, &to_dir.fd, to)),
            Ok(_) => Err(Errno::EXIST),
            Err(errno) => Err(errno),
        }
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod native {
    //! The calls of Linux and macOS that do it at once.

    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;

    use crate::Dir;

    pub(super) fn exchange(dir: &Dir, a: &[u8], b: &[u8]) -> Result<(), Errno> {
        renameat_with(&dir.fd, a, &dir.fd, b, RenameFlags::EXCHANGE)
    }

    pub(super) fn rename_no_replace(dir: &Dir, from: &[u8], to_dir: &Dir, to: &[u8]) -> Result<(), Errno> {
        renameat_with(&dir.fd, from, &to_dir.fd, to, RenameFlags::NOREPLACE)
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
mod native {
    //! Other systems have no such calls.

    use rustix::io::Errno;

    use crate::Dir;

    pub(super) fn exchange(_: &Dir, _: &[u8], _: &[u8]) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    pub(super) fn rename_no_replace(_: &Dir, _: &[u8], _: &Dir, _: &[u8]) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }
}
