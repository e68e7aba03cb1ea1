//! [`WorkspacePath`]: a path below the root of a workspace, as bytes. It cannot hold `..`, an absolute path or a NUL
//! byte, so holding one means that it does not lead out of the root by its spelling (links are the guard's affair).

use std::fmt;

/// A path relative to the root of a workspace; the empty path is the root itself.
///
/// Components are separated by one `/`, none is empty, `.` or `..`, and no byte is NUL. Any other byte is allowed:
/// names need not be UTF-8. The order is that of the components' bytes with a parent before its children.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WorkspacePath(Vec<u8>);

/// Bytes that are not a path below a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The bytes, as text for people.
    pub given: String,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a path inside the workspace", self.given)
    }
}

impl std::error::Error for PathError {}

impl WorkspacePath {
    /// The root itself.
    pub fn root() -> Self {
        Self(Vec::new())
    }

    /// Takes the bytes of a relative path; a trailing `/` is allowed and dropped.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, PathError> {
        let mut bytes = bytes.into();
        if bytes.ends_with(b"/") && bytes.len() > 1 {
            bytes.pop();
        }
        let sound = bytes.is_empty() || bytes.split(|&b| b == b'/').all(is_name);
        if sound { Ok(Self(bytes)) } else { Err(PathError { given: String::from_utf8_lossy(&bytes).into_owned() }) }
    }

    /// The path as bytes, without a leading or trailing `/`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The names from the root down to this path; none for the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|&b| b == b'/').filter(|name| !name.is_empty())
    }

    /// How many names lie between the root and this path.
    pub fn depth(&self) -> usize {
        self.components().count()
    }

    /// The last name; none for the root.
    pub fn name(&self) -> Option<&[u8]> {
        self.components().next_back()
    }

    /// The folder that holds this path; none for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.iter().rposition(|&b| b == b'/').unwrap_or(0);
        Some(Self(self.0[..end].to_vec()))
    }

    /// Every folder above this path, the nearest first, the root last.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// The path of `name` in this folder. Fails if `name` is not a single name.
    pub fn child(&self, name: &[u8]) -> Result<Self, PathError> {
        if !is_name(name) || name.contains(&b'/') {
            return Err(PathError { given: String::from_utf8_lossy(name).into_owned() });
        }
        let mut bytes = self.0.clone();
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name);
        Ok(Self(bytes))
    }

    /// Whether this path is `folder` or lies below it.
    pub fn is_at_or_below(&self, folder: &Self) -> bool {
        folder.is_root()
            || self.0 == folder.0
            || (self.0.starts_with(&folder.0) && self.0.get(folder.0.len()) == Some(&b'/'))
    }

    /// Whether a name on this path is `.git`, so that it belongs to git and not to us.
    pub fn is_inside_git(&self) -> bool {
        self.components().any(|name| name == b".git")
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name != b"." && name != b".." && !name.contains(&0)
}

impl Ord for WorkspacePath {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.components().cmp(other.components())
    }
}

impl PartialOrd for WorkspacePath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// For people and logs: bytes that are not UTF-8 are shown as `\xNN`; not made safe for a terminal.
impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            f.write_str(chunk.valid())?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a good path")
    }

    #[test]
    fn a_path_that_leads_out_of_the_root_cannot_be_made() {
        for text in ["..", "a/../b", "/etc", "a//b", ".", "a/.", "a\0b", "/"] {
            assert!(WorkspacePath::new(text).is_err(), "{text:?}");
        }
        for name in ["", ".", "..", "a/b", "a\0"] {
            assert!(path("x").child(name.as_bytes()).is_err(), "{name:?}");
        }
    }

    #[test]
    fn parents_and_children_fit_together() {
        assert_eq!(path("a/b").parent(), Some(path("a")));
        assert_eq!(path("a").parent(), Some(WorkspacePath::root()));
        assert_eq!(WorkspacePath::root().parent(), None);
        assert_eq!(WorkspacePath::root().child(b"a"), Ok(path("a")));
        assert_eq!(path("a/b/c").ancestors().collect::<Vec<_>>(), [path("a/b"), path("a"), path("")]);
    }

    #[test]
    fn below_means_whole_names() {
        assert!(path("a/b").is_at_or_below(&path("a")));
        assert!(!path("ab").is_at_or_below(&path("a")));
        assert!(path("a").is_at_or_below(&WorkspacePath::root()));
    }

    #[test]
    fn a_folder_sorts_before_what_is_in_it_and_its_neighbours_after() {
        let mut paths = [path("a.b"), path("a/b"), path("a")];
        paths.sort();
        assert_eq!(paths, [path("a"), path("a/b"), path("a.b")]);
    }

    #[test]
    fn bytes_beyond_utf8_are_shown_escaped() {
        assert_eq!(WorkspacePath::new(b"x\xff.txt".to_vec()).map(|p| p.to_string()), Ok("x\\xff.txt".to_owned()));
    }
}
