//! Owner, group and extended attributes: what a replaced file hands on to the one that takes its place.

use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Gid, Uid, XattrFlags, chownat, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat,
};
use rustix::io::{Errno, retry_on_intr};

use super::{Dir, single};
use crate::{DiskError, NewFile};

/// Attributes that belong to the content, not to the file, and would be wrong on other content.
const OF_THE_CONTENT: [&[u8]; 2] = [b"security.ima", b"security.evm"];

impl Dir {
    /// Gives `to` the owner, group and extended attributes (access lists included) of the file `from`.
    ///
    /// To be called after the bytes are written, since writing may clear some of them, and before
    /// [`NewFile::finish`]. Afterwards `to` has these attributes and no others. A permission error means that one of
    /// them cannot be kept; `to` is then good for nothing but to be removed. The file `from` is only read.
    pub fn copy_attributes(&self, from: &[u8], to: &NewFile) -> Result<(), DiskError> {
        single(from)
            .and_then(|name| self.open_plainly(name))
            .and_then(|source| copy(&source, to.fd()))
            .map_err(|errno| self.error("keep owner, group and attributes of", from, errno))
    }

    /// Gives the link `to` in this folder the owner and group of `from`.
    pub fn copy_owner(&self, from: &[u8], to: &[u8]) -> Result<(), DiskError> {
        single(from)
            .and_then(|from| single(to).map(|to| (from, to)))
            .and_then(|(from, to)| self.copy_owner_raw(from, to))
            .map_err(|errno| self.error("keep owner and group of", from, errno))
    }

    fn copy_owner_raw(&self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let (source, target) = (self.stat_raw(from)?, self.stat_raw(to)?);
        if (source.uid, source.gid) == (target.uid, target.gid) {
            return Ok(());
        }
        let (uid, gid) = (Uid::from_raw(source.uid), Gid::from_raw(source.gid));
        retry_on_intr(|| chownat(&self.fd, to, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW))
    }
}

fn copy(source: &OwnedFd, target: &OwnedFd) -> Result<(), Errno> {
    let (from, to) = (fstat(source)?, fstat(target)?);
    if (from.st_uid, from.st_gid) != (to.st_uid, to.st_gid) {
        let (uid, gid) = (Uid::from_raw(from.st_uid), Gid::from_raw(from.st_gid));
        retry_on_intr(|| fchown(target, Some(uid), Some(gid)))?;
    }
    copy_extended(source, target)
}

fn copy_extended(source: &OwnedFd, target: &OwnedFd) -> Result<(), Errno> {
    let wanted = names(source)?;
    for name in names(target)?.iter().filter(|name| !wanted.contains(name)) {
        fremovexattr(target, &name[..])?;
    }
    for name in &wanted {
        let value = value(source, name)?;
        if value.is_none() || value == self::value(target, name)? {
            continue;
        }
        fsetxattr(target, &name[..], &value.unwrap_or_default(), XattrFlags::empty())?;
    }
    Ok(())
}

/// The names of the attributes that a file hands on; none where the file system has no attributes.
fn names(fd: &OwnedFd) -> Result<Vec<Vec<u8>>, Errno> {
    let list = match grown(|buffer| flistxattr(fd, buffer)) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Vec::new()),
        list => list?,
    };
    let names = list.split(|&byte| byte == 0).filter(|name| !name.is_empty() && !OF_THE_CONTENT.contains(name));
    Ok(names.map(<[u8]>::to_vec).collect())
}

/// The value of one attribute; none if the file does not have it.
fn value(fd: &OwnedFd, name: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
    match grown(|buffer| fgetxattr(fd, name, buffer)) {
        Err(Errno::NODATA) => Ok(None),
        value => value.map(Some),
    }
}

/// Reads into a buffer that grows until everything fits.
fn grown(mut read: impl FnMut(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 1024];
    loop {
        match retry_on_intr(|| read(&mut buffer)) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            // The kernel's own limit is 64 KiB.
            Err(Errno::RANGE) if buffer.len() < 1024 * 1024 => buffer.resize(buffer.len() * 8, 0),
            Err(errno) => return Err(errno),
        }
    }
}
