//! [`Parameters`]: what a request was called with, checked against the table, so that handlers find what they expect.

use serde_json::{Map, Value};

use super::fault::{Code, Fault};
use super::table::{Field, Kind, Method, Others, Presence};

/// Checked parameters.
#[derive(Debug)]
pub(super) struct Parameters(Map<String, Value>);

impl Parameters {
    /// Checks what a method was called with.
    pub(super) fn check(method: &Method, given: Map<String, Value>) -> Result<Self, Fault> {
        check_fields(method.parameters, method.others, &given, "")
            .map(|()| Self(given))
            .map_err(|message| Fault::new(Code::InvalidParameters, message))
    }

    /// All of them, by name.
    pub(super) fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    /// A text that may be missing.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A text that the table requires.
    pub(super) fn needed(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A number that may be missing.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    /// A count that may be missing.
    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.number(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Whether a flag is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A list; empty if it is missing.
    pub(super) fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Whether it was given at all.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

fn check_fields(fields: &[Field], others: Others, given: &Map<String, Value>, place: &str) -> Result<(), String> {
    for field in fields {
        match given.get(field.name) {
            Some(value) => check_value(&field.kind, value, &format!("{place}{}", field.name))?,
            None if field.presence == Presence::Required => return Err(format!("`{place}{}` is missing", field.name)),
            None => {}
        }
    }
    let unknown = given.keys().find(|name| fields.iter().all(|field| field.name != name.as_str()));
    match unknown {
        Some(name) if others == Others::Refused => Err(format!("There is no parameter `{place}{name}`")),
        _ => Ok(()),
    }
}

fn check_value(kind: &Kind, value: &Value, place: &str) -> Result<(), String> {
    let is_good = match kind {
        Kind::Anything | Kind::Document(_) | Kind::Extended(..) => true,
        Kind::Text | Kind::Bytes => value.is_string(),
        Kind::Words(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        Kind::Flag => value.is_boolean(),
        Kind::Number { min } => value.as_u64().is_some_and(|number| number >= *min),
        Kind::RequestId => value.is_string() || value.is_number(),
        Kind::Null => value.is_null(),
        Kind::List(each) => {
            let Some(list) = value.as_array() else { return Err(expected(kind, place)) };
            return list
                .iter()
                .enumerate()
                .try_for_each(|(at, value)| check_value(each, value, &format!("{place}[{at}]")));
        }
        Kind::Object(fields) => {
            let Some(object) = value.as_object() else { return Err(expected(kind, place)) };
            return check_fields(fields, Others::Refused, object, &format!("{place}."));
        }
    };
    if is_good { Ok(()) } else { Err(expected(kind, place)) }
}

fn expected(kind: &Kind, place: &str) -> String {
    let what = match kind {
        Kind::Anything => "any value".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Bytes => "a text in base64".to_owned(),
        Kind::Words(words) => format!("one of {}", words.join(", ")),
        Kind::Flag => "true or false".to_owned(),
        Kind::Number { min } => format!("a whole number of at least {min}"),
        Kind::RequestId => "a text or a number".to_owned(),
        Kind::Null => "null".to_owned(),
        Kind::List(_) => "a list".to_owned(),
        Kind::Object(_) | Kind::Document(_) | Kind::Extended(..) => "an object".to_owned(),
    };
    format!("`{place}` must be {what}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::serve::table;

    #[track_caller]
    fn check(method: &str, given: Value, message: Option<&str>) {
        let Value::Object(given) = given else { panic!("an object") };
        let checked = Parameters::check(table::find(method).expect("a method"), given);
        assert_eq!(checked.err().map(|fault| fault.message).as_deref(), message);
    }

    #[test]
    fn parameters_are_checked_down_to_the_fields_of_lists() {
        check("context", json!({"session": "s"}), None);
        check("context", json!({}), Some("`session` is missing"));
        check("context", json!({"session": 1}), Some("`session` must be a text"));
        check("log", json!({"session": "s", "limit": 0}), Some("`limit` must be a whole number of at least 1"));
        let entry = |entry: Value| json!({"session": "s", "entries": [entry]});
        check("entries/append", entry(json!({"id": "a", "role": "user", "kind": "tool", "content": ""})), None);
        check("entries/append", entry(json!({"role": "user", "kind": "tool"})), Some("`entries[0].id` is missing"));
        check("entries/append", entry(json!(1)), Some("`entries[0]` must be an object"));
    }

    #[test]
    fn a_misspelt_parameter_cannot_widen_an_order() {
        check("apply", json!({"session": "s", "verb": "undo", "scop": "files"}), Some("There is no parameter `scop`"));
        check("turn/begin", json!({"session": "s", "prompt": "x", "more": 1}), None);
    }
}
