//! Messages are lines. Reads one after the other and holds no more of a line than may be.

use std::io::{self, BufRead, Read};

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// All of it, without its end.
    Whole(Vec<u8>),
    /// It was longer than allowed, and was passed over.
    TooLong,
}

/// The next line; none at the end. The last one needs no line break.
pub(super) fn next(reader: &mut impl BufRead, size_bytes_max: u64) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(size_bytes_max + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() as u64 > size_bytes_max {
        drop(bytes);
        reader.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    Ok(Some(Line::Whole(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_a_long_one_is_passed_over() {
        let mut reader = io::BufReader::with_capacity(4, &b"12345\n\n1234567890\nend"[..]);
        let mut next = || next(&mut reader, 5).expect("a line");
        assert_eq!(next(), Some(Line::Whole(b"12345".to_vec())));
        assert_eq!(next(), Some(Line::Whole(Vec::new())));
        assert_eq!(next(), Some(Line::TooLong));
        assert_eq!(next(), Some(Line::Whole(b"end".to_vec())));
        assert_eq!(next(), None);
    }
}
