//! The slash commands: what takes back and brings again. Each makes an order, shows what became of it, and puts the
//! withdrawn prompt into the input line.

use model::{HeadKind, Outcome, Scope, TurnState};
use takeback::{Agreement, Order, Permits, Report, Selection, TurnView};

use crate::Failure;
use crate::chat::{Chat, Next};
use crate::input::say;

/// Does a command, given without its slash.
pub(crate) fn run(chat: &mut Chat<'_>, command: &str) -> Result<Next, Failure> {
    match command.trim() {
        "undo" => apply(chat, Selection::UndoTurns { count: 1 })?,
        "redo" => apply(chat, Selection::Redo { count: 1 })?,
        "rewind" => rewind(chat)?,
        "versions" => versions(chat)?,
        "quit" => return Ok(Next::Quit),
        other => say(&format!("There is no /{other}: /undo /redo /rewind /versions /quit")),
    }
    Ok(Next::GoOn)
}

fn apply(chat: &mut Chat<'_>, selection: Selection) -> Result<(), Failure> {
    let order = order(chat, selection, Scope::Both);
    let report = chat.workspace.apply(&order, Agreement::Whatever, &mut |_, _| {})?;
    tell(chat, &report)
}

/// Asks for the turn and for what is to go back, shows what that would do, and does exactly that.
fn rewind(chat: &mut Chat<'_>) -> Result<(), Failure> {
    let Some(turn) = pick(chat)? else { return Ok(()) };
    let Some(scope) = ask_scope(chat)? else { return Ok(()) };
    let order = order(chat, Selection::Rewind { turn: turn.id }, scope);
    let shown = chat.workspace.preview(&order)?;
    list(&shown);
    if shown.outcome == Outcome::Preview && chat.input.ask("Do this? [y/N] ")?.as_deref() != Some("y") {
        say("Nothing was changed.");
        return Ok(());
    }
    let report = chat.workspace.apply(&order, Agreement::To(&shown), &mut |_, _| {})?;
    tell(chat, &report)
}

fn pick(chat: &mut Chat<'_>) -> Result<Option<TurnView>, Failure> {
    let mut turns = chat.workspace.log(Some(chat.session.id), None)?;
    turns.retain(|turn| turn.state == TurnState::Live);
    for (number, turn) in turns.iter().enumerate() {
        say(&format!("  {}  {}", number + 1, turn.prompt.as_deref().unwrap_or("(no prompt)")));
    }
    let answer = chat.input.ask("Take back everything from which on? ")?;
    let number: Option<usize> = answer.and_then(|answer| answer.trim().parse().ok());
    let at = number.and_then(|number| number.checked_sub(1)).filter(|at| *at < turns.len());
    if at.is_none() {
        say("Nothing was changed.");
    }
    Ok(at.map(|at| turns.swap_remove(at)))
}

fn ask_scope(chat: &mut Chat<'_>) -> Result<Option<Scope>, Failure> {
    let answer = chat.input.ask("What goes back: [b]oth, [f]iles, [c]onversation? ")?;
    let scope = match answer.as_deref() {
        Some("b" | "") => Some(Scope::Both),
        Some("f") => Some(Scope::Files),
        Some("c") => Some(Scope::Conversation),
        _ => None,
    };
    if scope.is_none() {
        say("Nothing was changed.");
    }
    Ok(scope)
}

fn versions(chat: &Chat<'_>) -> Result<(), Failure> {
    for version in chat.workspace.versions(chat.session.id)? {
        let sign = if version.is_selected { '*' } else { ' ' };
        let made = if version.kind == HeadKind::Rewind { "after a rewind" } else { version.kind.code() };
        say(&format!("{sign} {}  {made}  {} turns", version.id, version.turns.len()));
    }
    Ok(())
}

fn order(chat: &Chat<'_>, selection: Selection, scope: Scope) -> Order {
    Order { session: Some(chat.session.id), selection, scope, policy: None, memory: None, permits: Permits::NONE }
}

/// Says what became of an order. What is left of the conversation is shown anew.
fn tell(chat: &mut Chat<'_>, report: &Report) -> Result<(), Failure> {
    list(report);
    match report.outcome {
        Outcome::Done => {}
        Outcome::Nothing => say("There is nothing to do."),
        other => say(&format!("Nothing was changed: {}.", other.code())),
    }
    chat.withdrawn = report.conversation.prompts.first().filter(|_| report.outcome == Outcome::Done).cloned();
    if report.outcome == Outcome::Done {
        say("---");
        chat.show()?;
    }
    Ok(())
}

fn list(report: &Report) {
    for file in &report.files {
        say(&format!("  {} {}: {}", file.action.code(), file.path, file.result.code()));
    }
    for effect in &report.effects {
        say(&format!("  stays as it is: {}", effect.summary));
    }
}
