//! [`Server`]: what all clients share: the workspaces that are open, the sessions that somebody holds, who must be asked
//! to stop a turn.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use model::SessionId;
use takeback::{Takeback, Workspace};

use super::outbox::Outbox;
use super::pulse::Pulse;
use super::watch::Watch;
use crate::wire::shown_path;

/// What all clients share.
pub(super) struct Server {
    pub(super) takeback: Takeback,
    /// Beats whenever a session of this server may stand elsewhere.
    pub(super) pulse: Pulse,
    /// Who wants to hear of changes.
    pub(super) watch: Watch,
    /// Held while a session is opened or left, so that two clients cannot both begin it, nor one end what another begins.
    pub(super) opening: Mutex<()>,
    clients: AtomicU64,
    workspaces: Mutex<BTreeMap<PathBuf, Weak<Workspace>>>,
    sessions: Mutex<BTreeMap<String, Weak<Session>>>,
}

/// A session that some client holds.
pub(super) struct Session {
    /// How clients name it.
    pub(super) handle: String,
    pub(super) workspace: Arc<Workspace>,
    pub(super) id: SessionId,
    pub(super) agent: String,
    pub(super) native: String,
    owners: Mutex<BTreeMap<u64, Outbox>>,
    /// Held while an event of it is recorded, and while its conversation moves.
    moving: Mutex<()>,
}

impl Server {
    pub(super) fn new(takeback: Takeback) -> Self {
        Self {
            takeback,
            pulse: Pulse::default(),
            watch: Watch::default(),
            opening: Mutex::new(()),
            clients: AtomicU64::new(0),
            workspaces: Mutex::default(),
            sessions: Mutex::default(),
        }
    }

    /// A number that no other client has or had.
    pub(super) fn next_client(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// The workspace that is open already for this root, or the given one.
    pub(super) fn share(&self, workspace: Workspace) -> Arc<Workspace> {
        let mut workspaces = lock(&self.workspaces);
        workspaces.retain(|_, workspace| workspace.strong_count() > 0);
        if let Some(open) = workspaces.get(workspace.root_path()).and_then(Weak::upgrade) {
            return open;
        }
        let root = workspace.root_path().to_owned();
        let workspace = Arc::new(workspace);
        workspaces.insert(root, Arc::downgrade(&workspace));
        workspace
    }

    /// The session as all who hold it share it.
    pub(super) fn hold(&self, workspace: Arc<Workspace>, id: SessionId, agent: &str, native: &str) -> Arc<Session> {
        let handle = handle(id, workspace.root_path());
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.strong_count() > 0);
        if let Some(known) = sessions.get(&handle).and_then(Weak::upgrade) {
            return known;
        }
        let (agent, native) = (agent.to_owned(), native.to_owned());
        let (owners, moving) = (Mutex::default(), Mutex::default());
        let session = Session { handle: handle.clone(), workspace, id, agent, native, owners, moving };
        let session = Arc::new(session);
        sessions.insert(handle, Arc::downgrade(&session));
        session
    }

    /// A session that some client has opened, by the agent's own id.
    pub(super) fn opened(&self, agent: &str, native: &str) -> Option<Arc<Session>> {
        let sessions = lock(&self.sessions);
        let mut held = sessions.values().filter_map(Weak::upgrade);
        held.find(|session| session.agent == agent && session.native == native && session.has_owners())
    }
}

impl Session {
    /// From now on this client is asked to stop the session's turns.
    pub(super) fn add_owner(&self, client: u64, outbox: Outbox) {
        lock(&self.owners).insert(client, outbox);
    }

    /// Whether this client, and no other, has opened the session.
    pub(super) fn is_owned_only_by(&self, client: u64) -> bool {
        let owners = lock(&self.owners);
        owners.len() == 1 && owners.contains_key(&client)
    }

    /// The client is asked no more; says whether it was the last one.
    pub(super) fn remove_owner(&self, client: u64) -> bool {
        let mut owners = lock(&self.owners);
        owners.remove(&client).is_some() && owners.is_empty()
    }

    /// Whether the client has opened the session, as opposed to looking at it.
    pub(super) fn is_owned_by(&self, client: u64) -> bool {
        lock(&self.owners).contains_key(&client)
    }

    /// Whether some client has opened it.
    pub(super) fn has_owners(&self) -> bool {
        !lock(&self.owners).is_empty()
    }

    /// Until the guard is dropped nothing of the session can begin or end through this server.
    pub(super) fn hold_still(&self) -> MutexGuard<'_, ()> {
        lock(&self.moving)
    }

    /// The ways to all who have opened it.
    pub(super) fn owners(&self) -> Vec<Outbox> {
        lock(&self.owners).values().cloned().collect()
    }
}

/// Locks what no panic can leave half done.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ids of sessions count per workspace; with its root one means the same for every client.
fn handle(id: SessionId, root: &Path) -> String {
    format!("{id}@{}", shown_path(std::os::unix::ffi::OsStrExt::as_bytes(root.as_os_str())))
}
