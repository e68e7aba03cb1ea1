//! OpenCode. Its own snapshots are off, as takeback's setup advises: files are taken back once.

use serde_json::json;
use testkit::World;

use super::client::{Client, Doer, member, put, words};
use super::installed::Pin;

/// OpenCode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenCode;

/// With a plugin present the client fetches this package, unless something of its name is there.
const PLUGIN_PACKAGE: &str = "@opencode-ai/plugin";

impl Client for OpenCode {
    fn pin(&self) -> Pin {
        Pin { name: "opencode", version: "1.18.33" }
    }

    fn agent(&self) -> &'static str {
        "opencode"
    }

    fn variables(&self, _url: &str) -> Vec<(&'static str, String)> {
        let names = [
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_AUTOUPDATE",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
        ];
        names.map(|name| (name, "1".to_owned())).to_vec()
    }

    fn configure(&self, world: &World, url: &str) {
        let (home, version) = (world.home(), self.pin().version);
        let options = json!({ "baseURL": format!("{url}/v1"), "apiKey": "x" });
        let models = json!({ "mock-model": { "name": "Mock", "limit": { "context": 200_000, "output": 8_000 } } });
        let provider =
            json!({ "npm": "@ai-sdk/openai-compatible", "name": "Mock", "options": options, "models": models });
        let settings = json!({
            "autoupdate": false,
            "snapshot": false,
            "share": "disabled",
            "permission": "allow",
            "enabled_providers": ["mock"],
            "model": "mock/mock-model",
            "small_model": "mock/mock-model",
            "provider": { "mock": provider },
        });
        put(&home, ".config/opencode/opencode.json", &settings.to_string());
        let dependencies = json!({ PLUGIN_PACKAGE: version });
        put(&home, ".config/opencode/package.json", &json!({ "dependencies": dependencies }).to_string());
        let installed = format!("node_modules/{PLUGIN_PACKAGE}");
        let packages = json!({ "": { "dependencies": dependencies }, installed.as_str(): { "version": version } });
        let lock = json!({ "name": "opencode", "lockfileVersion": 3, "requires": true, "packages": packages });
        put(&home, ".config/opencode/package-lock.json", &lock.to_string());
        let package = json!({ "name": PLUGIN_PACKAGE, "version": version, "main": "index.js", "type": "module" });
        put(&home, &format!(".config/opencode/{installed}/package.json"), &package.to_string());
        put(&home, &format!(".config/opencode/{installed}/index.js"), "export {}\n");
    }

    fn prompt(&self, conversation: Option<&str>, prompt: &str) -> Vec<String> {
        let mut arguments = words(&["run", "--format", "json"]);
        if let Some(conversation) = conversation {
            arguments.extend(words(&["-s", conversation]));
        }
        arguments.push(prompt.to_owned());
        arguments
    }

    fn conversation(&self, output: &str) -> Option<String> {
        member(output, "sessionID")
    }

    fn compact(&self, _conversation: &str) -> Option<Vec<String>> {
        None
    }

    fn typed(&self, words: &str) -> String {
        format!("/takeback {words}")
    }

    fn in_chat(&self, conversation: &str, command: &str) -> Vec<String> {
        words(&["run", "--format", "json", "-s", conversation, "--command", "takeback", command])
    }

    fn shows_answers(&self) -> bool {
        false
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn doer(&self) -> Doer {
        Doer::Subagent
    }
}
