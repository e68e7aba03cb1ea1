//! What the reference makes of an order.

use std::collections::BTreeSet;

use model::{ConflictPolicy, HeadId, Memory, MessageKind, Outcome, Scope, SessionId, TurnId};
use takeback::{CheckpointName, Order, Permits, RevertTarget, Selection};

use super::files::{Cause, PATHS, Plan};
use super::model::{Model, Operation};
use super::talk::Entry;

/// What an order means.
#[derive(Debug, Default)]
struct Choice {
    turns: BTreeSet<TurnId>,
    /// The operations to be redone, the newest first.
    operations: Vec<u64>,
    brings: BTreeSet<TurnId>,
    chosen: BTreeSet<usize>,
    /// Whether it is about whole turns, or another version.
    moves_talk: bool,
}

impl Model {
    /// Carries an order out. None if it names something that is not there.
    pub(crate) fn carry_out(&mut self, order: &Order) -> Option<Outcome> {
        let order = &meant(order);
        let session = order.session.unwrap();
        if self.is_running(session) {
            return Some(Outcome::Refused);
        }
        let (choice, plan, outcome) = self.work_out(session, order)?;
        if outcome == Outcome::Done {
            self.enter(session, order, choice, &plan);
        }
        Some(outcome)
    }

    /// Only looks what an order would come to.
    pub(crate) fn preview(&mut self, order: &Order) -> Option<Outcome> {
        let order = &meant(order);
        let session = order.session.unwrap();
        let (_, _, outcome) = self.work_out(session, order)?;
        let outcome = if outcome == Outcome::Done { Outcome::Preview } else { outcome };
        Some(if self.is_running(session) { Outcome::Refused } else { outcome })
    }

    fn work_out(&mut self, session: SessionId, order: &Order) -> Option<(Choice, Plan, Outcome)> {
        self.choose(session, order)?;
        self.look();
        let mut choice = self.choose(session, order)?;
        let mut plan = Plan::default();
        if order.scope.has_files() {
            plan = self.files.plan(&choice.chosen, order.policy.unwrap());
        } else {
            choice.chosen.clear();
        }
        let is_nothing = choice.chosen.is_empty() && choice.operations.is_empty() && !choice.moves_talk;
        let outcome = match (plan.has_conflicts, is_nothing) {
            (true, _) => Outcome::Conflict,
            (false, true) => Outcome::Nothing,
            (false, false) => Outcome::Done,
        };
        Some((choice, plan, outcome))
    }

    fn choose(&self, session: SessionId, order: &Order) -> Option<Choice> {
        let mut choice = Choice::default();
        match &order.selection {
            Selection::UndoTurns { count } => {
                let turns = self.undoable(session, order.scope).into_iter().take(*count);
                self.take_turns(turns.collect(), &mut choice);
            }
            Selection::UndoSteps { count } => self.take_steps(session, *count, &mut choice),
            Selection::Rewind { turn } => {
                let is_known = self.turns_of(session).contains(turn);
                let turns = self.undoable(session, order.scope).into_iter().filter(|live| live >= turn);
                self.take_turns(is_known.then(|| turns.collect())?, &mut choice);
            }
            Selection::Redo { count } => {
                let operations = self.redoable(session, order.scope).into_iter().take(*count);
                operations.for_each(|operation| self.take_operation(operation.0, &mut choice));
            }
            Selection::Revert { targets } => {
                for target in targets {
                    self.take_target(target, &mut choice)?;
                }
                choice.operations.clear();
                choice.moves_talk = false;
            }
            Selection::Switch { head } => {
                self.take_version(session, head.0, &mut choice)?;
                return Some(choice);
            }
            Selection::Restore { checkpoint, .. } => {
                self.take_since(checkpoint, &mut choice)?;
                return Some(choice);
            }
        }
        choice.chosen = self.standing(&choice.chosen);
        Some(choice)
    }

    /// Everything since a checkpoint, except what is there from outside.
    fn take_since(&self, checkpoint: &CheckpointName, choice: &mut Choice) -> Option<()> {
        let is_it = |name: &str| *checkpoint == CheckpointName::Name(name.to_owned());
        let (_, from) = self.checkpoints.iter().find(|(name, _)| is_it(name))?;
        let outside = self.standing(&self.files.places(|transition| transition.cause == Cause::Outside));
        choice.chosen = (*from..self.files.ledger.len()).filter(|place| !outside.contains(place)).collect();
        Some(())
    }

    fn take_turns(&self, turns: BTreeSet<TurnId>, choice: &mut Choice) {
        choice.moves_talk |= !turns.is_empty();
        choice.chosen.extend(self.files.within(&turns));
        choice.turns.extend(turns);
    }

