//! From the bytes an agent wrote to JSON that can be read: broken encodings are replaced, never refused. Knows nothing
//! of events.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::TranslateError;

/// Reads one JSON value. Bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD.
pub(crate) fn parse(payload: &[u8]) -> Result<(Value, String), TranslateError> {
    let text = String::from_utf8_lossy(payload);
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, text.to_owned())),
        Err(first) => {
            let mended = replace_lone_surrogates(text);
            serde_json::from_str(&mended)
                .map(|value| (value, mended))
                .map_err(|_| TranslateError::NotJson { reason: first.to_string() })
        }
    }
}

/// The value of a member of an object, as it stands in the text.
pub(crate) fn member(text: &str, name: &str) -> Option<Vec<u8>> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    members.remove(name).map(|value| value.get().as_bytes().to_vec())
}

/// Replaces each `\uD800`–`\uDFFF` escape that has no partner. Agents written in Python or JavaScript print such halves
/// for file names that are not UTF-8.
fn replace_lone_surrogates(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), unit(rest.get(6..).unwrap_or_default())) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    mended
}

/// The code unit of a `\uXXXX` escape at the start of the text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_encodings_are_replaced_and_the_rest_is_kept() {
        let (value, _) = parse(b"{\"a\":\"x\\udcffy\",\"b\":\"\\ud83e\\udd80\",\"c\":\"\\\\udcff\"}").expect("mended");
        assert_eq!(value["a"], "x\u{fffd}y");
        assert_eq!(value["b"], "🦀");
        assert_eq!(value["c"], "\\udcff");
        let (value, _) = parse(b"{\"a\":\"\xff\"}").expect("replaced");
        assert_eq!(value["a"], "\u{fffd}");
    }

    #[test]
    fn a_member_is_what_stands_in_the_text() {
        let text = r#"{"a":1,"b" : [ 1.50, {"z":"\u00e9","a":1e3} ],"c":null}"#;
        assert_eq!(member(text, "b").as_deref(), Some(&br#"[ 1.50, {"z":"\u00e9","a":1e3} ]"#[..]));
        assert_eq!(member(text, "d"), None);
        assert_eq!(member("[]", "b"), None);
    }

    #[test]
    fn half_an_object_is_an_error_and_no_panic() {
        for text in ["", "{", "{\"a\":\"\\u", "{\"a\":\"\\ud8", "\\", "{\"a\":\"\\"] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
