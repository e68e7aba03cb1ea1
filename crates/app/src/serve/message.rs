//! One message of JSON-RPC 2.0, read from a line or written as one. Knows no methods.

use serde_json::{Map, Value, json};

use super::fault::{Code, Fault};

/// A request, or a notification if it has no id.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) parameters: Map<String, Value>,
}

/// A line that is no message, with the id to answer to as far as there was one.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    pub(super) id: Value,
    pub(super) fault: Fault,
}

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Result<Message, Refused> {
    let not_json = |error: serde_json::Error| Refused::new(Code::NotJson, format!("The line is no JSON: {error}"));
    let Value::Object(mut fields) = serde_json::from_slice(line).map_err(not_json)? else {
        return Err(Refused::new(Code::InvalidRequest, "A message is one JSON object; batches are not supported"));
    };
    let id = fields.remove("id");
    let refused = |code, message: &str| Refused {
        id: id.clone().filter(is_id).unwrap_or(Value::Null),
        fault: Fault::new(code, message),
    };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refused(Code::InvalidRequest, "`jsonrpc` must be \"2.0\""));
    }
    if id.as_ref().is_some_and(|id| !is_id(id)) {
        return Err(refused(Code::InvalidRequest, "`id` must be a text or a number"));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err(refused(Code::InvalidRequest, "`method` must be a text"));
    };
    let parameters = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(parameters)) => parameters,
        Some(_) => return Err(refused(Code::InvalidParameters, "`params` must be an object: they go by name")),
    };
    Ok(Message { id, method, parameters })
}

/// The answer with a result, which is the text of a JSON value.
pub(super) fn answer(id: &Value, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}\n", result.trim_end())
}

/// The answer that there is no result.
pub(super) fn refusal(id: &Value, fault: &Fault) -> String {
    let error = json!({"code": fault.code.number(), "message": fault.message});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n")
}

/// A message that wants no answer.
pub(super) fn notification(method: &str, parameters: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{parameters}}}\n")
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number()
}

impl Refused {
    /// A line without any id to answer to.
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { id: Value::Null, fault: Fault::new(code, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_and_id(line: &str) -> (i32, Value) {
        let refused = read(line.as_bytes()).expect_err("no message");
        (refused.fault.code.number(), refused.id)
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_code_of_the_standard() {
        assert_eq!(code_and_id("{"), (-32700, Value::Null));
        assert_eq!(code_and_id("\u{fffd}"), (-32700, Value::Null));
        assert_eq!(code_and_id("[]"), (-32600, Value::Null));
        assert_eq!(code_and_id(r#"{"id":7,"method":"log"}"#), (-32600, json!(7)));
        assert_eq!(code_and_id(r#"{"jsonrpc":"2.0","id":[],"method":"log"}"#), (-32600, Value::Null));
        assert_eq!(code_and_id(r#"{"jsonrpc":"2.0","id":"a","result":1}"#), (-32600, json!("a")));
        assert_eq!(code_and_id(r#"{"jsonrpc":"2.0","id":"a","method":"log","params":[1]}"#), (-32602, json!("a")));
    }

    #[test]
    fn a_message_without_an_id_is_a_notification() {
        let message = read(br#"{"jsonrpc":"2.0","method":"log"}"#).expect("a message");
        assert_eq!(message, Message { id: None, method: "log".to_owned(), parameters: Map::new() });
    }
}
