//! Claude Code, in the two versions that are told apart.

use serde_json::json;
use testkit::World;

use super::client::{Client, Doer, member, put, words};
use super::installed::Pin;

/// Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claude {
    /// The newest that is tested.
    New,
    /// The one that an older Node gets.
    Old,
}

/// Root may not skip permissions: what a plan needs is allowed by name.
const ALLOWED: [&str; 6] = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Agent", "Task"];

impl Client for Claude {
    fn pin(&self) -> Pin {
        let version = match self {
            Claude::New => "2.1.332",
            Claude::Old => "2.1.197",
        };
        Pin { name: "claude", version }
    }

    fn agent(&self) -> &'static str {
        "claude-code"
    }

    fn variables(&self, url: &str) -> Vec<(&'static str, String)> {
        let on = || "1".to_owned();
        vec![
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            ("ANTHROPIC_API_KEY", "dummy".to_owned()),
            ("DISABLE_AUTOUPDATER", on()),
            ("DISABLE_TELEMETRY", on()),
            ("DISABLE_ERROR_REPORTING", on()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
        ]
    }

    fn configure(&self, world: &World, _url: &str) {
        let trusted = json!({ "hasTrustDialogAccepted": true, "projectOnboardingSeenCount": 5 });
        let state = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": { "approved": ["dummy"], "rejected": [] },
            "projects": { world.workspace().to_string_lossy(): trusted },
        });
        put(&world.home(), ".claude.json", &state.to_string());
        put(&world.home(), ".claude/settings.json", "{\n  \"skipDangerousModePermissionPrompt\": true\n}\n");
    }

    fn prompt(&self, conversation: Option<&str>, prompt: &str) -> Vec<String> {
        let mut arguments = words(&["-p", prompt, "--output-format", "json"]);
        if let Some(conversation) = conversation {
            arguments.extend(words(&["--resume", conversation]));
        }
        arguments.extend(words(&ALLOWED));
        arguments
    }

    fn conversation(&self, output: &str) -> Option<String> {
        member(output, "session_id")
    }

    fn compact(&self, conversation: &str) -> Option<Vec<String>> {
        Some(self.prompt(Some(conversation), "/compact"))
    }

    fn typed(&self, words: &str) -> String {
        format!("/takeback:{words}")
    }

    fn shows_answers(&self) -> bool {
        true
    }

    fn repeats_itself(&self) -> bool {
        *self == Claude::New
    }

    fn doer(&self) -> Doer {
        Doer::Subagent
    }
}
