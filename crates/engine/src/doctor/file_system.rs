//! Which kind of file system a folder lies on, from the kernel's own list of mounts. Where there is no such list, nobody
//! knows.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The kind of the file system that holds `folder`, like `ext4`.
pub(super) fn kind_of(folder: &Path) -> Option<String> {
    let mounts = disk::state::read(Path::new("/proc/self/mountinfo")).ok()??;
    kind_in(&mounts, folder.as_os_str().as_bytes())
}

/// The nearest mount above the folder decides; of several at one place the last.
fn kind_in(mounts: &[u8], folder: &[u8]) -> Option<String> {
    let mut best: Option<(usize, &[u8])> = None;
    for line in mounts.split(|byte| *byte == b'\n') {
        let Some((place, kind)) = parse(line) else { continue };
        let holds = place == b"/" || folder == place || folder.starts_with(&[&place[..], b"/"].concat());
        if holds && best.is_none_or(|(length, _)| place.len() >= length) {
            best = Some((place.len(), kind));
        }
    }
    best.map(|(_, kind)| String::from_utf8_lossy(kind).into_owned())
}

/// The mount point and the kind in a line like `36 35 98:0 / /home rw,noatime shared:1 - ext4 /dev/sda1 rw`.
fn parse(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut words = line.split(|byte| *byte == b' ');
    let place = unescaped(words.nth(4)?);
    words.find(|word| *word == b"-")?;
    Some((place, words.next()?))
}

/// The kernel writes blanks, line ends and backslashes as `\` and three octal digits.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, tail @ ..] = rest {
        let number = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &[u8] = b"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
        2 1 8:2 / /home rw shared:1 master:2 - btrfs /dev/sda2 rw\n\
        3 1 8:3 / /mnt/a\\040b rw - vfat /dev/sdb1 rw\n\
        broken line\n";

    #[test]
    fn the_nearest_mount_above_a_folder_decides() {
        let kind = |folder: &str| kind_in(MOUNTS, folder.as_bytes());
        assert_eq!(kind("/home/ann/x").as_deref(), Some("btrfs"));
        assert_eq!(kind("/homes").as_deref(), Some("ext4"));
        assert_eq!(kind("/mnt/a b/c").as_deref(), Some("vfat"));
        assert_eq!(kind_in(b"", b"/home"), None);
    }
}
