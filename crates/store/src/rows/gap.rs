//! Gaps: what was not covered, noted when it was seen.

use model::{CheckpointId, Gap, StepId, TurnId};
use rusqlite::{Row, params};

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// The gaps noted for a turn, sorted, each once.
    pub fn gaps_of_turn(&self, turn: TurnId) -> Result<Vec<Gap>, StoreError> {
        self.gaps("SELECT DISTINCT path, reason FROM gap WHERE turn = ?1", params![put(&turn)])
    }

    /// The gaps noted for a step, sorted, each once.
    pub fn gaps_of_step(&self, step: StepId) -> Result<Vec<Gap>, StoreError> {
        let sql = "SELECT DISTINCT path, reason FROM gap WHERE turn = ?1 AND step_turn = ?1 AND step_number = ?2";
        self.gaps(sql, params![put(&step.turn), step.number])
    }

    /// The gaps noted at a checkpoint, sorted, each once.
    pub fn gaps_at(&self, checkpoint: CheckpointId) -> Result<Vec<Gap>, StoreError> {
        self.gaps("SELECT DISTINCT path, reason FROM gap WHERE checkpoint = ?1", params![put(&checkpoint)])
    }

    fn gaps(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<Vec<Gap>, StoreError> {
        let mut gaps = self.all(sql, parameters, gap)?;
        gaps.sort();
        Ok(gaps)
    }
}

impl Writer<'_> {
    /// Notes a gap. A step's gap is one of its turn as well, also when no turn is named.
    pub fn add_gap(
        &mut self,
        turn: Option<TurnId>,
        step: Option<StepId>,
        checkpoint: CheckpointId,
        gap: &Gap,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO gap(turn, step_turn, step_number, checkpoint, path, reason)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                put(&turn.or(step.map(|step| step.turn))),
                put(&step.map(|step| step.turn)),
                put(&step.map(|step| step.number)),
                put(&checkpoint),
                put(&gap.path),
                put(&gap.reason)
            ],
        )
    }
}

fn gap(row: &Row<'_>) -> rusqlite::Result<Gap> {
    Ok(Gap { path: take(row, 0)?, reason: take(row, 1)? })
}
