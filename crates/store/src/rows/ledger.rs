//! The ledger: every transition of the workspace, in order. It only grows.

use model::{Cause, CheckpointId, ContentHash, Entry, Evidence, Move, OperationId, Seq, SessionId, StepId, TurnId};
use model::{Transition, WorkspacePath};
use rusqlite::types::Value;
use rusqlite::{Row, params};

use super::path::bounds_below;
use crate::columns::{Coded, put, take, take_step};
use crate::{Reader, StoreError, Writer};

/// A transition that has no place in the ledger yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransition {
    /// The barrier at which it was seen.
    pub checkpoint: CheckpointId,
    /// Where.
    pub path: WorkspacePath,
    /// What was there before.
    pub before: Entry,
    /// What was there after.
    pub after: Entry,
    /// The other end, if the thing that was here, or is here now, moved.
    pub moved: Option<Move>,
    /// Who made it.
    pub cause: Cause,
    /// How well that is known.
    pub evidence: Evidence,
}

/// Content that a stored thing names, with the path it is needed for.
pub(crate) struct NamedContent {
    pub(crate) hash: ContentHash,
    pub(crate) path: WorkspacePath,
}

/// Up to this many transitions are looked through one by one; more are found by their paths.
const LOOKED_THROUGH_MAX: u64 = 4_000;

const SELECT: &str = "SELECT t.seq, t.checkpoint, p.path, t.before, t.after, t.moved, m.path, t.cause, t.turn, t.step,
        t.operation, t.candidates, t.evidence
    FROM transition t JOIN path p ON p.id = t.path LEFT JOIN path m ON m.id = t.moved_path";

