//! Places in masked code: words, lines and matching brackets.

use std::ops::Range;

use super::mask::is_name_byte;

/// Every place where `word` stands in `code` as whole words: no name goes on before or after it.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| is_word_at(code, *at, word.len()))
}

/// Whether the `length` bytes at `at` are whole words.
pub(crate) fn is_word_at(code: &str, at: usize, length: usize) -> bool {
    let bytes = code.as_bytes();
    let begins = at == 0 || !is_name_byte(bytes[at - 1]) || !is_name_byte(bytes[at]);
    let end = at + length;
    let ends = end >= bytes.len() || !is_name_byte(bytes[end]) || !is_name_byte(bytes[end - 1]);
    begins && ends
}

/// The line, from 1, on which a place lies.
pub(crate) fn line_of(code: &str, at: usize) -> usize {
    code.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The place of the bracket that closes the one at `open`; none if it is never closed.
pub(crate) fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in code.as_bytes()[open..].iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + offset);
                }
            }
            _ => {}
        }
    }
    None
}

/// The place of the first byte of `wanted` outside all brackets, from `from` on. A wanted `{` is found before it opens.
pub(crate) fn find_outside(code: &str, from: usize, wanted: &[u8]) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            byte if wanted.contains(&byte) => return Some(at),
            b'(' | b'[' | b'{' => at = closing(code, at)? + 1,
            b')' | b']' | b'}' => return None,
            _ => at += 1,
        }
    }
    None
}

/// From `from` to the end of the item there: its closing brace or its semicolon.
pub(crate) fn item(code: &str, from: usize) -> Option<Range<usize>> {
    let end = find_outside(code, from, b"{;")?;
    match code.as_bytes()[end] {
        b'{' => Some(from..closing(code, end)? + 1),
        _ => Some(from..end + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert_eq!(words("fs xfs fs_ (fs)", "fs").collect::<Vec<_>>(), [0, 12]);
        assert_eq!(words("a.unwrap().unwrap_or()", ".unwrap()").count(), 1);
    }

    #[test]
    fn brackets_match_across_kinds() {
        assert_eq!(closing("({[]})x", 0), Some(5));
        assert_eq!(closing("({", 0), None);
    }

    #[test]
    fn an_item_ends_with_its_brace_or_semicolon() {
        assert_eq!(item("fn f(a: [u8; 2]) -> X { {} } fn", 0), Some(0..28));
        assert_eq!(item("mod x; mod y;", 0), Some(0..6));
    }
}
