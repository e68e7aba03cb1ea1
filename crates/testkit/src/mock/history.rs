//! [`Request`]: what a client asked for, and the history it sent along.

use serde_json::Value;

/// One request of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its path, without what follows `?`.
    pub path: String,
    /// Its body.
    pub body: Value,
    /// What was said so far, in the order it was sent.
    pub lines: Vec<Line>,
    /// Whether it lets the model use tools. Those that do not are side calls, for titles and the like.
    pub has_tools: bool,
}

/// One piece of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who or what it comes from.
    pub role: Role,
    /// What it says: a text as it is, anything else as JSON without ids and marks that differ from request to request.
    pub text: String,
}

/// Who or what a piece of a history comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user, or the client in the user's place.
    User,
    /// The client, to the model.
    System,
    /// The model.
    Assistant,
    /// The model, when it calls a tool.
    Call,
    /// A tool.
    Result,
}

/// Members that differ between two requests with the same history.
const FLEETING: &[&str] = &["cache_control", "id", "status"];

impl Request {
    /// The tags of the human prompts in it, `P1`, `P2` and so on: prompts of tests begin with one.
    pub fn tags(&self) -> Vec<&str> {
        let spoken = self.lines.iter().filter(|line| line.role == Role::User);
        spoken.flat_map(|line| line.text.lines()).filter_map(tag).collect()
    }

    /// Whether all that the earlier request sent stands at the beginning of this one, in the same words.
    pub fn goes_on_from(&self, earlier: &Self) -> bool {
        self.lines.starts_with(&earlier.lines)
    }

    /// Whether a text occurs anywhere in its history.
    pub fn holds(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.text.contains(text))
    }
}

impl Line {
    /// A text as it was said.
    pub(super) fn text(role: Role, text: &str) -> Self {
        Self { role, text: text.to_owned() }
    }

    /// Anything else that was sent.
    pub(super) fn value(role: Role, value: &Value) -> Self {
        Self { role, text: lasting(value).to_string() }
    }
}

/// The tag a line of a prompt begins with. Some clients put quotation marks around a prompt.
fn tag(line: &str) -> Option<&str> {
    let word = line.trim_start_matches('"').split([' ', '"']).next()?;
    let number = word.strip_prefix('P')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
}

fn lasting(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !FLEETING.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), lasting(value))).collect())
        }
        Value::Array(elements) => Value::Array(elements.iter().map(lasting).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(lines: &[Line]) -> Request {
        Request { path: "/v1/messages".to_owned(), body: Value::Null, lines: lines.to_vec(), has_tools: true }
    }

    #[test]
    fn tags_are_those_of_prompts_alone() {
        let lines = [
            Line::text(Role::User, "P1 [[plan:one]]"),
            Line::text(Role::Assistant, "P2 is no prompt"),
            Line::text(Role::User, "\"P3 [[plan:quoted]]\""),
            Line::text(Role::User, "Path and P4 in the midst"),
        ];
        assert_eq!(request(&lines).tags(), ["P1", "P3"]);
    }

    #[test]
    fn marks_of_a_cache_do_not_make_a_history_another() {
        let one = Line::value(Role::Call, &json!({ "name": "Bash", "cache_control": { "type": "ephemeral" } }));
        let other = Line::value(Role::Call, &json!({ "name": "Bash" }));
        let (earlier, later) = (request(&[one]), request(&[other, Line::text(Role::User, "P2")]));
        assert!(later.goes_on_from(&earlier));
        assert!(!earlier.goes_on_from(&later));
    }
}
