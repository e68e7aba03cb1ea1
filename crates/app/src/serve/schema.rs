//! The schema of the protocol, made from the table: what `takeback serve --schema` prints and `docs/serve-schema.json`
//! holds.

use serde_json::{Map, Value, json};

use super::PROTOCOL;
use super::fault::Code;
use super::table::{Field, Kind, METHODS, Method, NOTIFICATIONS, Others, Presence, Way};

/// The schema as text.
pub(super) fn text() -> String {
    let schema = json!({
        "schema": "takeback.serve/1",
        "protocol": PROTOCOL,
        "methods": METHODS.iter().map(method).collect::<Vec<_>>(),
        "notifications": NOTIFICATIONS
            .iter()
            .map(|told| {
                let params = object(told.parameters, Others::Refused);
                json!({"name": told.name, "summary": told.summary, "params": params})
            })
            .collect::<Vec<_>>(),
        "errors": Code::all()
            .map(|(number, name, meaning)| json!({"code": number, "name": name, "meaning": meaning}))
            .collect::<Vec<_>>(),
    });
    format!("{schema:#}\n")
}

fn method(method: &Method) -> Value {
    json!({
        "name": method.name,
        "summary": method.summary,
        "waits": method.way == Way::Beside,
        "params": object(method.parameters, method.others),
        "result": value(&method.result, Others::Kept),
    })
}

/// A kind as JSON Schema; objects in results may get more fields later.
fn value(kind: &Kind, others: Others) -> Value {
    match kind {
        Kind::Anything => json!({}),
        Kind::Text => json!({"type": "string"}),
        Kind::Words(words) => json!({"enum": words}),
        Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Number { min } => json!({"type": "integer", "minimum": min}),
        Kind::RequestId => json!({"type": ["string", "number"]}),
        Kind::List(each) => json!({"type": "array", "items": value(each, others)}),
        Kind::Object(fields) => object(fields, others),
        Kind::Document(schema) => document(schema, None),
        Kind::Extended(schema, more) => document(schema, Some(more)),
        Kind::Null => json!({"type": "null"}),
    }
}

fn document(schema: &str, more: Option<&Field>) -> Value {
    let mut properties = Map::from_iter([("schema".to_owned(), json!({"const": schema}))]);
    properties.extend(more.map(|field| (field.name.to_owned(), described(field, Others::Kept))));
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn object(fields: &[Field], others: Others) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), described(field, others))).collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| field.presence != Presence::Optional).map(|field| field.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": others == Others::Kept,
    })
}

fn described(field: &Field, others: Others) -> Value {
    let mut schema = value(&field.kind, others);
    if field.presence == Presence::Nullable {
        schema = json!({"anyOf": [schema, {"type": "null"}]});
    }
    schema["description"] = json!(field.meaning);
    schema
}
