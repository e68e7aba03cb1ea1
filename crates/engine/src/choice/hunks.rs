//! Single hunks of what a turn or step did to a file. Their numbers are those of `diff`.

use decide::{Part, PartError, count_hunks};
use model::{Contents, Transition, WorkspacePath};
use store::Reader;

use super::{Choice, take, transitions_of, unknown};
use crate::error::OrderError;
use crate::inspect::file_changes;
use crate::order::Maker;

/// Chooses one hunk. A path that bears the very name is meant before a hunk is.
pub(super) fn take_hunk(
    reader: &Reader<'_>,
    contents: &dyn Contents,
    (maker, path, number): (Maker, &WorkspacePath, usize),
    choice: &mut Choice,
) -> Result<(), OrderError> {
    let all = transitions_of(reader, maker)?;
    let literal = WorkspacePath::new([path.as_bytes(), format!("#{number}").as_bytes()].concat()).ok();
    let whole: Vec<Transition> = all.iter().filter(|one| Some(&one.path) == literal.as_ref()).cloned().collect();
    if !whole.is_empty() {
        take(whole, |step| maker.has(*step), choice);
        return Ok(());
    }
    let of_path: Vec<Transition> = all.iter().filter(|one| one.path == *path).cloned().collect();
    if of_path.is_empty() {
        return Err(unknown("path of it", path));
    }
    let mut numbers_before = 0;
    for change in file_changes(&all).into_iter().filter(|change| change.path == *path) {
        let no_hunk = |reason| OrderError::NoHunk { name: format!("{maker}:{path}#{number}"), reason };
        let count = count_hunks(&change.before, &change.after, contents).map_err(no_hunk)?;
        let here = number.checked_sub(numbers_before).filter(|here| (1..=count).contains(here));
        if let Some(here) = here {
            add_part(change.last, here, &of_path, maker, choice, (&change.before, &change.after));
            return Ok(());
        }
        numbers_before += count;
    }
    let reason = PartError::NoSuchHunk { count: numbers_before, asked: number };
    Err(OrderError::NoHunk { name: format!("{maker}:{path}#{number}"), reason })
}

fn add_part(
    last: model::Seq,
    number: usize,
    of_path: &[Transition],
    maker: Maker,
    choice: &mut Choice,
    (before, after): (&model::Entry, &model::Entry),
) {
    let is_ours = of_path.iter().all(|one| one.cause.lies_within(|step| maker.has(*step)));
    choice.transitions.extend(of_path.iter().map(|one| (one.seq, one.clone())));
    if !is_ours && !choice.include_contested {
        choice.named.insert(last, model::Reason::Contested);
        return;
    }
    choice.steps.extend(of_path.iter().flat_map(|one| one.cause.candidate_steps()).filter(|step| maker.has(**step)));
    let new = || Part { last, before: before.clone(), after: after.clone(), hunks: Default::default() };
    choice.parts.entry(last).or_insert_with(new).hunks.insert(number);
}