    fn take_steps(&self, session: SessionId, count: usize, choice: &mut Choice) {
        let live = self.undoable(session, Scope::Files);
        let is_live = |cause: &Cause| cause.step().is_some_and(|step| live.contains(&step.turn));
        let work = self.standing(&self.files.places(|transition| is_live(&transition.cause)));
        let steps: BTreeSet<_> = work.iter().filter_map(|place| self.files.ledger[*place].cause.step()).collect();
        let newest: BTreeSet<_> = steps.into_iter().rev().take(count).collect();
        choice.chosen.extend(self.files.places(|transition| transition.cause.is_among(|step| newest.contains(step))));
    }

    fn take_operation(&self, id: u64, choice: &mut Choice) {
        choice.chosen.extend(self.files.places(|transition| transition.cause == Cause::Operation(id)));
        choice.turns.extend(self.operations.iter().filter(|known| known.id == id).flat_map(|known| &known.turns));
        choice.operations.push(id);
    }

    /// Makes a version that goes on after a turn, or after all that was said, for the session itself or for a new one.
    /// False if there is no such turn on the present version, or the new session is known already.
    pub(crate) fn fork(&mut self, session: SessionId, after: Option<TurnId>, into: Option<&str>) -> bool {
        let chain = self.talk.transcript(session);
        let end = match after {
            Some(turn) => chain.iter().rposition(|entry| entry.turn == Some(turn)).map(|at| at + 1),
            None => Some(chain.len()),
        };
        let is_known = self.sessions.iter().any(|known| Some(known.native.as_str()) == into);
        let Some(end) = end.filter(|_| !(is_known || (into.is_none() && self.is_running(session)))) else {
            return false;
        };
        let chain = chain[..end].to_vec();
        if self.talk.selected(session).is_none() {
            let first = self.talk.add(session, Vec::new(), None);
            self.talk.select(session, first);
        }
        let owner = into.map_or(session, |native| self.add_session(native, Some(session), after));
        let version = self.talk.add(owner, chain, None);
        if owner == session {
            self.switch(session, version);
        } else {
            self.talk.select(owner, version);
        }
        true
    }

    fn switch(&mut self, session: SessionId, version: u64) {
        let selection = Selection::Switch { head: HeadId(version) };
        let (policy, scope) = (Some(ConflictPolicy::Stop), Scope::Conversation);
        self.carry_out(&Order {
            session: Some(session),
            selection,
            scope,
            policy,
            memory: None,
            permits: Permits::NONE,
        });
    }

    fn take_target(&self, target: &RevertTarget, choice: &mut Choice) -> Option<()> {
        let is_turn = |id: &TurnId| self.turns.iter().any(|turn| turn.id == *id);
        match target {
            RevertTarget::Turn(turn) => self.take_turns(is_turn(turn).then(|| BTreeSet::from([*turn]))?, choice),
            RevertTarget::Operation(id) => {
                self.operations.iter().find(|known| known.id == id.0)?;
                self.take_operation(id.0, choice);
            }
            RevertTarget::PathOfTurn(turn, path) => {
                let is_it = |place: &usize| PATHS[self.files.ledger[*place].path].as_bytes() == path.as_bytes();
                let places: BTreeSet<usize> = self.files.of_turn(*turn).into_iter().filter(is_it).collect();
                let places = (!places.is_empty()).then_some(places)?;
                choice.chosen.extend(&places & &self.files.within(&BTreeSet::from([*turn])));
            }
            RevertTarget::Step(_)
            | RevertTarget::PathOfStep(..)
            | RevertTarget::Hunk { .. }
            | RevertTarget::SubagentOrPath(_) => return None,
        }
        Some(())
    }

    /// The work of the turns that only the other version has must stand, that of those that only this one has must not.
    fn take_version(&self, session: SessionId, id: u64, choice: &mut Choice) -> Option<()> {
        let target = self.talk.version(id).filter(|version| version.session == session)?;
        let known = self.turns.iter().map(|turn| turn.id);
        let there: BTreeSet<TurnId> = known.filter(|turn| target.prompt(*turn).is_some()).collect();
        let here = self.turns.iter().map(|turn| turn.id).filter(|turn| self.talk.has(session, *turn)).collect();
        choice.brings = &there - &here;
        choice.turns = &here - &there;
        choice.moves_talk = self.talk.selected(session).is_none_or(|version| version.id != id);
        let brought = choice.brings.iter().flat_map(|turn| self.files.of_turn(*turn)).collect();
        let holding = self.files.holding(&brought);
        let leaving = self.standing(&self.files.within(&choice.turns));
        choice.chosen = &holding | &self.files.standing(&leaving, &holding);
        Some(())
    }

