//! [`Client`]: asks the helper, waits a few milliseconds, and takes every trouble for not knowing.

use std::io::Write as _;
use std::time::Duration;

use model::limits;

use crate::helper::Place;
use crate::message::{Answer, Question, Reply, Request, Standing};
use crate::wire;

/// Asks the helper of a place.
#[derive(Debug, Clone)]
pub struct Client {
    place: Place,
}

impl Client {
    /// Asks at this place. Nothing is opened yet.
    pub fn new(place: Place) -> Self {
        Self { place }
    }

    /// Asks what may have changed. Never fails and never waits long: no helper, a slow one, one of another user or of
    /// another version, and a garbled answer are all [`Answer::Unknown`].
    pub fn ask(&self, question: Question) -> Answer {
        match self.exchange(&Request::Ask(question)) {
            Some(Reply::Answer(answer)) => answer,
            _ => Answer::Unknown,
        }
    }

    /// How the helper stands to a workspace; none if there is no helper.
    pub fn standing(&self, root: &[u8]) -> Option<Standing> {
        match self.exchange(&Request::Tell { root: root.to_vec() }) {
            Some(Reply::Standing(standing)) => Some(standing),
            _ => None,
        }
    }

    /// Tells the helper to end; says whether it does.
    pub fn end(&self) -> bool {
        matches!(self.exchange(&Request::End), Some(Reply::Ending))
    }

    /// Whether a helper listens. It may be busy, or of another version.
    pub fn is_there(&self) -> bool {
        disk::connect_to_own(&self.place.socket(), patience()).is_some()
    }

    fn exchange(&self, request: &Request) -> Option<Reply> {
        let mut stream = disk::connect_to_own(&self.place.socket(), patience())?;
        stream.write_all(&request.encode()).ok()?;
        let reply = wire::receive(&mut stream).ok()?;
        Reply::decode(&reply).ok()
    }
}

fn patience() -> Duration {
    Duration::from_millis(limits::WATCHER_ANSWER_MS_MAX)
}
