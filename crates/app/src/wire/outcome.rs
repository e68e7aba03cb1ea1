//! `takeback.outcome/1`: what a verb that writes did or would do.

use serde::Serialize;
use takeback::Report;

use super::WirePath;

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
struct WireGap {
    #[serde(flatten)]
    path: WirePath,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
struct WireEffect {
    step: Option<String>,
    class: &'static str,
    summary: String,
}

#[derive(Debug, Serialize)]
struct WireConversation {
    result: &'static str,
    head: Option<String>,
    prompt: Option<String>,
    resume: Option<String>,
}

/// The object of a report, as one line. `message` says why, where something went wrong.
pub(crate) fn outcome(report: &Report, message: Option<String>) -> String {
    super::line(&WireOutcome {
        schema: "takeback.outcome/1",
        outcome: report.outcome.code(),
        operation: report.operation.map(|id| id.to_string()),
        verb: report.verb.code(),
        turns: report.turns.iter().map(ToString::to_string).collect(),
        files: report.files.iter().map(file).collect(),
        gaps: report
            .gaps
            .iter()
            .map(|gap| WireGap { path: WirePath::new(&gap.path), reason: gap.reason.code() })
            .collect(),
        effects: report
            .effects
            .iter()
            .map(|effect| WireEffect {
                step: effect.step.map(|step| step.to_string()),
                class: effect.class.code(),
                summary: effect.summary.clone(),
            })
            .collect(),
        conversation: WireConversation {
            result: report.conversation.result.code(),
            head: None,
            prompt: None,
            resume: None,
        },
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
