//! As much of HTTP/1.1 as a model server needs: one request per connection, and a reply in one piece or as a stream of
//! events.

use std::io::{BufRead, BufReader, Read, Write};

use serde_json::Value;

use super::dialect::StreamEvent;

/// A request of more bytes is none that a test makes.
const BODY_BYTES_MAX: usize = 64 << 20;

/// One request.
pub(super) struct HttpRequest {
    /// `GET`, `POST` and so on.
    pub(super) method: String,
    /// Its path, without what follows `?`.
    pub(super) path: String,
    /// Its body; null if it has none or it is no JSON.
    pub(super) body: Value,
}

/// Reads one request; none if the other side says something else, or nothing.
pub(super) fn read(connection: impl Read) -> Option<HttpRequest> {
    let mut reader = BufReader::new(connection);
    let first = line(&mut reader)?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let path = target.split('?').next()?.to_owned();
    let mut length = 0;
    let mut is_chunked = false;
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok().filter(|length| *length <= BODY_BYTES_MAX)?,
            "transfer-encoding" => is_chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let bytes = if is_chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Some(HttpRequest { method, path, body: serde_json::from_slice(&bytes).unwrap_or_default() })
}

/// Replies in one piece. A client that has gone does not matter.
pub(super) fn write_whole(mut connection: impl Write, status: u16, body: &Value) {
    let text = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reason(status),
        text.len()
    );
    _ = connection.write_all((head + &text).as_bytes());
}

/// Replies with a stream of events. A client that has gone does not matter.
pub(super) fn write_stream(mut connection: impl Write, events: &[StreamEvent]) {
    let mut text = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned();
    for event in events {
        if let Some(name) = &event.name {
            text.push_str(&format!("event: {name}\n"));
        }
        text.push_str(&format!("data: {}\n\n", event.data));
    }
    _ = connection.write_all(text.as_bytes());
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        _ => "As Planned",
    }
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (reader.read_line(&mut line).ok()? > 0).then(|| line.trim_end().to_owned())
}

fn exactly(reader: &mut impl Read, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let length = usize::from_str_radix(line(reader)?.split(';').next()?.trim(), 16).ok()?;
        if bytes.len().checked_add(length)? > BODY_BYTES_MAX {
            return None;
        }
        bytes.extend(exactly(reader, length)?);
        line(reader)?;
        if length == 0 {
            return Some(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_comes_in_one_piece_or_in_chunks() {
        let whole = read(&b"POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":1}"[..]);
        let parts = read(
            &b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n"[..],
        );
        for request in [whole.expect("a request"), parts.expect("a request")] {
            assert_eq!((request.path.as_str(), request.body["a"].as_u64()), ("/v1/messages", Some(1)));
        }
    }

    #[test]
    fn what_is_no_request_or_too_large_is_not_read() {
        assert!(read(&b""[..]).is_none());
        assert!(read(&b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"[..]).is_none());
    }
}
