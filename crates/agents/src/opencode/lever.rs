//! The lever: the mark by which OpenCode itself cuts a session. What lies behind it is dropped at the next prompt, so the
//! whole session is kept as a copy first. A fork is such a copy up to where it ends.

use rusqlite::params;
use serde_json::json;

use super::database::{Database, Message, failed, open, open_for_writing};
use super::keep;
use crate::driver::{DriverError, Lever, Seat, Target};
use crate::setup::shell_word;

/// Makes ready what a target needs.
pub(super) fn prepare(seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
    let database = open(seat)?;
    let mark = database.mark(&seat.native)?;
    let mark = mark.ok_or_else(|| DriverError::NoConversation { native: seat.native.clone() })?;
    let messages = database.messages(&seat.native)?;
    match target {
        Target::Before { prompt } => {
            let first = &messages[place(&messages, prompt)?].id;
            // A session that is cut already is kept as it was before the first cut.
            let left = if mark.is_none() {
                keep::copy(&mut open_for_writing(seat)?, &seat.native, None)?
            } else {
                seat.native.clone()
            };
            Ok(Lever { left, ..moves_to(seat, Some(first)) })
        }
        Target::After { prompt: None } => Ok(Lever { moves_agent: false, ..moves_to(seat, None) }),
        Target::After { prompt: Some(prompt) } => {
            let next = next_prompt(&messages, place(&messages, prompt)?);
            if next == mark.as_ref() {
                return Ok(Lever { moves_agent: false, ..moves_to(seat, None) });
            }
            Ok(moves_to(seat, next))
        }
        Target::Fork { prompt } => {
            let end = match prompt {
                Some(prompt) => next_prompt(&messages, place(&messages, prompt)?).or(mark.as_ref()),
                None => mark.as_ref(),
            };
            let new = keep::copy(&mut open_for_writing(seat)?, &seat.native, end.map(String::as_str))?;
            Ok(Lever { native: new.clone(), resume: resume_command(&new), moves_agent: false, ..moves_to(seat, None) })
        }
    }
}

/// Removes the copy that was made.
pub(super) fn discard(seat: &Seat, lever: &Lever) {
    let made = [&lever.left, &lever.native].into_iter().find(|id| **id != seat.native);
    if let (Some(made), Ok(mut database)) = (made, open_for_writing(seat)) {
        // What cannot be removed is a session that nobody points at; the user sees it in the list.
        _ = keep::remove(&mut database, made);
    }
}

/// Sets the mark, or lifts it.
pub(super) fn activate(seat: &Seat, lever: &Lever) -> Result<(), DriverError> {
    if !lever.moves_agent {
        return Ok(());
    }
    let mark = std::str::from_utf8(&lever.notes).ok().filter(|mark| !mark.is_empty());
    let database = open_for_writing(seat)?;
    if let Some(mark) = mark
        && !database.messages(&seat.native)?.iter().any(|message| message.id == mark)
    {
        return Err(DriverError::NoPrompt { prompt: mark.to_owned() });
    }
    set_mark(&database, &seat.native, mark)?;
    match database.mark(&seat.native)? {
        Some(now) if now.as_deref() == mark => Ok(()),
        _ => Err(DriverError::NoConversation { native: seat.native.clone() }),
    }
}

/// The command that takes a session up.
pub(super) fn resume_command(native: &str) -> String {
    format!("opencode -s {}", shell_word(native))
}

fn set_mark(database: &Database, session: &str, mark: Option<&str>) -> Result<(), DriverError> {
    let text = mark.map(|message| json!({ "messageID": message }).to_string());
    let sql = "UPDATE session SET revert = ?2 WHERE id = ?1";
    database.connection.execute(sql, params![session, text]).map(|_| ()).map_err(failed)
}

fn place(messages: &[Message], prompt: &str) -> Result<usize, DriverError> {
    let found = messages.iter().position(|message| message.is_prompt() && message.entry_id == prompt);
    found.ok_or_else(|| DriverError::NoPrompt { prompt: prompt.to_owned() })
}

fn next_prompt(messages: &[Message], after: usize) -> Option<&String> {
    messages[after + 1..].iter().find(|message| message.is_prompt()).map(|message| &message.id)
}

/// The session stays the same and its mark moves.
fn moves_to(seat: &Seat, mark: Option<&String>) -> Lever {
    Lever {
        native: seat.native.clone(),
        transcript: None,
        left: seat.native.clone(),
        resume: resume_command(&seat.native),
        resume_in_chat: None,
        moves_agent: true,
        notes: mark.map(|mark| mark.clone().into_bytes()).unwrap_or_default(),
    }
}
