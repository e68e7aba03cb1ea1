//! Changing a user's JSON settings so that every byte that is not ours stays: order, spaces, comments, line ends. Edits
//! are made on the tree of the text itself. Knows nothing of what the settings mean.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

/// Why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonError {
    /// It is no JSON, also not with comments.
    #[error("{0}")]
    NotJson(String),
    /// Something on the way is of another type than it must be.
    #[error("`{0}` is not what it should be")]
    OtherType(String),
}

/// Sets the member at the end of a path of names; objects on the way are made if they are missing. An empty text is an
/// empty object.
pub(crate) fn set_member(text: &str, path: &[&str], value: &Value) -> Result<String, JsonError> {
    let root = parse(text)?;
    let Some((name, way)) = path.split_last() else { return Ok(text.to_owned()) };
    let object = object_at(&root, way)?;
    match object.get(name) {
        Some(member) if member.value().and_then(|held| held.to_serde_value()).as_ref() == Some(value) => {}
        Some(member) => member.set_value(input(value)),
        None => _ = object.append(name, input(value)),
    }
    Ok(root.to_string())
}

/// Appends a value to the array at a path, unless an equal one is in it.
pub(crate) fn push_element(text: &str, path: &[&str], value: &Value) -> Result<String, JsonError> {
    let root = parse(text)?;
    let array = array_at(&root, path)?;
    let is_there = array.elements().iter().any(|element| element.to_serde_value().as_ref() == Some(value));
    if is_there {
        return Ok(text.to_owned());
    }
    array.append(input(value));
    Ok(root.to_string())
}

/// Removes the elements that fit from the array at a path, then the array and the objects around it as far as they have
/// become empty. Nothing on the path, nothing to do.
pub(crate) fn remove_elements(text: &str, path: &[&str], fits: &dyn Fn(&Value) -> bool) -> Result<String, JsonError> {
    let root = parse(text)?;
    let Some((name, way)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(array) = existing_object(&root, way).and_then(|object| object.array_value(name)) else {
        return Ok(text.to_owned());
    };
    let fitting: Vec<_> = array
        .elements()
        .into_iter()
        .filter(|element| element.to_serde_value().is_some_and(|value| fits(&value)))
        .collect();
    if fitting.is_empty() {
        return Ok(text.to_owned());
    }
    fitting.into_iter().for_each(|element| element.remove());
    if array.elements().is_empty() {
        return remove_member(&root.to_string(), path);
    }
    Ok(root.to_string())
}

/// Removes the member at a path, then the objects around it as far as they have become empty; never the outermost.
pub(crate) fn remove_member(text: &str, path: &[&str]) -> Result<String, JsonError> {
    let root = parse(text)?;
    let mut path = path;
    let mut is_first = true;
    while let Some((name, way)) = path.split_last() {
        let Some(object) = existing_object(&root, way) else { break };
        let Some(member) = object.get(name) else { break };
        let is_empty = member.object_value().is_some_and(|inner| inner.properties().is_empty());
        if !is_first && !is_empty {
            break;
        }
        member.remove();
        (path, is_first) = (way, false);
    }
    Ok(root.to_string())
}

fn parse(text: &str) -> Result<CstRootNode, JsonError> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &options).map_err(|error| JsonError::NotJson(error.to_string()))?;
    match root.object_value() {
        Some(_) => Ok(root),
        None => Err(JsonError::OtherType("the whole".to_owned())),
    }
}

fn object_at(root: &CstRootNode, way: &[&str]) -> Result<CstObject, JsonError> {
    let mut object = root.object_value().ok_or_else(|| JsonError::OtherType("the whole".to_owned()))?;
    for name in way {
        object = object.object_value_or_create(name).ok_or_else(|| JsonError::OtherType((*name).to_owned()))?;
    }
    Ok(object)
}

fn array_at(root: &CstRootNode, path: &[&str]) -> Result<CstArray, JsonError> {
    let (name, way) = path.split_last().ok_or_else(|| JsonError::OtherType("the whole".to_owned()))?;
    let object = object_at(root, way)?;
    object.array_value_or_create(name).ok_or_else(|| JsonError::OtherType((*name).to_owned()))
}

fn existing_object(root: &CstRootNode, way: &[&str]) -> Option<CstObject> {
    way.iter().try_fold(root.object_value()?, |object, name| object.object_value(name))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is_true) => CstInputValue::Bool(*is_true),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const THEIRS: &str = "{\r\n\t// mine\r\n\t\"b\": [1,2 , 3],   \"a\": {\"x\": true,},\r\n}\r\n";

    #[test]
    fn everything_that_is_not_ours_stays_as_it_was_written() {
        let ours = json!({ "on": "us" });
        let changed = push_element(THEIRS, &["hooks", "Stop"], &ours).expect("changed");
        for piece in ["\t// mine\r\n\t\"b\": [1,2 , 3],   \"a\": {\"x\": true,}", "\"on\": \"us\""] {
            assert!(changed.contains(piece), "{changed}");
        }
        assert_eq!(push_element(&changed, &["hooks", "Stop"], &ours).as_deref(), Ok(changed.as_str()));
        let back = remove_elements(&changed, &["hooks", "Stop"], &|value| *value == ours).expect("removed");
        let meaning = |text: &str| parse(text).map(|root| root.to_serde_value()).expect("JSON");
        assert_eq!(meaning(&back), meaning(THEIRS));
        assert!(back.contains("\t// mine\r\n\t\"b\": [1,2 , 3],   \"a\": {\"x\": true,}"), "{back}");
    }

    #[test]
    fn members_are_set_in_place_and_taken_out_with_what_became_empty() {
        let text = "{ \"keep\": {}, \"deep\": { \"er\": { \"ours\": 1 } } }";
        assert_eq!(set_member(text, &["deep", "er", "ours"], &json!(1)).as_deref(), Ok(text));
        assert!(set_member(text, &["deep", "er", "ours"], &json!(2)).expect("set").contains("\"ours\": 2"));
        let back = remove_member(text, &["deep", "er", "ours"]).expect("removed");
        assert_eq!(serde_json::from_str::<Value>(&back).expect("JSON"), json!({ "keep": {} }));
        assert_eq!(remove_member(text, &["no", "such"]).as_deref(), Ok(text));
    }

    #[test]
    fn a_text_that_is_no_object_is_refused() {
        for text in ["[1]", "{", "{\"a\" 1}", "nonsense"] {
            assert!(set_member(text, &["a"], &json!(1)).is_err(), "{text}");
        }
        assert_eq!(
            push_element("{\"hooks\": 3}", &["hooks", "Stop"], &json!(1)),
            Err(JsonError::OtherType("hooks".into()))
        );
        assert_eq!(set_member("", &["a"], &json!(1)).expect("set").trim_end(), "{\n  \"a\": 1\n}");
    }
}
