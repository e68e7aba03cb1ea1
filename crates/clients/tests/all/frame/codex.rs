//! Codex, with both families of tools: models before 6 get one tool per kind of work, later ones a tool that runs code.

use testkit::World;

use super::client::{Client, Doer, member, put, words};
use super::installed::Pin;

/// Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codex {
    /// One tool per kind of work.
    Tools,
    /// One tool that runs code.
    Code,
}

impl Client for Codex {
    fn pin(&self) -> Pin {
        Pin { name: "codex", version: "0.171.0" }
    }

    fn agent(&self) -> &'static str {
        "codex"
    }

    fn variables(&self, _url: &str) -> Vec<(&'static str, String)> {
        vec![("MOCK_KEY", "x".to_owned())]
    }

    fn configure(&self, world: &World, url: &str) {
        let model = match self {
            Codex::Tools => "gpt-5.5",
            Codex::Code => "gpt-6-sol",
        };
        let workspace = world.workspace();
        let text = format!(
            r#"model = "{model}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

[projects."{}"]
trust_level = "trusted"
"#,
            workspace.display()
        );
        put(&world.home(), ".codex/config.toml", &text);
    }

    fn prompt(&self, conversation: Option<&str>, prompt: &str) -> Vec<String> {
        let mut arguments = words(&["exec"]);
        arguments.extend(conversation.map(|_| "resume".to_owned()));
        arguments.extend(words(&["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]));
        arguments.extend(conversation.map(str::to_owned));
        arguments.push(prompt.to_owned());
        arguments
    }

    fn conversation(&self, output: &str) -> Option<String> {
        member(output, "thread_id")
    }

    fn compact(&self, _conversation: &str) -> Option<Vec<String>> {
        None
    }

    fn typed(&self, words: &str) -> String {
        format!("takeback {words}")
    }

    fn shows_answers(&self) -> bool {
        false
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn doer(&self) -> Doer {
        Doer::Agent
    }
}