impl Reader<'_> {
    /// The place of the newest transition; 0 if there is none.
    pub fn last_seq(&self) -> Result<Seq, StoreError> {
        let last = self.one("SELECT max(seq) FROM transition", params![], |row| take::<Option<Seq>>(row, 0))?;
        Ok(last.flatten().unwrap_or(Seq(0)))
    }

    /// All transitions after this place, in order.
    pub fn transitions_since(&self, after: Seq) -> Result<Vec<Transition>, StoreError> {
        self.select("WHERE t.seq > ?1 ORDER BY t.seq", params![put(&after)])
    }

    /// All transitions that a step of this turn made or may have made, in order.
    pub fn transitions_of_turn(&self, turn: TurnId) -> Result<Vec<Transition>, StoreError> {
        let tail = "WHERE t.seq IN (SELECT seq FROM transition WHERE turn = ?1
            UNION SELECT seq FROM candidate WHERE turn = ?1) ORDER BY t.seq";
        self.select(tail, params![put(&turn)])
    }

    /// All transitions that this step made or may have made, in order.
    pub fn transitions_of_step(&self, step: StepId) -> Result<Vec<Transition>, StoreError> {
        let tail = "WHERE t.seq IN (SELECT seq FROM transition WHERE turn = ?1 AND step = ?2
            UNION SELECT seq FROM candidate WHERE turn = ?1 AND step = ?2) ORDER BY t.seq";
        self.select(tail, params![put(&step.turn), step.number])
    }

    /// All transitions of exactly this path after this place, in order. Both ends of a move have one of their own.
    pub fn transitions_of_path_since(&self, path: &WorkspacePath, after: Seq) -> Result<Vec<Transition>, StoreError> {
        let Some(number) = self.path_number(path)? else { return Ok(Vec::new()) };
        self.select("WHERE t.path = ?1 AND t.seq > ?2 ORDER BY t.seq", params![number, put(&after)])
    }

    /// All transitions of this folder and of everything below it after this place, in order.
    pub fn transitions_below_since(&self, folder: &WorkspacePath, after: Seq) -> Result<Vec<Transition>, StoreError> {
        let is_short = self.last_seq()?.0.saturating_sub(after.0) <= LOOKED_THROUGH_MAX;
        if is_short || folder.is_root() {
            let mut all = self.transitions_since(after)?;
            all.retain(|transition| transition.path.is_at_or_below(folder));
            return Ok(all);
        }
        let (from, to) = bounds_below(folder);
        let tail = "WHERE t.path IN (SELECT id FROM path WHERE path = ?1 OR (path > ?2 AND path < ?3))
            AND t.seq > ?4 ORDER BY t.seq";
        self.select(tail, params![folder.as_bytes(), from, to, put(&after)])
    }

    /// The transitions at these places, in order; places that hold none are passed over.
    pub fn transitions_by_seq(&self, places: &[Seq]) -> Result<Vec<Transition>, StoreError> {
        let mut places = places.to_vec();
        places.sort_unstable();
        places.dedup();
        let mut found = Vec::with_capacity(places.len());
        for run in places.chunk_by(|a, b| a.0.checked_add(1) == Some(b.0)) {
            let ends = params![put(&run[0]), put(&run[run.len() - 1])];
            found.extend(self.select("WHERE t.seq BETWEEN ?1 AND ?2 ORDER BY t.seq", ends)?);
        }
        Ok(found)
    }

    /// All transitions that this operation made, in order.
    pub fn transitions_of_operation(&self, operation: OperationId) -> Result<Vec<Transition>, StoreError> {
        self.select("WHERE t.operation = ?1 ORDER BY t.seq", params![put(&operation)])
    }

    /// The checkpoint at which a step of the session was last seen to have changed a file, looking at its newest turns.
    pub fn newest_change_of(&self, session: SessionId) -> Result<Option<CheckpointId>, StoreError> {
        let sql = "SELECT checkpoint FROM transition WHERE seq = (SELECT max(seq) FROM transition WHERE turn IN
            (SELECT id FROM turn WHERE session = ?1 ORDER BY id DESC LIMIT 50))";
        self.one(sql, params![put(&session)], |row| take(row, 0))
    }

    /// All transitions from outside after the first place up to and including the last, in order.
    pub fn outside_between(&self, after: Seq, last: Seq) -> Result<Vec<Transition>, StoreError> {
        let tail = "WHERE t.seq > ?1 AND t.seq <= ?2 AND t.cause = 'outside' ORDER BY t.seq";
        self.select(tail, params![put(&after), put(&last)])
    }

    /// Hands out all content that transitions after this place name, with its path; content may come more than once.
    pub(crate) fn for_content_of_ledger(
        &self,
        after: Seq,
        mut found: impl FnMut(NamedContent),
    ) -> Result<(), StoreError> {
        let sql = "SELECT p.path, t.before, t.after FROM transition t JOIN path p ON p.id = t.path WHERE t.seq > ?1";
        self.each(sql, params![put(&after)], |row| {
            let path: WorkspacePath = take(row, 0)?;
            for entry in [take::<Entry>(row, 1)?, take::<Entry>(row, 2)?] {
                if let Some(hash) = entry.content() {
                    found(NamedContent { hash: *hash, path: path.clone() });
                }
            }
            Ok(())
        })
    }

    fn select(&self, tail: &str, parameters: impl rusqlite::Params) -> Result<Vec<Transition>, StoreError> {
        self.all(&format!("{SELECT} {tail}"), parameters, transition)
    }
}