    fn standing(&self, asked: &BTreeSet<usize>) -> BTreeSet<usize> {
        self.files.standing(asked, &BTreeSet::new())
    }

    /// Files and conversation at once.
    fn enter(&mut self, session: SessionId, order: &Order, choice: Choice, plan: &Plan) {
        let id = self.operations.len() as u64 + 1;
        self.clock += 1;
        self.files.carry_out(plan, id, self.clock);
        let is_redone = |operation: &&mut Operation| choice.operations.contains(&operation.id);
        self.operations.iter_mut().filter(is_redone).for_each(|operation| operation.redone.push((id, order.scope)));
        self.move_talk(session, order, &choice, plan, id);
        self.operations.push(Operation {
            id,
            session,
            verb: order.selection.verb(),
            scope: order.scope,
            turns: choice.turns,
            brings: choice.brings,
            at: self.clock,
            redone: Vec::new(),
        });
    }

    fn move_talk(&mut self, session: SessionId, order: &Order, choice: &Choice, plan: &Plan, operation: u64) {
        let moves = order.scope.has_conversation();
        match &order.selection {
            Selection::Switch { head } if moves => self.talk.select(session, head.0),
            Selection::Redo { .. } if moves => self.lift_or_tell(session, choice, plan, operation),
            Selection::Revert { .. } if moves => self.inform(session, "took back", plan, operation),
            Selection::UndoTurns { .. } | Selection::Rewind { .. } if moves => {
                if let Some(oldest) = choice.turns.first() {
                    self.cut(session, *oldest, operation);
                }
            }
            Selection::UndoTurns { .. } | Selection::Rewind { .. } if order.memory == Some(Memory::Inform) => {
                self.inform(session, "took back", plan, operation);
            }
            _ => {}
        }
    }

    /// Of what the model was told that it went, it is told that it comes again, also along with a lifted cut.
    fn lift_or_tell(&mut self, session: SessionId, choice: &Choice, plan: &Plan, operation: u64) {
        choice.operations.iter().for_each(|undone| self.lift(session, *undone));
        let version = self.talk.selected(session);
        let was_told = |by: &u64| version.is_some_and(|version| version.position(&note_id(*by)).is_some());
        let told: BTreeSet<u64> = choice.operations.iter().copied().filter(was_told).collect();
        let is_of_told =
            |at: &usize| matches!(&self.files.ledger[*at].cause, Cause::Operation(by) if told.contains(by));
        let changes = plan.changes.iter().filter(|(_, _, taken)| taken.iter().any(is_of_told)).cloned().collect();
        self.inform(session, "brought again", &Plan { changes, has_conflicts: false }, operation);
    }

    fn cut(&mut self, session: SessionId, oldest: TurnId, operation: u64) {
        let version = self.talk.selected(session).unwrap();
        let chain = version.chain[..version.prompt(oldest).unwrap()].to_vec();
        let from = version.id;
        let head = self.talk.add(session, chain, Some((operation, from)));
        self.talk.select(session, head);
    }

    fn lift(&mut self, session: SessionId, operation: u64) {
        let version = self.talk.selected(session).filter(|version| !version.is_absorbed);
        if let Some((by, from)) = version.and_then(|version| version.cut)
            && by == operation
        {
            self.talk.select(session, from);
        }
    }

    fn inform(&mut self, session: SessionId, did: &str, plan: &Plan, operation: u64) {
        if plan.changes.is_empty() {
            return;
        }
        let paths: Vec<String> = plan.changes.iter().map(|(path, ..)| format!("- {}", PATHS[*path])).collect();
        let text = format!("The user {did} earlier changes to these files:\n{}", paths.join("\n"));
        self.talk.say(
            session,
            None,
            Entry {
                id: note_id(operation),
                turn: None,
                role: "user",
                kind: MessageKind::Injected,
                payload: text.into_bytes(),
                keeps_from: None,
            },
        );
    }
}

/// Where the model is only told of it, its conversation does not move.
fn meant(order: &Order) -> Order {
    let takes_turns = matches!(order.selection, Selection::UndoTurns { .. } | Selection::Rewind { .. });
    let is_told = order.memory == Some(Memory::Inform) && takes_turns && order.scope == Scope::Both;
    Order { scope: if is_told { Scope::Files } else { order.scope }, ..order.clone() }
}

fn note_id(operation: u64) -> String {
    format!("takeback-op{operation}")
}
