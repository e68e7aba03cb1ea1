//! What an order means for the conversation, decided before anything is written.

use model::{HeadId, Memory, Scope, SessionId, Verb};
use store::{Reader, StoreError};

use super::{Cut, find_cut, has_informed};
use crate::choice::Choice;
use crate::driven::Reach;
use crate::order::{Order, Selection};
use crate::run::RUN_AGENT;
use crate::settings::Settings;

/// What an order does to the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TalkPlan {
    /// Nothing.
    Leave,
    /// It should be cut, but it is not known where.
    NoBoundary,
    /// It is cut.
    Cut(Cut),
    /// The cuts that operations made are lifted.
    Lift,
    /// Another version is selected.
    Select(HeadId),
    /// The model is told what was taken back or brought again.
    Inform,
    /// The agent keeps it, and it cannot be moved there.
    OutOfReach,
}

/// What an order does to the conversation: only whole turns are cut out of it, only redo lifts a cut, and a revert never
/// cuts.
pub(crate) fn talk_plan(
    reader: &Reader<'_>,
    session: SessionId,
    choice: &Choice,
    order: &Order,
) -> Result<TalkPlan, StoreError> {
    let has_none = reader.session(session)?.is_none_or(|row| row.agent == RUN_AGENT);
    if has_none {
        return Ok(TalkPlan::Leave);
    }
    match &order.selection {
        Selection::Switch { head } if order.scope.has_conversation() && choice.withdraws_turns => {
            Ok(TalkPlan::Select(*head))
        }
        Selection::Switch { .. } => Ok(TalkPlan::Leave),
        Selection::Redo { .. } if order.scope.has_conversation() => lift_plan(reader, session, choice),
        Selection::Revert { .. } if order.scope.has_conversation() => Ok(TalkPlan::Inform),
        _ if order.memory == Some(Memory::Inform) && choice.withdraws_turns && order.scope == Scope::Files => {
            Ok(TalkPlan::Inform)
        }
        _ if order.scope.has_conversation() && choice.withdraws_turns => {
            Ok(find_cut(reader, &choice.turns)?.map_or(TalkPlan::NoBoundary, TalkPlan::Cut))
        }
        _ => Ok(TalkPlan::Leave),
    }
}

/// A redo lifts the cuts of what it brings again; of what the model was told instead, it is told again, also along with a
/// lifted cut.
fn lift_plan(reader: &Reader<'_>, session: SessionId, choice: &Choice) -> Result<TalkPlan, StoreError> {
    let mut plan = TalkPlan::Leave;
    for operation in &choice.operations {
        if reader.head_of_operation(*operation)?.is_some() {
            return Ok(TalkPlan::Lift);
        }
        if has_informed(reader, session, *operation)? {
            plan = TalkPlan::Inform;
        }
    }
    Ok(plan)
}

/// The order where the agent's conversation is out of reach: what would move both halves moves the files alone.
pub(crate) fn within_reach(order: &Order, reach: Reach) -> Order {
    match (reach, order.scope) {
        (Reach::Nowhere, Scope::Both) => Order { scope: Scope::Files, ..order.clone() },
        _ => order.clone(),
    }
}

/// Whether a verb moves the conversation where it is asked to.
fn moves_conversation(verb: Verb) -> bool {
    matches!(verb, Verb::Undo | Verb::Redo | Verb::Rewind | Verb::Switch)
}

/// The plan where the agent's conversation is out of reach.
pub(crate) fn out_of_reach(asked: &Order) -> Option<TalkPlan> {
    (asked.scope.has_conversation() && moves_conversation(asked.selection.verb())).then_some(TalkPlan::OutOfReach)
}

/// The order as the settings complete it. Where the model is only to be told, its conversation does not move. Of an order
/// for the files alone it is told only if the order itself says so.
pub(crate) fn meant(order: &Order, settings: &Settings) -> Order {
    let takes_turns = matches!(order.selection.verb(), Verb::Undo | Verb::Rewind);
    let usual = if order.scope.has_conversation() { settings.memory() } else { Memory::Cut };
    let informs = order.memory.unwrap_or(usual) == Memory::Inform;
    let scope = match order.scope {
        Scope::Both if takes_turns && informs => Scope::Files,
        scope => scope,
    };
    Order { scope, memory: Some(if informs { Memory::Inform } else { Memory::Cut }), ..order.clone() }
}