impl Writer<'_> {
    /// Adds a transition at the end of the ledger. It becomes part of its checkpoint.
    pub fn add_transition(&mut self, new: &NewTransition) -> Result<Seq, StoreError> {
        let seq = self.append(new)?;
        self.extend_checkpoint(new.checkpoint, seq)?;
        Ok(seq)
    }

    /// Adds transitions at the end of the ledger, in this order; gives their places. The same as adding each alone, and
    /// faster.
    pub fn add_transitions(&mut self, new: &[NewTransition]) -> Result<Vec<Seq>, StoreError> {
        let places = new.iter().map(|one| self.append(one)).collect::<Result<Vec<_>, _>>()?;
        for at_once in new.iter().zip(&places).collect::<Vec<_>>().chunk_by(|a, b| a.0.checkpoint == b.0.checkpoint) {
            if let Some((last, seq)) = at_once.last() {
                self.extend_checkpoint(last.checkpoint, **seq)?;
            }
        }
        Ok(places)
    }

    fn append(&mut self, new: &NewTransition) -> Result<Seq, StoreError> {
        let path = self.number_path(&new.path)?;
        let (moved, moved_path) = match &new.moved {
            None => (None, None),
            Some(Move::From(other)) => (Some(MovedEnd::From), Some(self.number_path(other)?)),
            Some(Move::To(other)) => (Some(MovedEnd::To), Some(self.number_path(other)?)),
        };
        let cause = StoredCause::of(&new.cause);
        let seq = Seq(self.insert(
            "INSERT INTO transition(checkpoint, path, before, after, moved, moved_path, cause, turn, step, operation,
                candidates, evidence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                put(&new.checkpoint),
                path,
                put(&new.before),
                put(&new.after),
                put(&moved),
                moved_path,
                put(&cause.kind),
                cause.turn,
                cause.step,
                cause.operation,
                cause.candidates,
                put(&new.evidence)
            ],
        )?);
        self.add_candidates(&new.cause, seq)?;
        Ok(seq)
    }

    /// Candidates of a contested cause are found through a table of their own.
    fn add_candidates(&mut self, cause: &Cause, seq: Seq) -> Result<(), StoreError> {
        let Cause::Contested { steps, .. } = cause else { return Ok(()) };
        for step in steps {
            let sql = "INSERT OR IGNORE INTO candidate(turn, step, seq) VALUES (?1, ?2, ?3)";
            self.run(sql, params![put(&step.turn), step.number, put(&seq)])?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MovedEnd {
    From,
    To,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CauseKind {
    Step,
    Outside,
    Contested,
    ContestedOrOutside,
    Operation,
}

impl Coded for MovedEnd {
    const WHAT: &'static str = "the end of a move";
    const ALL: &'static [Self] = &[MovedEnd::From, MovedEnd::To];

    fn code(self) -> &'static str {
        match self {
            MovedEnd::From => "from",
            MovedEnd::To => "to",
        }
    }
}

impl Coded for CauseKind {
    const WHAT: &'static str = "a cause";
    const ALL: &'static [Self] = &[
        CauseKind::Step,
        CauseKind::Outside,
        CauseKind::Contested,
        CauseKind::ContestedOrOutside,
        CauseKind::Operation,
    ];

    fn code(self) -> &'static str {
        match self {
            CauseKind::Step => "step",
            CauseKind::Outside => "outside",
            CauseKind::Contested => "contested",
            CauseKind::ContestedOrOutside => "contested-or-outside",
            CauseKind::Operation => "operation",
        }
    }
}

/// A cause spread over its columns.
struct StoredCause {
    kind: CauseKind,
    turn: Value,
    step: Value,
    operation: Value,
    candidates: Value,
}

impl StoredCause {
    fn of(cause: &Cause) -> Self {
        let bare =
            |kind| Self { kind, turn: Value::Null, step: Value::Null, operation: Value::Null, candidates: Value::Null };
        match cause {
            Cause::Outside => bare(CauseKind::Outside),
            Cause::Step(step) => Self { turn: put(&step.turn), step: put(&step.number), ..bare(CauseKind::Step) },
            Cause::Operation(id) => Self { operation: put(id), ..bare(CauseKind::Operation) },
            Cause::Contested { steps, or_outside } => {
                let kind = if *or_outside { CauseKind::ContestedOrOutside } else { CauseKind::Contested };
                Self { candidates: put(steps), ..bare(kind) }
            }
        }
    }
}

fn transition(row: &Row<'_>) -> rusqlite::Result<Transition> {
    Ok(Transition {
        seq: take(row, 0)?,
        checkpoint: take(row, 1)?,
        path: take(row, 2)?,
        before: take(row, 3)?,
        after: take(row, 4)?,
        moved: moved(row)?,
        cause: cause(row)?,
        evidence: take(row, 12)?,
    })
}

fn moved(row: &Row<'_>) -> rusqlite::Result<Option<Move>> {
    Ok(match take::<Option<MovedEnd>>(row, 5)? {
        None => None,
        Some(MovedEnd::From) => Some(Move::From(take(row, 6)?)),
        Some(MovedEnd::To) => Some(Move::To(take(row, 6)?)),
    })
}

fn cause(row: &Row<'_>) -> rusqlite::Result<Cause> {
    Ok(match take(row, 7)? {
        CauseKind::Outside => Cause::Outside,
        CauseKind::Step => Cause::Step(take_step(row, 8)?),
        CauseKind::Operation => Cause::Operation(take(row, 10)?),
        CauseKind::Contested => Cause::Contested { steps: take(row, 11)?, or_outside: false },
        CauseKind::ContestedOrOutside => Cause::Contested { steps: take(row, 11)?, or_outside: true },
    })
}
