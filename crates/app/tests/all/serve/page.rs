//! The documents of the protocol say what the program does.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world;

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn schema() -> String {
    world().takeback(&["serve", "--schema"]).text()
}

#[test]
fn the_schema_is_what_the_program_prints() {
    let kept = fs::read_to_string(document("serve-schema.json")).unwrap_or_default();
    assert!(kept == schema(), "make it anew: `takeback serve --schema > docs/serve-schema.json`");
}

#[test]
fn the_page_has_an_example_of_every_method_that_fits_the_schema() {
    let page = fs::read_to_string(document("serve.md")).unwrap();
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let examples: Vec<Value> = page
        .lines()
        .filter(|line| line.starts_with("{\"jsonrpc\""))
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for part in ["methods", "notifications"] {
        for described in schema[part].as_array().unwrap() {
            let name = described["name"].as_str().unwrap();
            assert!(page.contains(&format!("### {name}\n")), "no section for `{name}`");
            let fitting = examples.iter().filter(|example| example["method"] == name);
            assert!(fitting.clone().count() > 0, "no example of `{name}`");
            fitting.for_each(|example| check(&described["params"], example));
        }
    }
    for error in schema["errors"].as_array().unwrap() {
        assert!(page.contains(&format!("`{}`", error["code"])), "no row for {error}");
    }
}

#[track_caller]
fn check(schema: &Value, example: &Value) {
    let given = example["params"].as_object().expect("parameters go by name");
    for needed in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(given.contains_key(needed), "`{needed}` is missing: {example}");
    }
    for name in given.keys() {
        assert!(schema["properties"].get(name).is_some(), "`{name}` is not in the schema: {example}");
    }
}
