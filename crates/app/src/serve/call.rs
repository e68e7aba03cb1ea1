//! [`Call`]: one request while it is answered, with all that a handler may reach.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::client::Client;
use super::fault::{Code, Fault};
use super::parameters::Parameters;
use super::server::{Server, Session};

/// Answers a method with the text of one JSON value.
pub(super) type Handler = fn(&Call<'_>) -> Result<String, Fault>;

/// One request.
pub(super) struct Call<'a> {
    pub(super) server: &'a Arc<Server>,
    pub(super) client: &'a Client,
    pub(super) parameters: Parameters,
    pub(super) cancel: &'a Cancel,
}

/// Whether a request was called off.
#[derive(Debug, Default)]
pub(super) struct Cancel(AtomicBool);

impl Cancel {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error once the request was called off.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.0.load(Ordering::Relaxed) {
            Err(Fault::new(Code::Cancelled, "The request was cancelled; nothing was changed"))
        } else {
            Ok(())
        }
    }
}

impl Call<'_> {
    /// The session the request is about.
    pub(super) fn session(&self) -> Result<Arc<Session>, Fault> {
        let handle = self.parameters.needed("session");
        self.client.session(handle).ok_or_else(|| {
            Fault::new(Code::UnknownSession, format!("`{handle}` is not open here; call `session/open` first"))
        })
    }

    /// The same, for what only a client may do that has opened the session.
    pub(super) fn own_session(&self) -> Result<Arc<Session>, Fault> {
        let session = self.session()?;
        if session.is_owned_by(self.client.id) {
            return Ok(session);
        }
        let message = format!("`{}` was attached only; call `session/open` to record in it", session.handle);
        Err(Fault::new(Code::UnknownSession, message))
    }
}
