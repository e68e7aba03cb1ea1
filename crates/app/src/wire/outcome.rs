//! `takeback.outcome/1`: what a verb that writes did or would do.

use serde::Serialize;
use takeback::Report;

use super::WirePath;
use super::change::{WireEffect, WireGap, effect, gap};

#[derive(Debug, Serialize)]
struct WireOutcome {
    schema: &'static str,
    outcome: &'static str,
    operation: Option<String>,
    verb: &'static str,
    turns: Vec<String>,
    files: Vec<WireFile>,
    gaps: Vec<WireGap>,
    effects: Vec<WireEffect>,
    conversation: WireConversation,
    background: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireFile {
    #[serde(flatten)]
    path: WirePath,
    action: &'static str,
    result: &'static str,
    reason: Option<&'static str>,
    evidence: &'static str,
}

#[derive(Debug, Serialize)]
struct WireConversation {
    result: &'static str,
    head: Option<String>,
    prompt: Option<String>,
    prompts: Vec<String>,
    resume: Option<String>,
}

/// The object of a report, as one line. `message` says why, where something went wrong.
pub(crate) fn outcome(report: &Report, message: Option<String>) -> String {
    super::line(&WireOutcome {
        schema: "takeback.outcome/1",
        outcome: report.outcome.code(),
        operation: report.operation.map(|id| id.to_string()),
        verb: report.verb.code(),
        turns: super::texts(&report.turns),
        files: report.files.iter().map(file).collect(),
        gaps: report.gaps.iter().map(gap).collect(),
        effects: report.effects.iter().map(effect).collect(),
        conversation: WireConversation {
            result: report.conversation.result.code(),
            head: report.conversation.head.map(|head| head.to_string()),
            prompt: report.conversation.prompts.first().cloned(),
            prompts: report.conversation.prompts.clone(),
            resume: None,
        },
        background: super::texts(&report.background),
        message,
    })
}

fn file(file: &takeback::FileReport) -> WireFile {
    WireFile {
        path: WirePath::new(file.path.as_bytes()),
        action: file.action.code(),
        result: file.result.code(),
        reason: file.reason.map(|reason| reason.code()),
        evidence: file.evidence.code(),
    }
}
