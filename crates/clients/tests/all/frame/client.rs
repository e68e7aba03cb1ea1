//! [`Client`]: what differs between the clients when they are configured, asked and resumed.

use std::path::Path;

use testkit::World;

use super::installed::Pin;

/// Who writes in a scenario, besides the agent itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doer {
    /// A subagent that the client has.
    Subagent,
    /// The client has no subagents that can be driven: the agent does it.
    Agent,
}

/// A client that can be driven without a terminal.
pub(crate) trait Client: Sync {
    /// Which, in which version.
    fn pin(&self) -> Pin;

    /// Its name at takeback.
    fn agent(&self) -> &'static str;

    /// Its environment, besides what every client gets.
    fn variables(&self, url: &str) -> Vec<(&'static str, String)>;

    /// Writes a configuration with which it starts without a question and asks no model but this one.
    fn configure(&self, world: &World, url: &str);

    /// Its arguments for one prompt, in a new conversation or in one that is there.
    fn prompt(&self, conversation: Option<&str>, prompt: &str) -> Vec<String>;

    /// The conversation, as its output for a prompt names it.
    fn conversation(&self, output: &str) -> Option<String>;

    /// Its arguments for compacting a conversation without a terminal, if it can.
    fn compact(&self, conversation: &str) -> Option<Vec<String>>;

    /// How a command of takeback is typed in its chat.
    fn typed(&self, words: &str) -> String;

    /// Its arguments for a command of takeback in the chat of a conversation.
    fn in_chat(&self, conversation: &str, words: &str) -> Vec<String> {
        self.prompt(Some(conversation), &self.typed(words))
    }

    /// Whether it prints without a terminal what a command in its chat is answered.
    fn shows_answers(&self) -> bool;

    /// Whether it sends a conversation that is resumed word for word as it was sent before.
    fn repeats_itself(&self) -> bool;

    /// Who writes the part of a scenario that is meant for a subagent.
    fn doer(&self) -> Doer;
}

/// Writes a file below a home, with the folders above it.
pub(crate) fn put(home: &Path, path: &str, text: &str) {
    let path = home.join(path);
    std::fs::create_dir_all(path.parent().expect("a path in a home has a folder")).expect("folders can be made");
    std::fs::write(path, text).expect("a file can be written");
}

/// A list of arguments.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The first value of a member in lines of JSON.
pub(crate) fn member(output: &str, name: &str) -> Option<String> {
    let (_, rest) = output.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(value, _)| value.to_owned())
}
