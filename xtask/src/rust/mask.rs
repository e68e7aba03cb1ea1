//! Blanks what is not code: comments, and the insides of strings and character literals. What remains has the same
//! length and the same lines, so a place in it is a place in the source.

/// Returns `text` with comments and the insides of literals replaced by spaces; newlines and quotes stay.
pub(crate) fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        match end_of_hidden(bytes, at) {
            Some(end) => {
                blank(&mut masked[at..end]);
                at = end;
            }
            None => at += 1,
        }
    }
    String::from_utf8_lossy(&masked).into_owned()
}

/// Where the comment or literal that begins at `at` ends; none if none begins there.
fn end_of_hidden(bytes: &[u8], at: usize) -> Option<usize> {
    let is_inside_name = at > 0 && is_name_byte(bytes[at - 1]);
    match &bytes[at..] {
        [b'/', b'/', ..] => Some(find(bytes, at, b"\n").unwrap_or(bytes.len())),
        [b'/', b'*', ..] => Some(end_of_comment(bytes, at)),
        [b'"', ..] => Some(end_of_quoted(bytes, at, b'"')),
        [b'\'', ..] => end_of_character(bytes, at),
        [b'r', ..] if !is_inside_name => end_of_raw(bytes, at + 1),
        [b'b' | b'c', b'r', ..] if !is_inside_name => end_of_raw(bytes, at + 2),
        _ => None,
    }
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A quote opens a character if it is closed after one character or an escape; else it is a lifetime or label.
fn end_of_character(bytes: &[u8], start: usize) -> Option<usize> {
    let first = *bytes.get(start + 1)?;
    if first == b'\\' {
        return Some(end_of_quoted(bytes, start, b'\''));
    }
    let width = match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    (bytes.get(start + 1 + width) == Some(&b'\'')).then_some(start + width + 2)
}

/// The end of a raw string whose hashes begin at `at`; none for a raw identifier.
fn end_of_raw(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + hashes) != Some(&b'"') {
        return None;
    }
    let mut closing = vec![b'"'];
    closing.resize(hashes + 1, b'#');
    let inside = at + hashes + 1;
    Some(find(bytes, inside, &closing).map_or(bytes.len(), |end| end + closing.len()))
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes[from..].windows(wanted.len()).position(|window| window == wanted).map(|offset| from + offset)
}

fn blank(hidden: &mut [u8]) {
    let is_comment = hidden.first() == Some(&b'/');
    for byte in hidden.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
    if let ([first, .., last], false) = (hidden, is_comment) {
        (*first, *last) = (b'"', b'"');
    }
}

/// Whether a byte can be part of a name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, code: &str) {
        assert_eq!(mask(source), code);
    }

    #[test]
    fn comments_are_blanked_also_nested_ones() {
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */ d */ e", "a                   e");
    }

    #[test]
    fn strings_keep_their_quotes_only() {
        check(r#"f("x\"{") + 1"#, r#"f("    ") + 1"#);
        check("\"a\nb\"", "\" \n \"");
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        check("r#\"a\"b\"# + r", "\"      \" + r");
        check("br\"\\\" x", "\"   \" x");
        check("r#type", "r#type");
        check("for\"x\"", "for\" \"");
    }

    #[test]
    fn lifetimes_are_no_characters() {
        check("fn f<'a>(x: &'a str) { '{' }", "fn f<'a>(x: &'a str) { \" \" }");
        check(r"['\'', 'é', b'x']", "[\"  \", \"  \", b\" \"]");
    }

    #[test]
    fn what_is_never_closed_ends_with_the_file() {
        check("a /* b", "a     ");
        check("\"b", "\"\"");
    }
}
