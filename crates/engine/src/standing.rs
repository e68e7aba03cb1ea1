//! [`Standing`]: where a session stands right now, cheap enough to be asked again and again. Reads rows, no files.

use model::{CheckpointId, HeadId, SessionId, StepId, TurnId};
use store::{StoreError, WindowState};

use crate::workspace::Workspace;

/// Where a session and its workspace stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The newest checkpoint of the workspace.
    pub checkpoint: Option<CheckpointId>,
    /// The version of the conversation that the session stands on.
    pub head: Option<HeadId>,
    /// The session's turn that has not ended.
    pub turn: Option<TurnId>,
    /// The session's steps whose windows are open. Work left running in the background is not among them.
    pub running: Vec<StepId>,
}

impl Standing {
    /// Whether nothing of the session is under way.
    pub fn is_at_rest(&self) -> bool {
        self.turn.is_none() && self.running.is_empty()
    }
}

impl Workspace {
    /// Where a session stands. Cost: a few rows, whatever the size of the workspace.
    pub fn standing(&self, session: SessionId) -> Result<Standing, StoreError> {
        let reader = self.store.read()?;
        let windows = reader.open_windows()?.into_iter();
        let running = windows.filter(|window| window.session == session && window.state == WindowState::Open);
        Ok(Standing {
            checkpoint: reader.latest_checkpoint()?.map(|checkpoint| checkpoint.id),
            head: reader.selected_head(session)?.map(|head| head.id),
            turn: reader.open_turn(session)?.map(|turn| turn.id),
            running: running.map(|window| window.step).collect(),
        })
    }
}
