//! From a plan to the acts that carry it out, in an order in which every act finds what it needs.
//!
//! Nothing here decides what is written; a plan that could not be carried out in any order gives steps that the hand
//! which performs them refuses.

mod ground;
mod links;
mod modes;
mod names;
mod schedule;
mod tasks;

use model::{Mode, Plan, Reason, Tree, WorkspacePath, WriteStep};

use links::Links;
use modes::FolderModes;
use schedule::Schedule;
use tasks::Tasks;

/// What must be known of the place where a plan is carried out.
pub struct Site<'a> {
    /// What every path holds now; the plan was made for it.
    pub tree: &'a dyn Tree,
    /// How the names begin that acts use beside their paths, such as `.takeback-op57-`; a number follows.
    pub prefix: &'a str,
    /// The present mode of a folder that we may not write into; none if we may.
    pub needs_lift: &'a dyn Fn(&WorkspacePath) -> Option<Mode>,
    /// The hard links among the paths of the plan.
    pub linked: &'a [LinkGroup],
    /// Whether names that differ only in case are one name here.
    pub folds_case: bool,
}

/// The names of one file that has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkGroup {
    /// Those inside the workspace.
    pub names: Vec<WorkspacePath>,
    /// Whether it has names that are not among them.
    pub has_other_names: bool,
}

/// Orders a plan into acts.
///
/// First folders get the right to be written into, then everything is cleared, made, moved and filled so that no act
/// depends on a later one, then files and at last folders, the deepest first, get their final modes. Things that trade
/// places go through a free name. Every name beside a path is used once and is not in the tree. The same input gives the
/// same steps. Cost: about `n log n`, times the depth of things that wait for each other.
pub fn write_steps(plan: &Plan, site: &Site<'_>) -> Vec<WriteStep> {
    let links = Links::find(plan, site.linked);
    let tasks = Tasks::from_plan(plan, &links, site);
    let mut folder_modes = FolderModes::from_plan(plan);
    let file_modes = tasks.file_modes.clone();
    let mut acts = Schedule::new(tasks, plan, site).run();
    let mut steps = folder_modes.lift(&mut acts, site);
    steps.extend(acts);
    steps.extend(file_modes);
    steps.extend(folder_modes.into_steps());
    steps
}

/// Notes on every change that it takes one name of a hard link away from the others.
pub fn note_split_links(plan: &mut Plan, linked: &[LinkGroup]) {
    let links = Links::find(plan, linked);
    for change in plan.changes.iter_mut().filter(|change| links.is_split(&change.path)) {
        change.note = Some(Reason::LinkSplit);
    }
}
