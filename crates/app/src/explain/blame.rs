//! A file line by line with who changed each last, in words.

use takeback::{Author, AuthorKind, BlameView, now_ns};

use super::ago;
use crate::terminal::{Style, Terminal};

/// Prints a blamed file: who, when, and the line as it is.
pub(crate) fn blame(terminal: &Terminal, view: &BlameView) {
    let now_ns = now_ns();
    let heads: Vec<String> = view.lines.iter().map(|line| head(terminal, &line.by, now_ns)).collect();
    let width = heads.iter().map(|head| head.chars().count()).max().unwrap_or(0);
    let digits = view.lines.len().to_string().len();
    for ((line, head), number) in view.lines.iter().zip(heads).zip(1..) {
        let place = format!("{head:<width$}  {number:>digits$}  ");
        let mut text = terminal.styled(Style::Faint, &place).into_bytes();
        text.extend(terminal.line_bytes(line.text.strip_suffix(b"\n").unwrap_or(&line.text)));
        text.push(b'\n');
        terminal.print_bytes(&text);
    }
}

fn head(terminal: &Terminal, by: &Author, now_ns: i64) -> String {
    let session = by.session.map(|id| format!(" {id}")).unwrap_or_default();
    let agent = by.agent_id.as_deref().map(|agent| format!(" [{}]", terminal.name(agent))).unwrap_or_default();
    let seen = by.seen_ns.map(|ns| format!("  {}", ago(now_ns, ns))).unwrap_or_default();
    let steps: Vec<String> = by.steps.iter().map(ToString::to_string).collect();
    let who = match (by.kind, by.operation) {
        (AuthorKind::Before, _) => "there before".to_owned(),
        (AuthorKind::Outside, _) => "you or others".to_owned(),
        (AuthorKind::Contested, _) => format!("{}?", steps.join("? ")),
        (AuthorKind::Step, _) => steps.join(" "),
        (AuthorKind::Operation, operation) => operation.map(|id| id.to_string()).unwrap_or_default(),
    };
    format!("{who}{session}{agent}{seen}")
}
