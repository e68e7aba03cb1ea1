//! [`Older`]: a client in another version than the one that is tested most.

use testkit::World;

use crate::frame::{Client, Doer, Pin};

/// A client in another version, configured and driven the same way.
pub(super) struct Older {
    /// Which.
    pub(super) client: &'static dyn Client,
    /// The version.
    pub(super) version: &'static str,
}

impl Client for Older {
    fn pin(&self) -> Pin {
        Pin { version: self.version, ..self.client.pin() }
    }

    fn agent(&self) -> &'static str {
        self.client.agent()
    }

    fn variables(&self, url: &str) -> Vec<(&'static str, String)> {
        self.client.variables(url)
    }

    fn configure(&self, world: &World, url: &str) {
        self.client.configure(world, url);
    }

    fn prompt(&self, conversation: Option<&str>, prompt: &str) -> Vec<String> {
        self.client.prompt(conversation, prompt)
    }

    fn conversation(&self, output: &str) -> Option<String> {
        self.client.conversation(output)
    }

    fn compact(&self, conversation: &str) -> Option<Vec<String>> {
        self.client.compact(conversation)
    }

    fn typed(&self, words: &str) -> String {
        self.client.typed(words)
    }

    fn in_chat(&self, conversation: &str, words: &str) -> Vec<String> {
        self.client.in_chat(conversation, words)
    }

    fn shows_answers(&self) -> bool {
        self.client.shows_answers()
    }

    fn repeats_itself(&self) -> bool {
        self.client.repeats_itself()
    }

    fn doer(&self) -> Doer {
        self.client.doer()
    }
}
