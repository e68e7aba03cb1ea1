//! A session as a copy of its own: the session's row, its messages and their parts, under new ids that keep their order.
//! Columns that are not known are copied as they are. One transaction, all or nothing.

use std::collections::HashMap;

use rusqlite::types::Value as Column;
use rusqlite::{Transaction, params, params_from_iter};

use super::database::{Database, failed};
use super::ids::beside;
use crate::driver::DriverError;

/// Copies a session's messages up to, and without, `end`; none: all of them. Returns the id of the copy.
pub(super) fn copy(database: &mut Database, session: &str, end: Option<&str>) -> Result<String, DriverError> {
    let messages = database.messages(session)?;
    let kept: Vec<String> =
        messages.into_iter().map(|message| message.id).take_while(|id| Some(id.as_str()) != end).collect();
    let transaction = database.connection.transaction().map_err(failed)?;
    let new = beside(session);
    let mut ids: HashMap<String, String> = kept.iter().map(|id| (id.clone(), beside(id))).collect();
    ids.insert(session.to_owned(), new.clone());
    copy_rows(&transaction, "session", "id", session, &ids, &["revert", "share_url", "parent_id"])?;
    for message in &kept {
        copy_rows(&transaction, "message", "id", message, &ids, &[])?;
        copy_rows(&transaction, "part", "message_id", message, &ids, &[])?;
    }
    transaction.commit().map_err(failed)?;
    Ok(new)
}

/// Removes a copy, with what belongs to it.
pub(super) fn remove(database: &mut Database, session: &str) -> Result<(), DriverError> {
    let transaction = database.connection.transaction().map_err(failed)?;
    for (table, column) in [("part", "session_id"), ("message", "session_id"), ("session", "id")] {
        let sql = format!("DELETE FROM {table} WHERE {column} = ?1");
        transaction.execute(&sql, params![session]).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Copies the rows of a table in which `key` is `value`, with new ids wherever old ones stand, also inside of texts.
fn copy_rows(
    transaction: &Transaction<'_>,
    table: &str,
    key: &str,
    value: &str,
    ids: &HashMap<String, String>,
    cleared: &[&str],
) -> Result<(), DriverError> {
    let mut statement = transaction.prepare(&format!("SELECT * FROM {table} WHERE {key} = ?1")).map_err(failed)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let count = names.len();
    let rows = statement
        .query_map(params![value], |row| (0..count).map(|at| row.get::<_, Column>(at)).collect::<Result<Vec<_>, _>>())
        .map_err(failed)?;
    let rows: Vec<Vec<Column>> = rows.collect::<Result<_, _>>().map_err(failed)?;
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let places = vec!["?"; count].join(", ");
    let sql = format!("INSERT INTO {table}({}) VALUES ({places})", quoted.join(", "));
    for row in rows {
        let copied = row.into_iter().zip(&names).map(|(column, name)| renamed(column, name, ids, cleared));
        transaction.execute(&sql, params_from_iter(copied)).map_err(failed)?;
    }
    Ok(())
}

fn renamed(column: Column, name: &str, ids: &HashMap<String, String>, cleared: &[&str]) -> Column {
    if cleared.contains(&name) {
        return Column::Null;
    }
    match column {
        Column::Text(text) if name == "id" => Column::Text(ids.get(&text).cloned().unwrap_or_else(|| beside(&text))),
        // The short name of a session is unique like its id.
        Column::Text(text) if name == "slug" => Column::Text(format!("{text}-{:08x}", disk::random_u64() >> 32)),
        Column::Text(text) if name.ends_with("_id") => Column::Text(ids.get(&text).cloned().unwrap_or(text)),
        Column::Text(text) if name == "data" => Column::Text(renamed_inside(&text, ids)),
        other => other,
    }
}

/// A message names the one it answers.
fn renamed_inside(text: &str, ids: &HashMap<String, String>) -> String {
    const FIELD: &str = "\"parentID\":\"";
    let Some(at) = text.find(FIELD) else { return text.to_owned() };
    let from = at + FIELD.len();
    let Some(length) = text[from..].find('"') else { return text.to_owned() };
    match ids.get(&text[from..from + length]) {
        Some(new) => format!("{}{new}{}", &text[..from], &text[from + length..]),
        None => text.to_owned(),
    }
}
