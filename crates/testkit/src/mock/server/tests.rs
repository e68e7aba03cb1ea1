//! Tests of the server with requests as the clients make them, over a real connection.

use std::io::{Read as _, Write as _};

use serde_json::Value;

use super::*;
use crate::mock::plan::{fail, say, shell, subagent};

fn mock() -> Mock {
    let plans = Plans::new()
        .with("one", [shell("make"), say("Made.")])
        .with("outer", [subagent("one"), say("It is done.")])
        .with("broken", [fail(400)])
        .with("slow", [say("At last.").held()]);
    Mock::start("/ws".into(), plans)
}

fn ask(address: SocketAddr, path: &str, body: &Value) -> String {
    let mut connection = TcpStream::connect(address).expect("the mock serves");
    let text = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n", text.len());
    connection.write_all((head + &text).as_bytes()).expect("it reads");
    let mut said = String::new();
    connection.read_to_string(&mut said).expect("it answers");
    said
}

fn messages(texts: &[&str], tools: Value) -> Value {
    let messages: Vec<Value> = texts.iter().map(|text| json!({ "role": "user", "content": text })).collect();
    json!({ "model": "m", "stream": true, "tools": tools, "messages": messages })
}

#[test]
fn a_prompt_that_names_a_plan_gets_its_first_step_in_every_protocol() {
    let mock = mock();
    let plain = |name: &str| json!([{ "name": name }]);
    let named = messages(&["P1 [[plan:one]]"], plain("Bash"));
    let anthropic = ask(mock.address, "/v1/messages?beta=true", &named);
    assert!(anthropic.contains("tool_use") && anthropic.contains("make"), "{anthropic}");
    let chat_tools = json!([{ "type": "function", "function": { "name": "bash" } }]);
    let chat = ask(mock.address, "/v1/chat/completions", &messages(&["P1 [[plan:one]]"], chat_tools));
    assert!(chat.contains("tool_calls") && chat.ends_with("data: [DONE]\n\n"), "{chat}");
    let input = json!([{ "role": "user", "content": [{ "type": "input_text", "text": "P1 [[plan:one]]" }] }]);
    let asked = json!({ "model": "m", "stream": true, "tools": plain("exec_command"), "input": input });
    let responses = ask(mock.address, "/v1/responses", &asked);
    assert!(responses.contains("function_call") && responses.contains("response.completed"), "{responses}");
    assert_eq!(mock.requests().iter().flat_map(Request::tags).collect::<Vec<_>>(), ["P1", "P1", "P1"]);
}

#[test]
fn the_prompt_of_a_subagent_names_its_own_plan_and_not_that_of_the_caller() {
    let mock = mock();
    let tools = json!([{ "name": "Agent" }, { "name": "Bash" }]);
    let mut body = messages(&["P1 [[plan:outer]]"], tools);
    let called = ask(mock.address, "/v1/messages", &body);
    assert!(called.contains("[[plan:one]]"), "{called}");
    let history = body["messages"].as_array_mut().expect("messages");
    let call = json!({ "type": "tool_use", "id": "c", "name": "Agent", "input": { "prompt": "[[plan:one]]" } });
    history.push(json!({ "role": "assistant", "content": [call] }));
    history.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c" }] }));
    assert!(ask(mock.address, "/v1/messages", &body).contains("It is done."));
}

#[test]
fn side_calls_and_failures_are_told_apart() {
    let mock = mock();
    assert!(ask(mock.address, "/v1/messages", &messages(&["Title?"], json!([]))).contains("A title"));
    assert_eq!(mock.calls(), 0);
    let failed = ask(mock.address, "/v1/messages", &messages(&["P1 [[plan:broken]]"], json!([{ "name": "Bash" }])));
    assert!(failed.starts_with("HTTP/1.1 400 "), "{failed}");
    assert_eq!(mock.calls(), 1);
}

#[test]
fn a_held_reply_waits_for_the_test() {
    let mock = mock();
    let address = mock.address;
    let asking = std::thread::spawn(move || {
        ask(address, "/v1/messages", &messages(&["P1 [[plan:slow]]"], json!([{ "name": "Bash" }])))
    });
    mock.wait_until_held(Duration::from_secs(10));
    assert!(!asking.is_finished());
    mock.let_go();
    assert!(asking.join().expect("an answer").contains("At last."));
}
