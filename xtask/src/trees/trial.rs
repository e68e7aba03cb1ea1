//! One job in one tree: done, taken back, brought again, taken back, and compared each time.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::catalogue::{Job, Tree};
use super::tools::Tools;
use crate::Fault;
use crate::demo::snapshot::Snapshot;
use crate::demo::world::World;

/// What came of one job.
pub(crate) struct Row {
    tree: &'static str,
    job: &'static str,
    /// Files and links before it.
    pub(crate) files: usize,
    changed: usize,
    job_took: Duration,
    undo: Operation,
    redo: Operation,
    /// The second way back, after the redo.
    back: Operation,
}

/// One undo or redo.
struct Operation {
    outcome: String,
    took: Duration,
    gaps: Vec<String>,
    /// Paths that are not as they should be; gaps and git's own folder do not count.
    wrong: Vec<String>,
}

/// Does the job under `takeback run`, and both ways.
pub(crate) fn play(tree: &Tree, job: &Job, tools: &Tools, world: &World) -> Result<Row, Fault> {
    let before = Snapshot::of(&world.project)?;
    let began = Instant::now();
    run_job(tree, job, tools, world)?;
    let job_took = began.elapsed();
    let after = Snapshot::of(&world.project)?;
    Ok(Row {
        tree: tree.name,
        job: job.name,
        files: before.files(),
        changed: before.differences(&after).iter().filter(|path| !is_below(path, ".git")).count(),
        job_took,
        undo: operate(world, "undo", &before)?,
        redo: operate(world, "redo", &after)?,
        back: operate(world, "undo", &before)?,
    })
}

fn run_job(tree: &Tree, job: &Job, tools: &Tools, world: &World) -> Result<(), Fault> {
    let mut command = world.command();
    // The tools keep their caches where they always do; only takeback has a home of its own.
    let script = format!("export HOME=\"$REAL_HOME\"; {}", job.script);
    command.args(["run", "--", "sh", "-c", &script]);
    command.env("REAL_HOME", std::env::var_os("HOME").unwrap_or_default());
    command.env("TOOLS", tools.path()).env("FOLDER", tree.folder).env_remove("CARGO_TARGET_DIR");
    // git cleans up in the background, which would go on after the command has ended.
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "maintenance.auto").env("GIT_CONFIG_VALUE_0", "false");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "trees").env(format!("GIT_{role}_EMAIL"), "trees@example.org");
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed in {}: {}", job.name, tree.name, said.trim()).into())
}

fn operate(world: &World, verb: &str, wanted: &Snapshot) -> Result<Operation, Fault> {
    let began = Instant::now();
    let output = world.command().args([verb, "--yes", "--json"]).output()?;
    let took = began.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{verb}: {error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let gaps = paths(&report["gaps"]);
    let mut wrong = wanted.differences(&Snapshot::of(&world.project)?);
    wrong.retain(|path| !is_below(path, ".git") && !gaps.iter().any(|gap| is_excused(path, gap, wanted)));
    let outcome = report["outcome"].as_str().unwrap_or("?").to_owned();
    Ok(Operation { outcome, took, gaps, wrong })
}

fn paths(list: &Value) -> Vec<String> {
    let path = |item: &Value| item["path"].as_str().map(str::to_owned);
    list.as_array().map(|list| list.iter().filter_map(path).collect()).unwrap_or_default()
}

/// What is not covered is not brought back, and a new folder that holds it stays.
fn is_excused(path: &str, gap: &str, wanted: &Snapshot) -> bool {
    is_below(path, gap) || (is_below(gap, path) && !wanted.holds(path))
}

fn is_below(path: &str, folder: &str) -> bool {
    Path::new(path).starts_with(folder)
}

impl Operation {
    fn is_good(&self) -> bool {
        self.outcome == "done" && self.wrong.is_empty()
    }

    fn text(&self) -> String {
        let seconds = self.took.as_secs_f64();
        match self.wrong.as_slice() {
            [] => format!("{} {seconds:.1} s, identical", self.outcome),
            [first, ..] => format!("{} {seconds:.1} s, {} DIFFER ({first})", self.outcome, self.wrong.len()),
        }
    }
}

impl Row {
    /// Whether every way back and forth ended where it should.
    pub(crate) fn is_good(&self) -> bool {
        self.undo.is_good() && self.redo.is_good() && self.back.is_good()
    }

    /// The row as one line.
    pub(crate) fn line(&self) -> String {
        let gaps = if self.undo.gaps.is_empty() { "none".to_owned() } else { self.undo.gaps.join(" ") };
        let cells = [
            self.tree.to_owned(),
            self.files.to_string(),
            self.job.to_owned(),
            self.changed.to_string(),
            format!("{:.1}", self.job_took.as_secs_f64()),
            self.undo.text(),
            self.redo.text(),
            self.back.text(),
            shortened(&gaps),
        ];
        format!("| {} |", cells.join(" | "))
    }

    /// All rows as one table.
    pub(crate) fn table(rows: &[Row]) -> String {
        let head = "| tree | files | job | paths changed | job, s | undo | redo | undo again | gaps named |\n\
                    |---|---|---|---|---|---|---|---|---|\n";
        rows.iter().fold(head.to_owned(), |table, row| table + &row.line() + "\n")
    }
}

fn shortened(text: &str) -> String {
    const SIGNS_MAX: usize = 60;
    if text.chars().count() <= SIGNS_MAX {
        text.to_owned()
    } else {
        text.chars().take(SIGNS_MAX).collect::<String>() + "…"
    }
}
