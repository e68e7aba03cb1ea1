//! Who changed each line of a file last: its history from now back, across moves, and the answer of `decide` with names.

use std::collections::HashMap;

use decide::blame::{Version, blame};
use model::{Cause, Entry, Move, OperationId, Seq, SessionId, StepId, Transition, WorkspacePath};
use store::{Reader, StoreError};

use super::{InspectError, unknown};
use crate::workspace::Workspace;

/// A text with who changed each line last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameView {
    /// Which file.
    pub path: WorkspacePath,
    /// Its lines in order.
    pub lines: Vec<BlamedLine>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// Its bytes, with the newline if it has one.
    pub text: Vec<u8>,
    /// Who.
    pub by: Author,
}

/// Who brought a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// What kind of author.
    pub kind: AuthorKind,
    /// The step, or the steps that may have.
    pub steps: Vec<StepId>,
    /// The operation.
    pub operation: Option<OperationId>,
    /// The session of the step, if it is one step's.
    pub session: Option<SessionId>,
    /// The subagent of the step.
    pub agent_id: Option<String>,
    /// When it was seen, in nanoseconds since the epoch; none for what was there before.
    pub seen_ns: Option<i64>,
}

/// What kind of author a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuthorKind {
    /// It was there before anything was recorded.
    Before,
    /// A step.
    Step,
    /// The user or another program.
    Outside,
    /// Several may have.
    Contested,
    /// An operation of ours that merged, or that brought what had never been there in this form.
    Operation,
}

impl Workspace {
    /// Says of each line of a file which step, person or operation changed it last. The present state is recorded first;
    /// nothing in the workspace is written.
    ///
    /// What was taken back and brought again is its first author's. A file that moved is followed. Errors: the path is no
    /// file now, or no text, or its content is not in the store.
    pub fn blame(&self, path: &WorkspacePath) -> Result<BlameView, InspectError> {
        self.look_now()?;
        let reader = self.store.read()?;
        let now = reader.index()?.get(path).map(|known| known.entry.clone());
        let now = now.filter(|entry| entry.content().is_some()).ok_or_else(|| unknown("file", path))?;
        let history = history_of(&reader, path)?;
        let mut versions = vec![version(history.first().map_or(&now, |oldest| &oldest.before), false)];
        versions.extend(history.iter().map(|one| version(&one.after, matches!(one.cause, Cause::Operation(_)))));
        let lines = blame(&versions, &self.store.contents()).ok_or_else(|| InspectError::NotText(path.to_string()))?;
        let mut authors = Authors { reader: &reader, history: &history, known: HashMap::new() };
        let lines = lines.into_iter().map(|(text, at)| Ok(BlamedLine { text, by: authors.at(at)? }));
        Ok(BlameView { path: path.clone(), lines: lines.collect::<Result<_, StoreError>>()? })
    }
}

impl AuthorKind {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            AuthorKind::Before => "before",
            AuthorKind::Step => "step",
            AuthorKind::Outside => "outside",
            AuthorKind::Contested => "contested",
            AuthorKind::Operation => "operation",
        }
    }
}

fn version(entry: &Entry, is_restored: bool) -> Version {
    Version { content: entry.content().copied(), is_restored }
}

/// What happened to the thing at a path, the oldest first, wherever it was then. It begins where the thing was made.
fn history_of(reader: &Reader<'_>, path: &WorkspacePath) -> Result<Vec<Transition>, StoreError> {
    let mut history = Vec::new();
    let (mut path, mut before) = (path.clone(), Seq(u64::MAX));
    'places: loop {
        let here = reader.transitions_of_path_since(&path, Seq(0))?;
        for transition in here.into_iter().rev().skip_while(|transition| transition.seq >= before) {
            let came_from = match &transition.moved {
                Some(Move::From(other)) if transition.before.is_absent() => Some(other.clone()),
                _ => None,
            };
            let is_start = transition.before.is_absent() && !matches!(transition.cause, Cause::Operation(_));
            match came_from {
                Some(other) => {
                    let departure = departure(reader, &other, &transition)?;
                    let Some(departure) = departure else { break 'places };
                    // The move itself changes no line.
                    history.extend(
                        (departure.before != transition.after)
                            .then(|| Transition { before: departure.before.clone(), ..transition }),
                    );
                    (path, before) = (other, departure.seq);
                    continue 'places;
                }
                None => history.push(transition),
            }
            if is_start {
                break 'places;
            }
        }
        break;
    }
    history.reverse();
    Ok(history)
}

/// The other end of a move that arrived here.
fn departure(
    reader: &Reader<'_>,
    from: &WorkspacePath,
    arrival: &Transition,
) -> Result<Option<Transition>, StoreError> {
    let there = reader.transitions_of_path_since(from, Seq(0))?;
    Ok(there.into_iter().rfind(|one| one.checkpoint == arrival.checkpoint && matches!(one.moved, Some(Move::To(_)))))
}

/// The authors of versions, each looked up once.
struct Authors<'a> {
    reader: &'a Reader<'a>,
    history: &'a [Transition],
    known: HashMap<usize, Author>,
}

impl Authors<'_> {
    /// Who made the version at this place; the one at 0 was there before.
    fn at(&mut self, at: usize) -> Result<Author, StoreError> {
        if let Some(author) = self.known.get(&at) {
            return Ok(author.clone());
        }
        let author = match at.checked_sub(1).and_then(|place| self.history.get(place)) {
            Some(transition) => self.author_of(transition)?,
            None => Author::of(AuthorKind::Before, None),
        };
        self.known.insert(at, author.clone());
        Ok(author)
    }

    fn author_of(&self, transition: &Transition) -> Result<Author, StoreError> {
        let seen_ns = self.reader.checkpoint(transition.checkpoint)?.map(|checkpoint| checkpoint.at_ns);
        Ok(match &transition.cause {
            Cause::Outside => Author::of(AuthorKind::Outside, seen_ns),
            Cause::Operation(id) => Author { operation: Some(*id), ..Author::of(AuthorKind::Operation, seen_ns) },
            Cause::Contested { steps, .. } => {
                Author { steps: steps.clone(), ..Author::of(AuthorKind::Contested, seen_ns) }
            }
            Cause::Step(id) => {
                let step = self.reader.step(*id)?;
                Author {
                    steps: vec![*id],
                    session: step.as_ref().map(|step| step.session),
                    agent_id: step.and_then(|step| step.agent_id),
                    ..Author::of(AuthorKind::Step, seen_ns)
                }
            }
        })
    }
}

impl Author {
    fn of(kind: AuthorKind, seen_ns: Option<i64>) -> Self {
        Self { kind, steps: Vec::new(), operation: None, session: None, agent_id: None, seen_ns }
    }
}
