//! Long stories of conversation and files together, played on a real workspace and on a naive reference. After every
//! step both must say the same: context, transcript, files, and what undo and redo offer.

mod events;
mod files;
mod model;
mod orders;
mod stage;
mod steps;
mod talk;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::{Random, seed};
use ::model::Outcome;
use model::Model;
use stage::{End, Sight, Stage};
use steps::{Step, Teller};

/// How many steps are played; `TAKEBACK_STORY_STEPS` asks for another number.
const STEPS: u64 = 100_000;
/// How many steps a story has.
const STORY: u64 = 60;

/// How often steps came to what.
type Tally = BTreeMap<String, u64>;

#[test]
fn a_story_of_conversation_and_files_is_what_the_reference_says() {
    let steps = std::env::var("TAKEBACK_STORY_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(STEPS);
    let first = seed(1);
    eprintln!("TAKEBACK_TEST_SEED={first} TAKEBACK_STORY_STEPS={steps}");
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::new()));
    let tellers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..tellers {
            scope.spawn(|| {
                let stories = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                stories.take_while(|story| story * STORY < steps).for_each(|story| play(first + story, &tally));
            });
        }
    });
    must_be_telling(steps, &tally.into_inner().unwrap());
}

/// Stories in which nothing happens would prove nothing.
fn must_be_telling(steps: u64, tally: &Tally) {
    let outcomes =
        ["Done", "Nothing", "Conflict", "Refused", "Preview"].map(|outcome| format!("Ordered(Some({outcome}))"));
    let verbs = ["undo", "redo", "rewind", "revert", "restore", "switch"].map(|verb| format!("{verb} done"));
    for what in outcomes.into_iter().chain(verbs).chain(["several windows".to_owned()]) {
        let count = tally.get(&what).copied().unwrap_or(0);
        assert!(count >= steps / 2_000, "{what} only {count} times: {tally:?}");
    }
}

/// What a step is counted as.
fn counted(step: &Step, end: &End, model: &Model) -> Vec<String> {
    let mut kinds = vec![format!("{end:?}")];
    if let (Step::Apply(order), End::Ordered(Some(Outcome::Done))) = (step, end) {
        kinds.push(format!("{} done", order.selection.verb().code()));
    }
    if matches!(step, Step::Write { .. }) && model.windows.len() > 1 {
        kinds.push("several windows".to_owned());
    }
    kinds
}

/// Plays the story of a seed. A failure tells it.
fn play(seed: u64, tally: &Mutex<Tally>) {
    let mut told: Vec<Step> = Vec::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut model = Model::default();
        let mut stage = Stage::new();
        let mut teller = Teller::new(Random::new(seed));
        let begin = Step::BeginSession { native: "first".to_owned() };
        follow(&begin, &mut stage, &mut model);
        for _ in 0..STORY {
            let step = teller.next(&model);
            told.push(step.clone());
            let end = follow(&step, &mut stage, &mut model);
            let mut tally = tally.lock().unwrap();
            counted(&step, &end, &model).into_iter().for_each(|kind| *tally.entry(kind).or_default() += 1);
        }
    }));
    if let Err(failure) = result {
        let lines: Vec<String> = told.iter().map(|step| format!("{step:?}")).collect();
        eprintln!("TAKEBACK_TEST_SEED={seed} TAKEBACK_STORY_STEPS={STORY}\n{}", lines.join("\n"));
        resume_unwind(failure);
    }
}

/// Plays a step on both and compares what is there then.
fn follow(step: &Step, stage: &mut Stage, model: &mut Model) -> End {
    let end = stage.play(step, model);
    assert_eq!(end, expected(step, model), "what the step came to / what it should come to");
    assert_eq!(stage.texts(), model.files.present, "files / as they should be");
    for session in &model.sessions {
        let sight = stage.look_at(session.id);
        assert_eq!(sight, Sight::expected(model, session.id), "{} / as it should be", session.id);
    }
    end
}

/// What the reference makes of a step.
fn expected(step: &Step, model: &mut Model) -> End {
    match step {
        Step::Prompt { session, id } => model.prompt(*session, id, id),
        Step::Stop { session, status } => model.stop(*session, *status),
        Step::Interrupt { session } => model.stop(*session, ::model::TurnStatus::Interrupted),
        Step::BeginSession { native } => {
            let known = model.sessions.iter().find(|known| known.native == *native).map(|known| known.id);
            let session = known.unwrap_or_else(|| model.add_session(native, None, None));
            model.begin_or_leave(session);
        }
        Step::LeaveSession { session } => model.begin_or_leave(*session),
        Step::BeginTool { session, agent, claim } => model.begin_tool(*session, agent.as_deref(), *claim),
        Step::BeginAgent { session, id } => model.begin_agent(*session, id),
        Step::EndAgent { session, id } => model.end_agent(*session, id),
        Step::Checkpoint { name } => model.take_checkpoint(name),
        Step::Write { path, text, .. } => model.write(*path, *text),
        Step::EndTool { step, .. } => model.end_tool(*step),
        Step::EndToolLate { .. } | Step::Reopen => {}
        Step::Say { session, parent, entry } => model.say(*session, parent.as_deref(), entry.clone()),
        Step::Compact { session, id, keeps_from } => model.compact(*session, id, keeps_from.clone()),
        Step::Preview(order) => return End::Ordered(model.preview(order)),
        Step::Apply(order) => return End::Ordered(model.carry_out(order)),
        Step::Fork { session, after, into } => return End::Done(model.fork(*session, *after, into.as_deref())),
        Step::BeginFork { parent, native } => model.begin_fork(native, *parent),
    }
    End::Done(true)
}
