//! `takeback.blame/1`: who changed each line of a file last.

use serde::Serialize;
use takeback::{BlameView, BlamedLine};

use super::{WirePath, texts, time};

#[derive(Debug, Serialize)]
struct WireBlame {
    schema: &'static str,
    #[serde(flatten)]
    path: WirePath,
    lines: Vec<WireBlamedLine>,
}

#[derive(Debug, Serialize)]
struct WireBlamedLine {
    number: usize,
    text: String,
    by: &'static str,
    steps: Vec<String>,
    operation: Option<String>,
    session: Option<String>,
    agent_id: Option<String>,
    seen: Option<String>,
}

/// The object of a blamed file, as one line.
pub(crate) fn blame(view: &BlameView) -> String {
    super::line(&WireBlame {
        schema: "takeback.blame/1",
        path: WirePath::new(view.path.as_bytes()),
        lines: view.lines.iter().zip(1..).map(blamed).collect(),
    })
}

fn blamed((line, number): (&BlamedLine, usize)) -> WireBlamedLine {
    let by = &line.by;
    WireBlamedLine {
        number,
        text: String::from_utf8_lossy(line.text.strip_suffix(b"\n").unwrap_or(&line.text)).into_owned(),
        by: by.kind.code(),
        steps: texts(&by.steps),
        operation: by.operation.map(|id| id.to_string()),
        session: by.session.map(|id| id.to_string()),
        agent_id: by.agent_id.clone(),
        seen: by.seen_ns.map(time),
    }
}
