//! What a structured tool found where it wrote. Somebody may have saved between the barrier and the write; the tool's
//! own word for what it read is the only trace of that, and it is worth as much as its encoding allows.

use model::Entry;

use crate::moment::Original;

/// The entry the tool found, if it is certainly another than `known`; `stored` are the bytes of `known`.
///
/// Tools hand over text: an unknown encoding shows as U+FFFD, and line ends may have been rewritten. Then nothing can be
/// concluded, and nothing is.
pub(crate) fn entry_found(original: &Original, known: &Entry, stored: Option<&[u8]>) -> Option<Entry> {
    let Entry::File { mode, .. } = known else { return None };
    let stored = String::from_utf8_lossy(stored?);
    let is_certain = !original.text.contains('\u{fffd}') && !stored.contains('\u{fffd}');
    if !is_certain || plain(&stored) == plain(&original.text) {
        return None;
    }
    let size_bytes = original.text.len() as u64;
    Some(Entry::File { content: original.content, size_bytes, mode: *mode })
}

/// The text without what editors add or drop on their own.
fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use model::{ContentHash, Mode};

    use super::*;

    fn found(text: &str, stored: &[u8]) -> bool {
        let content = ContentHash([1; 32]);
        let original = Original { paths: Vec::new(), text: text.to_owned(), content };
        let known = Entry::File { content: ContentHash([2; 32]), size_bytes: 1, mode: Mode::new(0o644) };
        entry_found(&original, &known, Some(stored)).is_some()
    }

    #[test]
    fn another_text_was_found_only_if_that_is_certain() {
        assert!(found("user's\n", b"old\n"));
        assert!(!found("old\n", b"old\n"));
        assert!(!found("old\n", b"\xef\xbb\xbfold\r\n"));
        assert!(!found("caf\u{fffd}\n", b"caf\xe9\n"));
        assert!(!found("text\n", b"caf\xe9\n"));
    }
}
