//! [`Mutation`]: one way in which what a client has written can be damaged, or forged.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

/// One damage to a file of lines.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    /// A line is gone.
    Delete(Index),
    /// A line stands there twice, the second time further on or further up.
    Repeat(Index, Index),
    /// Two lines have changed places.
    Swap(Index, Index),
    /// The file ends within a line.
    Truncate(Index),
    /// A piece of a line is gone.
    Tear(Index, Index),
    /// A line nobody knows stands among the others.
    Insert(Index, Vec<u8>),
    /// A value in a line is another one.
    Replace(Index, Index, Value),
    /// A value in a line is that which stands in the same place of another line.
    Copy(Index, Index, Index),
    /// A line has a member more.
    Add(Index, String, Value),
}

/// Ids that nobody should have, and that are to lead nowhere.
pub(crate) const STRANGE_IDS: [&str; 12] = [
    "",
    ".",
    "..",
    "../../x",
    "/etc/passwd",
    "a/b",
    "a\0b",
    "a\nb",
    "x; touch y",
    "$(touch y)",
    "\u{202e}x",
    "' OR 1=1 --",
];

/// Any damage.
pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Mutation::Delete),
        (at(), at()).prop_map(|(line, to)| Mutation::Repeat(line, to)),
        (at(), at()).prop_map(|(one, other)| Mutation::Swap(one, other)),
        at().prop_map(Mutation::Truncate),
        (at(), at()).prop_map(|(line, place)| Mutation::Tear(line, place)),
        (at(), record()).prop_map(|(line, record)| Mutation::Insert(line, record)),
        (at(), at(), value()).prop_map(|(line, place, value)| Mutation::Replace(line, place, value)),
        (at(), at(), at()).prop_map(|(line, place, from)| Mutation::Copy(line, place, from)),
        (at(), "[a-zA-Z]{1,12}", value()).prop_map(|(line, name, value)| Mutation::Add(line, name, value)),
    ]
}

/// A value of any kind.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        select(STRANGE_IDS.to_vec()).prop_map(Value::from),
        Just(Value::from("a".repeat(100_000))),
        Just(json!([])),
        Just(json!({})),
        Just(json!([{ "type": "text", "text": 1 }, null, "x"])),
        Just(json!({ "a": [{ "b": {} }] })),
    ]
}

/// A line that no client writes.
fn record() -> impl Strategy<Value = Vec<u8>> {
    let known_types =
        ["user", "assistant", "system", "last-prompt", "session_meta", "event_msg", "response_item", "later"];
    let typed = (select(known_types.to_vec()), value())
        .prop_map(|(kind, value)| json!({ "type": kind, "uuid": "u", "payload": value, "message": value }).to_string());
    prop_oneof![
        typed.prop_map(String::into_bytes),
        value().prop_map(|value| value.to_string().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..200),
        Just(b"[".repeat(5_000)),
        Just(b"{\"a\":".repeat(5_000)),
        Just(b"\xff\xfe\0\0".to_vec()),
        Just(b"{\"type\":\"user\",\"type\":\"assistant\"}".to_vec()),
    ]
}

/// Lines with the damages done to them, one after the other.
pub(crate) fn mutated(file: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = file.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for mutation in mutations {
        if lines.is_empty() {
            break;
        }
        mutate(&mut lines, mutation);
    }
    lines.join(&b'\n')
}

fn mutate(lines: &mut Vec<Vec<u8>>, mutation: &Mutation) {
    let count = lines.len();
    match mutation {
        Mutation::Delete(line) => _ = lines.remove(line.index(count)),
        Mutation::Repeat(line, to) => lines.insert(to.index(count), lines[line.index(count)].clone()),
        Mutation::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
        Mutation::Truncate(place) => {
            let total = lines.iter().map(|line| line.len() + 1).sum();
            let mut left = place.index(total);
            lines.retain_mut(|line| {
                let is_there = left > 0;
                line.truncate(left);
                left = left.saturating_sub(line.len() + 1);
                is_there
            });
        }
        Mutation::Tear(line, place) => {
            let line = &mut lines[line.index(count)];
            let from = place.index(line.len() + 1);
            let to = (from + 7).min(line.len());
            line.drain(from..to);
        }
        Mutation::Insert(line, record) => lines.insert(line.index(count), record.clone()),
        Mutation::Replace(line, place, value) => {
            change(&mut lines[line.index(count)], |row| {
                let pointers = pointers(row);
                let slot = row.pointer_mut(&pointers[place.index(pointers.len())]);
                *slot.expect("a pointer into it points at something") = value.clone();
            });
        }
        Mutation::Copy(line, place, from) => {
            let other: Value = serde_json::from_slice(&lines[from.index(count)]).unwrap_or_default();
            change(&mut lines[line.index(count)], |row| {
                let pointers = pointers(row);
                let pointer = &pointers[place.index(pointers.len())];
                if let (Some(slot), Some(value)) = (row.pointer_mut(pointer), other.pointer(pointer)) {
                    *slot = value.clone();
                }
            });
        }
        Mutation::Add(line, name, value) => change(&mut lines[line.index(count)], |row| {
            if let Some(row) = row.as_object_mut() {
                row.insert(name.clone(), value.clone());
            }
        }),
    }
}

/// Changes a line that is JSON. What a column of a database holds is JSON in a text.
fn change(line: &mut Vec<u8>, with: impl FnOnce(&mut Value)) {
    let Ok(mut row) = serde_json::from_slice::<Value>(line) else { return };
    let column = row.pointer("/row/data").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    if let Some(inner) = column {
        row["row"]["data"] = inner;
    }
    with(&mut row);
    if let Some(data) = row.pointer_mut("/row/data").filter(|data| data.is_object()) {
        *data = Value::from(data.to_string());
    }
    *line = row.to_string().into_bytes();
}

/// The places in a value, itself first.
fn pointers(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut add = |name: &str, inner: &Value| {
        let name = name.replace('~', "~0").replace('/', "~1");
        found.extend(pointers(inner).into_iter().map(|pointer| format!("/{name}{pointer}")));
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, inner)| add(name, inner)),
        Value::Array(values) => values.iter().enumerate().for_each(|(at, inner)| add(&at.to_string(), inner)),
        _ => {}
    }
    found
}

/// The ids by which lines hang together: every string that stands in two lines at least.
pub(crate) fn shared_texts(file: &[u8]) -> Vec<String> {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for line in file.split(|byte| *byte == b'\n') {
        let row: Value = serde_json::from_slice(line).unwrap_or_default();
        let texts = pointers(&row).into_iter().filter_map(|pointer| row.pointer(&pointer)?.as_str().map(str::to_owned));
        let texts: std::collections::BTreeSet<String> = texts.filter(|text| text.len() >= 12).collect();
        texts.into_iter().for_each(|text| *seen.entry(text).or_default() += 1);
    }
    seen.into_iter().filter(|(_, count)| *count > 1).map(|(text, _)| text).collect()
}
