//! `takeback.outcome/1`: what a verb that writes did or would do.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::RawValue;
use takeback::{Attachment, ConversationReport, NamedContest, NamedDependent, NamedReader, Report};

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
    dependents: Vec<WireDependent>,
    readers: Vec<WireReader>,
    contested: Vec<WireContest>,
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
struct WireDependent {
    #[serde(flatten)]
    path: WirePath,
    steps: Vec<String>,
    operations: Vec<String>,
    outside: bool,
}

#[derive(Debug, Serialize)]
struct WireReader {
    step: String,
    #[serde(flatten)]
    path: WirePath,
}

#[derive(Debug, Serialize)]
struct WireContest {
    #[serde(flatten)]
    path: WirePath,
    steps: Vec<String>,
    outside: bool,
}

#[derive(Debug, Serialize)]
struct WireConversation {
    result: &'static str,
    head: Option<String>,
    prompt: Option<String>,
    prompts: Vec<String>,
    attachments: Vec<WireAttachment>,
    resume: Option<String>,
    /// The agent's own id of the conversation from now on, where the agent keeps it.
    native: Option<String>,
    /// What to type inside the agent's chat to stand there.
    resume_in_chat: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireAttachment {
    /// The place of the prompt in `prompts`.
    prompt: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
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
        dependents: report.dependents.iter().map(dependent).collect(),
        readers: report.readers.iter().map(reader).collect(),
        contested: report.contested.iter().map(contest).collect(),
        conversation: conversation(&report.conversation),
        background: super::texts(&report.background),
        message,
    })
}

fn dependent(dependent: &NamedDependent) -> WireDependent {
    WireDependent {
        path: WirePath::new(dependent.path.as_bytes()),
        steps: super::texts(&dependent.steps),
        operations: super::texts(&dependent.operations),
        outside: dependent.is_outside,
    }
}

fn reader(reader: &NamedReader) -> WireReader {
    WireReader { step: reader.step.to_string(), path: WirePath::new(reader.path.as_bytes()) }
}

fn contest(contest: &NamedContest) -> WireContest {
    WireContest {
        path: WirePath::new(contest.path.as_bytes()),
        steps: super::texts(&contest.steps),
        outside: contest.or_outside,
    }
}

fn conversation(report: &ConversationReport) -> WireConversation {
    let at_agent = report.at_agent.as_ref();
    WireConversation {
        result: report.result.code(),
        head: report.head.map(|head| head.to_string()),
        prompt: report.prompts.first().cloned(),
        prompts: report.prompts.clone(),
        attachments: report.attachments.iter().map(attachment).collect(),
        resume: at_agent.and_then(|agent| agent.resume.clone()),
        native: at_agent.map(|agent| agent.native.clone()),
        resume_in_chat: at_agent.and_then(|agent| agent.resume_in_chat.clone()),
    }
}

/// JSON stays JSON, exactly as the host had spelled it but for the ends of its lines, which JSON has outside of strings
/// only: what is printed is one line.
fn attachment(attachment: &Attachment) -> WireAttachment {
    let text = std::str::from_utf8(&attachment.content).ok();
    let content = text.and_then(|text| RawValue::from_string(text.replace(['\n', '\r'], " ")).ok());
    let content_base64 = content.is_none().then(|| STANDARD.encode(&attachment.content));
    WireAttachment { prompt: attachment.prompt, content, content_base64 }
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
