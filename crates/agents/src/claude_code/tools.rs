//! What the client's tools may do to a workspace.

use serde_json::Value;

use crate::generic::text;
use crate::tools::{is_read_only, spawns_subagent};
use crate::{ToolCall, ToolClass};

/// Tools that change the file they name.
const EDITS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// Tools of this client that change nothing, beside those all agents have.
const LOOKS_ONLY: [&str; 12] = [
    "CronList",
    "ListAgents",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "ReportFindings",
    "SendMessage",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskUpdate",
    "ScheduleWakeup",
];

/// The call with the class its tool has. A tool that is not known may do anything, whatever its input is called: servers
/// of the user name theirs as they like.
pub(super) fn classified(value: &Value, call: ToolCall) -> ToolCall {
    let name = call.tool.name.as_str();
    let input = &value["tool_input"];
    let class = if is_read_only(name) || LOOKS_ONLY.contains(&name) {
        ToolClass::ReadOnly
    } else if spawns_subagent(name) {
        ToolClass::SpawnsSubagent
    } else if EDITS.contains(&name) {
        let path = text(input, "file_path").or_else(|| text(input, "notebook_path"));
        path.map_or(ToolClass::Open, |path| ToolClass::Structured { paths: vec![path] })
    } else {
        ToolClass::Open
    };
    ToolCall { class, ..call }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_of_a_server_may_do_anything_and_an_edit_tool_names_its_file() {
        let class = |name: &str, field: &str| {
            let mut value = json!({ "tool_name": name, "tool_input": {} });
            value["tool_input"][field] = json!("/p/a");
            let call = crate::generic::tool_call(&value).expect("a call");
            classified(&value, call).class
        };
        let names_its_file = ToolClass::Structured { paths: vec!["/p/a".to_owned()] };
        assert_eq!(class("MultiEdit", "file_path"), names_its_file);
        assert_eq!(class("NotebookEdit", "notebook_path"), names_its_file);
        assert_eq!(class("mcp__files__write", "file_path"), ToolClass::Open);
        assert_eq!(class("Write", "other"), ToolClass::Open);
        assert_eq!(class("TaskOutput", "task_id"), ToolClass::ReadOnly);
        assert_eq!(class("Agent", "prompt"), ToolClass::SpawnsSubagent);
        assert_eq!(class("Bash", "command"), ToolClass::Open);
    }
}
