//! The conversation half of the reference: every version is a plain list of what was said on it.

use model::{MessageKind, SessionId, TurnId};

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) turn: Option<TurnId>,
    pub(crate) role: &'static str,
    pub(crate) kind: MessageKind,
    pub(crate) payload: Vec<u8>,
    /// For a compaction: the first entry before it that stays in the context.
    pub(crate) keeps_from: Option<String>,
}

/// One version of a conversation, from its first entry on.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) id: u64,
    pub(crate) session: SessionId,
    pub(crate) chain: Vec<Entry>,
    /// The operation that cut it off, and the version it was cut from.
    pub(crate) cut: Option<(u64, u64)>,
    pub(crate) is_absorbed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Talk {
    /// All versions of all sessions, in the order of their ids, which count from 1.
    pub(crate) versions: Vec<Version>,
    /// On which version a session stands.
    pub(crate) selected: Vec<(SessionId, u64)>,
}

impl Talk {
    pub(crate) fn selected(&self, session: SessionId) -> Option<&Version> {
        let (_, id) = self.selected.iter().find(|(known, _)| *known == session)?;
        self.version(*id)
    }

    pub(crate) fn version(&self, id: u64) -> Option<&Version> {
        self.versions.iter().find(|version| version.id == id)
    }

    pub(crate) fn versions_of(&self, session: SessionId) -> impl DoubleEndedIterator<Item = &Version> {
        self.versions.iter().filter(move |version| version.session == session)
    }

    pub(crate) fn select(&mut self, session: SessionId, id: u64) {
        self.selected.retain(|(known, _)| *known != session);
        self.selected.push((session, id));
    }

    pub(crate) fn add(&mut self, session: SessionId, chain: Vec<Entry>, cut: Option<(u64, u64)>) -> u64 {
        let id = self.versions.len() as u64 + 1;
        self.versions.push(Version { id, session, chain, cut, is_absorbed: false });
        id
    }

    /// What was said on the version a session stands on.
    pub(crate) fn transcript(&self, session: SessionId) -> &[Entry] {
        self.selected(session).map_or(&[], |version| &version.chain)
    }

    /// What the next run gets: the newest summary for all before it, what that keeps, and all that came later.
    pub(crate) fn context(&self, session: SessionId) -> Vec<Entry> {
        let chain = self.transcript(session);
        let Some(at) = chain.iter().rposition(is_compaction) else { return chain.to_vec() };
        let first = chain[..at].iter().position(|entry| chain[at].keeps_from.as_ref() == Some(&entry.id));
        let kept = chain[first.unwrap_or(at)..at].iter().filter(|entry| !is_compaction(entry));
        [&chain[at]].into_iter().chain(kept).chain(&chain[at + 1..]).cloned().collect()
    }

    /// Whether the session stands on a cut that can still be lifted.
    pub(crate) fn is_staged(&self, session: SessionId) -> bool {
        self.selected(session).is_some_and(|version| version.cut.is_some() && !version.is_absorbed)
    }

    /// Says something after `parent`, or where it belongs.
    pub(crate) fn say(&mut self, session: SessionId, parent: Option<&str>, entry: Entry) {
        let is_known = self.versions_of(session).any(|version| version.position(&entry.id).is_some());
        if is_known {
            return;
        }
        let id = match parent.and_then(|parent| self.version_after(session, parent)) {
            Some(id) => id,
            None => self.version_for(session, entry.turn),
        };
        let version = self.versions.iter_mut().find(|version| version.id == id);
        version.unwrap().chain.push(entry);
    }

    /// The version that ends with an entry; one that branches off there if there is none.
    fn version_after(&mut self, session: SessionId, parent: &str) -> Option<u64> {
        let selected = self.selected(session)?;
        if selected.ends_with(parent) {
            return Some(selected.id);
        }
        if let Some(version) = self.versions_of(session).rev().find(|version| version.ends_with(parent)) {
            return Some(version.id);
        }
        let holding = self.versions.iter().find(|version| version.position(parent).is_some())?;
        let upto = holding.position(parent)? + 1;
        let chain = holding.chain[..upto].to_vec();
        Some(self.add(session, chain, None))
    }

    /// The selected version, unless it lacks the turn that speaks.
    fn version_for(&mut self, session: SessionId, turn: Option<TurnId>) -> u64 {
        let Some(selected) = self.selected(session).map(|version| version.id) else {
            let id = self.add(session, Vec::new(), None);
            self.select(session, id);
            return id;
        };
        let Some(turn) = turn.filter(|turn| !self.has(session, *turn)) else { return selected };
        let left = self.versions_of(session).rev().find(|version| version.prompt(turn).is_some());
        left.map_or(selected, |version| version.id)
    }

    /// The turn that a prompt opened.
    pub(crate) fn prompt_turn(&self, session: SessionId, id: &str) -> Option<TurnId> {
        let entries = self.versions_of(session).flat_map(|version| &version.chain);
        entries.filter(|entry| entry.kind == MessageKind::Prompt).find(|entry| entry.id == id)?.turn
    }

    /// Makes the cut a session stands on permanent.
    pub(crate) fn absorb(&mut self, session: SessionId) {
        let selected = self.selected(session).map(|version| version.id);
        let version = self.versions.iter_mut().find(|version| Some(version.id) == selected);
        version.unwrap().is_absorbed = true;
    }

    /// Whether a turn is on the version a session stands on.
    pub(crate) fn has(&self, session: SessionId, turn: TurnId) -> bool {
        self.selected(session).is_some_and(|version| version.prompt(turn).is_some())
    }
}

impl Version {
    /// Where an entry is.
    pub(crate) fn position(&self, id: &str) -> Option<usize> {
        self.chain.iter().position(|entry| entry.id == id)
    }

    /// Where the prompt of a turn is.
    pub(crate) fn prompt(&self, turn: TurnId) -> Option<usize> {
        self.chain.iter().position(|entry| entry.kind == MessageKind::Prompt && entry.turn == Some(turn))
    }

    fn ends_with(&self, id: &str) -> bool {
        self.chain.last().is_some_and(|entry| entry.id == id)
    }
}

fn is_compaction(entry: &Entry) -> bool {
    entry.kind == MessageKind::Compaction
}
