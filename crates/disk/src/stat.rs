//! [`Stat`]: everything the operating system tells of a thing without opening it.

use model::{EntryKind, Mode, SpecialKind, Stamp};
use rustix::fs::FileType;

use crate::clock;

/// What one look at a path told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What kind of thing it is; never [`EntryKind::Absent`].
    pub kind: EntryKind,
    /// Which kind of special file, if it is one.
    pub special: Option<SpecialKind>,
    /// Its permission bits.
    pub mode: Mode,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// The mount it was reached through; where the system does not say, its device.
    pub mount: u64,
    /// The rest, with the time right before the look.
    pub stamp: Stamp,
}

impl Stat {
    /// What `statx` tells.
    #[cfg(target_os = "linux")]
    pub(crate) fn from_statx(told: &rustix::fs::Statx, looked_ns: i64) -> Self {
        use rustix::fs::StatxFlags;
        let device = rustix::fs::makedev(told.stx_dev_major, told.stx_dev_minor);
        let has = |flag: StatxFlags| told.stx_mask & flag.bits() != 0;
        let time = |at: rustix::fs::StatxTimestamp| clock::nanoseconds(at.tv_sec, i64::from(at.tv_nsec));
        let (kind, special) = kinds(FileType::from_raw_mode(told.stx_mode.into()));
        Self {
            kind,
            special,
            mode: Mode::new(told.stx_mode.into()),
            uid: told.stx_uid,
            gid: told.stx_gid,
            mount: if has(StatxFlags::MNT_ID) { told.stx_mnt_id } else { device },
            stamp: Stamp {
                device,
                inode: told.stx_ino,
                links: told.stx_nlink,
                size_bytes: told.stx_size,
                modified_ns: time(told.stx_mtime),
                changed_ns: time(told.stx_ctime),
                born_ns: if has(StatxFlags::BTIME) { time(told.stx_btime) } else { 0 },
                looked_ns,
            },
        }
    }

    /// What `stat` tells on every unix.
    #[allow(clippy::unnecessary_cast, reason = "the widths of these fields differ between systems")]
    pub(crate) fn from_stat(told: &rustix::fs::Stat, looked_ns: i64) -> Self {
        let device = told.st_dev as u64;
        let (kind, special) = kinds(FileType::from_raw_mode(told.st_mode as _));
        Self {
            kind,
            special,
            mode: Mode::new(told.st_mode as u32),
            uid: told.st_uid,
            gid: told.st_gid,
            mount: device,
            stamp: Stamp {
                device,
                inode: told.st_ino as u64,
                links: u32::try_from(told.st_nlink).unwrap_or(u32::MAX),
                size_bytes: u64::try_from(told.st_size).unwrap_or(0),
                modified_ns: clock::nanoseconds(told.st_mtime as i64, told.st_mtime_nsec as i64),
                changed_ns: clock::nanoseconds(told.st_ctime as i64, told.st_ctime_nsec as i64),
                born_ns: 0,
                looked_ns,
            },
        }
    }

    /// Whether both looks saw the same thing in the same state, whatever its name.
    pub fn is_unchanged(&self, other: &Stat) -> bool {
        self.stamp.is_unchanged(&other.stamp) && (self.kind, self.mode) == (other.kind, other.mode)
    }
}

/// A file type in our words.
pub(crate) fn kinds(file_type: FileType) -> (EntryKind, Option<SpecialKind>) {
    match file_type {
        FileType::RegularFile => (EntryKind::File, None),
        FileType::Symlink => (EntryKind::Link, None),
        FileType::Directory => (EntryKind::Dir, None),
        FileType::Fifo => (EntryKind::Special, Some(SpecialKind::Pipe)),
        FileType::Socket => (EntryKind::Special, Some(SpecialKind::Socket)),
        _ => (EntryKind::Special, Some(SpecialKind::Device)),
    }
}
