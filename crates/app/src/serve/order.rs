//! Orders: from a request to the same value that the command line makes, and from the report to the same object.

use std::os::unix::ffi::OsStrExt;

use model::{ConflictPolicy, Memory, Scope, Verb, WorkspacePath};
use serde_json::{Value, json};
use takeback::{Agreement, Order, Permits, Report, RevertTarget, Selection, Trouble, Workspace};

use super::call::Call;
use super::fault::{Code, Fault};
use super::parameters::Parameters;
use super::rest::{self, Asking, Busy, Rest};
use super::server::{Session, lock};
use crate::{explain, wire};

/// The parameters that belong to some verbs only.
const BELONGING: [(&str, &[Verb]); 9] = [
    ("count", &[Verb::Undo, Verb::Redo]),
    ("steps", &[Verb::Undo]),
    ("turn", &[Verb::Rewind]),
    ("targets", &[Verb::Revert]),
    ("with_dependents", &[Verb::Revert]),
    ("checkpoint", &[Verb::Restore]),
    ("paths", &[Verb::Restore]),
    ("include_outside", &[Verb::Restore]),
    ("version", &[Verb::Switch]),
];

/// `preview`
pub(super) fn preview(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let order = order(&session, &call.parameters)?;
    let report = session.workspace.preview(&order)?;
    let mut shown: Value = serde_json::from_str(&told(&report)).map_err(|error| Fault::not_done(&error))?;
    shown["agreement"] = json!(lock(&call.client.previews).keep(order, report));
    Ok(shown.to_string())
}

/// `apply`
pub(super) fn apply(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let order = order(&session, &call.parameters)?;
    let shown = call.parameters.text("agreement").map(|name| agreed(call, name, &order)).transpose()?;
    let agreement = shown.as_ref().map_or(Agreement::Whatever, Agreement::To);
    carry_out(call, &session, &order, agreement)
}

/// `lift`
pub(super) fn lift(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let order = Order {
        session: Some(session.id),
        selection: Selection::Redo { count: 1 },
        scope: scope(&call.parameters),
        policy: None,
        memory: None,
        permits: Permits::NONE,
    };
    carry_out(call, &session, &order, Agreement::Whatever)
}

fn carry_out(call: &Call<'_>, session: &Session, order: &Order, agreement: Agreement<'_>) -> Result<String, Fault> {
    let asking = Asking { reason: order.selection.verb().code(), even_if_busy: order.permits.even_if_busy };
    let still = match rest::come_to_rest(call, session, &asking)? {
        Rest::Still(still) => still,
        Rest::Busy(busy) => return Ok(refused(order, busy)),
    };
    let report = session.workspace.apply(order, agreement, &mut |_, _| {})?;
    drop(still);
    call.server.pulse.beat();
    Ok(told(&report))
}

fn told(report: &Report) -> String {
    wire::outcome(report, report.trouble.as_ref().map(explain::trouble))
}

fn refused(order: &Order, busy: Busy) -> String {
    let report = Report::refused(order, Trouble::Busy { steps: busy.standing.running });
    wire::outcome(&report, Some(busy.message))
}

/// What the client was shown under the name it agrees to.
fn agreed(call: &Call<'_>, name: &str, order: &Order) -> Result<Report, Fault> {
    lock(&call.client.previews).shown(name, order).ok_or_else(|| {
        let message = format!("`{name}` is no preview of this order; nothing was changed, call `preview` again");
        Fault::new(Code::UnknownAgreement, message)
    })
}

fn order(session: &Session, parameters: &Parameters) -> Result<Order, Fault> {
    let verb = Verb::from_code(parameters.needed("verb")).ok_or_else(|| invalid("There is no such verb"))?;
    for (name, verbs) in BELONGING {
        if parameters.has(name) && !verbs.contains(&verb) {
            return Err(invalid(format!("`{name}` does not go with `{}`", verb.code())));
        }
    }
    Ok(Order {
        session: Some(session.id),
        selection: selection(verb, &session.workspace, parameters)?,
        scope: scope(parameters),
        policy: parameters.text("on_conflict").and_then(ConflictPolicy::from_code),
        memory: parameters.text("memory").and_then(Memory::from_code),
        permits: Permits {
            include_outside: parameters.is_set("include_outside"),
            include_control: parameters.is_set("include_control"),
            even_if_busy: parameters.is_set("even_if_busy"),
            include_contested: parameters.is_set("include_contested"),
            with_dependents: parameters.is_set("with_dependents"),
        },
    })
}

fn scope(parameters: &Parameters) -> Scope {
    parameters.text("scope").and_then(Scope::from_code).unwrap_or(Scope::Both)
}

fn selection(verb: Verb, workspace: &Workspace, parameters: &Parameters) -> Result<Selection, Fault> {
    let count = parameters.count("count");
    Ok(match verb {
        Verb::Undo => match (count, parameters.count("steps")) {
            (Some(_), Some(_)) => return Err(invalid("`count` and `steps` do not go together")),
            (_, Some(count)) => Selection::UndoSteps { count },
            (count, None) => Selection::UndoTurns { count: count.unwrap_or(1) },
        },
        Verb::Redo => Selection::Redo { count: count.unwrap_or(1) },
        Verb::Rewind => Selection::Rewind { turn: required(parameters, "turn")?.parse()? },
        Verb::Switch => Selection::Switch { head: required(parameters, "version")?.parse()? },
        Verb::Revert => Selection::Revert { targets: targets(parameters)? },
        Verb::Restore => Selection::Restore {
            checkpoint: required(parameters, "checkpoint")?.parse().unwrap_or_else(|never| match never {}),
            paths: texts(parameters, "paths").map(|path| workspace_path(workspace, path)).collect::<Result<_, _>>()?,
        },
    })
}

fn targets(parameters: &Parameters) -> Result<Vec<RevertTarget>, Fault> {
    let targets: Vec<RevertTarget> = texts(parameters, "targets").map(RevertTarget::parse).collect();
    if targets.is_empty() { Err(invalid("`targets` is missing")) } else { Ok(targets) }
}

fn texts<'a>(parameters: &'a Parameters, name: &str) -> impl Iterator<Item = &'a str> {
    parameters.list(name).iter().filter_map(Value::as_str)
}

fn required<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, Fault> {
    parameters.text(name).ok_or_else(|| invalid(format!("`{name}` is missing")))
}

/// A path below the root, given from there or absolute.
fn workspace_path(workspace: &Workspace, given: &str) -> Result<WorkspacePath, Fault> {
    let outside = || invalid(format!("`{given}` is not inside the workspace"));
    let path = workspace.path_of(&workspace.root_path().join(given)).ok_or_else(outside)?;
    WorkspacePath::new(path.as_os_str().as_bytes()).map_err(|_| outside())
}

fn invalid(message: impl ToString) -> Fault {
    Fault::new(Code::InvalidParameters, message.to_string())
}
