//! `takeback.doctor/1`: how takeback fares here.

use serde::Serialize;
use takeback::{CoverageMode, Diagnosis, GapTally, Trial, WatcherState, WatcherView};

use super::{WirePath, texts};
use crate::commands::Plugged;

#[derive(Debug, Serialize)]
struct WireDoctor {
    schema: &'static str,
    well: bool,
    trial: WireTrial,
    agents: Vec<WirePlugged>,
    workspace: Option<WireDiagnosis>,
}

#[derive(Debug, Serialize)]
struct WirePlugged {
    agent: &'static str,
    is_set_up: bool,
    proven: Option<bool>,
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireTrial {
    well: bool,
    paths: Option<usize>,
    same_file_system: Option<bool>,
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireDiagnosis {
    coverage: &'static str,
    entries: usize,
    gaps: Vec<WireTally>,
    settings_wrong: Vec<String>,
    stuck: Vec<String>,
    stored_bytes: u64,
    free_bytes: u64,
    barrier_ms: Option<f64>,
    watcher: WireWatcher,
    file_system: Option<String>,
    folds_case: bool,
}

#[derive(Debug, Serialize)]
struct WireWatcher {
    state: &'static str,
    pid: Option<u32>,
    folders: u64,
    doubt: Option<&'static str>,
    shortened: u64,
    scanned: u64,
    missed: u64,
    missed_path: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireTally {
    reason: &'static str,
    paths: usize,
    examples: Vec<WirePath>,
}

/// The object of an examination, as one line. A trial that went wrong comes as its message; a folder of which nothing
/// is recorded has no diagnosis.
pub(crate) fn doctor(
    trial: Result<&Trial, String>,
    agents: &[Plugged],
    diagnosis: Option<&Diagnosis>,
    is_well: bool,
) -> String {
    super::line(&WireDoctor {
        schema: "takeback.doctor/1",
        well: is_well,
        trial: WireTrial {
            well: trial.is_ok(),
            paths: trial.as_ref().ok().map(|trial| trial.paths),
            same_file_system: trial.as_ref().ok().map(|trial| trial.shares_file_system),
            message: trial.err(),
        },
        agents: agents.iter().map(plugged).collect(),
        workspace: diagnosis.map(mirror),
    })
}

fn plugged(plugged: &Plugged) -> WirePlugged {
    let failed = plugged.proof.as_ref().and_then(|proof| proof.as_ref().err());
    WirePlugged {
        agent: plugged.agent,
        is_set_up: plugged.is_set_up == Ok(true),
        proven: plugged.proof.as_ref().map(Result::is_ok),
        message: plugged.is_set_up.as_ref().err().or(failed).cloned(),
    }
}

fn mirror(diagnosis: &Diagnosis) -> WireDiagnosis {
    WireDiagnosis {
        coverage: coverage(diagnosis.coverage),
        entries: diagnosis.entries,
        gaps: diagnosis.gaps.iter().map(tally).collect(),
        settings_wrong: diagnosis.settings_wrong.clone(),
        stuck: texts(&diagnosis.stuck),
        stored_bytes: diagnosis.stored_bytes,
        free_bytes: diagnosis.free_bytes,
        barrier_ms: diagnosis.barrier_ns.map(|ns| (ns / 1_000) as f64 / 1_000.0),
        watcher: watcher(&diagnosis.watcher),
        file_system: diagnosis.file_system.clone(),
        folds_case: diagnosis.folds_case,
    }
}

fn watcher(view: &WatcherView) -> WireWatcher {
    WireWatcher {
        state: match view.state {
            WatcherState::On => "on",
            WatcherState::Off => "off",
            WatcherState::Distrusted => "distrusted",
        },
        pid: view.pid,
        folders: view.folders,
        doubt: view.doubt,
        shortened: view.shortened,
        scanned: view.scanned,
        missed: view.missed,
        missed_path: view.missed_path.clone(),
    }
}

/// How much of a workspace is watched.
pub(crate) fn coverage(mode: CoverageMode) -> &'static str {
    match mode {
        CoverageMode::Whole => "whole",
        CoverageMode::TouchedPaths => "touched-paths",
    }
}

fn tally(tally: &GapTally) -> WireTally {
    WireTally {
        reason: tally.reason.code(),
        paths: tally.paths,
        examples: tally.examples.iter().map(|path| WirePath::new(path.as_bytes())).collect(),
    }
}
