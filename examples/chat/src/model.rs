//! [`Model`]: stands for a language model. It knows a few words, and of the past only what is in the context it is given.

use std::path::Path;

use model::MessageKind;
use serde::Deserialize;
use takeback::SaidView;

use crate::Failure;
use crate::tool::Tool;

/// A model that follows a script.
pub(crate) struct Model {
    rules: Vec<Rule>,
}

/// What it does at a word.
#[derive(Deserialize)]
struct Rule {
    when: String,
    #[serde(default)]
    tools: Vec<Tool>,
    say: String,
}

/// What it wants next.
pub(crate) enum Wish {
    /// A tool is to be run; then it is asked again.
    Call(Tool),
    /// The turn ends with these words.
    Say(String),
}

impl Model {
    /// Reads a script; without one it follows its own.
    pub(crate) fn load(script: Option<&Path>) -> Result<Self, Failure> {
        let text = match script {
            Some(path) => std::fs::read_to_string(path)?,
            None => include_str!("model.json").to_owned(),
        };
        Ok(Self { rules: serde_json::from_str(&text)? })
    }

    /// One call of the model.
    pub(crate) fn ask(&self, context: &[SaidView]) -> Wish {
        let is_prompt = |entry: &SaidView| entry.kind == MessageKind::Prompt;
        let Some(at) = context.iter().rposition(is_prompt) else { return Wish::Say("Nobody has asked.".to_owned()) };
        let (before, since) = context.split_at(at);
        let prompt = text(&since[0]);
        if prompt.contains("remember") {
            let known: Vec<String> = before.iter().filter(|entry| is_prompt(entry)).map(text).collect();
            return Wish::Say(format!(
                "I remember: {}.",
                if known.is_empty() { "nothing".into() } else { known.join("; ") }
            ));
        }
        let Some(rule) = self.rules.iter().find(|rule| prompt.contains(&rule.when)) else {
            let words: Vec<&str> = self.rules.iter().map(|rule| rule.when.as_str()).collect();
            return Wish::Say(format!("I know these words: {}, remember.", words.join(", ")));
        };
        let run = since.iter().filter(|entry| entry.kind == MessageKind::Tool).count();
        rule.tools.get(run).map_or_else(|| Wish::Say(rule.say.clone()), |tool| Wish::Call(tool.clone()))
    }
}

fn text(entry: &SaidView) -> String {
    String::from_utf8_lossy(&entry.payload).into_owned()
}
