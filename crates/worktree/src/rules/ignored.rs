//! [`IgnoreRules`]: whether git would ignore a folder, by the rule files at hand: every `.gitignore` from the
//! repository's top level down, and the repository's `info/exclude`. Never asks git and never reads its global settings.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use disk::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use model::WorkspacePath;

use crate::repositories::GitDir;
use crate::root::Root;
use crate::{locate, small_file};

/// The ignore rules of one workspace, read when they are first needed and then kept.
pub(super) struct IgnoreRules<'a> {
    root: &'a Root,
    inside: Mutex<HashMap<WorkspacePath, Reading>>,
    above: OnceLock<Vec<Reading>>,
}

/// The rules of one folder; none if they could not be read.
type Reading = Option<Arc<Level>>;

/// The rules that one folder adds.
struct Level {
    folder: PathBuf,
    /// The stronger first.
    matchers: Vec<Gitignore>,
    has_git: bool,
}

impl<'a> IgnoreRules<'a> {
    pub(super) fn new(root: &'a Root) -> Self {
        Self { root, inside: Mutex::default(), above: OnceLock::new() }
    }

    /// Whether git ignores the folder `name` in `folder` and no repository begins there. Rules that cannot be read mean
    /// yes: what might be ignored is left alone.
    ///
    /// Works without any repository too: then the `.gitignore` files count from the root down.
    pub(super) fn is_ignored_output(&self, folder: &WorkspacePath, name: &[u8]) -> bool {
        let Ok(path) = folder.child(name) else { return true };
        let Some(levels) = self.levels(folder) else { return true };
        self.is_matched(&levels, &path) && !self.begins_repository(&path)
    }

    /// The levels that reach into `folder`, the innermost first; none if one could not be read.
    fn levels(&self, folder: &WorkspacePath) -> Option<Vec<Arc<Level>>> {
        let mut levels = Vec::new();
        for place in std::iter::once(folder.clone()).chain(folder.ancestors()) {
            let level = self.level_inside(place)?;
            let has_git = level.has_git;
            levels.push(level);
            if has_git {
                return Some(levels);
            }
        }
        for level in self.above.get_or_init(|| levels_above(self.root.path())) {
            levels.push(level.clone()?);
        }
        Some(levels)
    }

    fn level_inside(&self, place: WorkspacePath) -> Reading {
        let mut known = self.inside.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        known
            .entry(place)
            .or_insert_with_key(|place| {
                let dir = self.root.folder(place).ok()??;
                Level::read(&dir, self.root.absolute(place))
            })
            .clone()
    }

    /// Git's own order: a folder that is ignored takes everything below with it; for each, the innermost rule wins.
    fn is_matched(&self, levels: &[Arc<Level>], path: &WorkspacePath) -> bool {
        let path = self.root.absolute(path);
        let Some(top) = levels.last() else { return false };
        path.ancestors().take_while(|&way| way != top.folder).any(|way| is_ignored_by(levels, way))
    }

    fn begins_repository(&self, path: &WorkspacePath) -> bool {
        let git = self.root.folder(path).and_then(|dir| dir.map_or(Ok(None), |dir| dir.stat(b".git")));
        git.is_ok_and(|stat| stat.is_some())
    }
}

/// The levels above the root, up to the top level of the repository it lies in, the innermost first.
fn levels_above(root: &Path) -> Vec<Reading> {
    let Some(above) = root.parent() else { return Vec::new() };
    let Some(top) = locate::find_git_top_level(above) else { return Vec::new() };
    above
        .ancestors()
        .take_while(|folder| folder.starts_with(&top))
        .map(|folder| Level::read(&Dir::open(folder).ok()?, folder.to_owned()))
        .collect()
}

fn is_ignored_by(levels: &[Arc<Level>], way: &Path) -> bool {
    for level in levels {
        let Ok(below) = way.strip_prefix(&level.folder) else { continue };
        if below.as_os_str().is_empty() {
            continue;
        }
        for matcher in &level.matchers {
            match matcher.matched(below, true) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
    }
    false
}

impl Level {
    /// Reads what one folder adds; none if something is there that cannot be read.
    fn read(dir: &Dir, folder: PathBuf) -> Reading {
        let has_git = dir.stat(b".git").ok()?.is_some();
        let mut matchers = vec![read_rules(dir, b".gitignore")?];
        if let Some(git) = has_git.then(|| GitDir::open(dir, &folder)).flatten() {
            matchers
                .push(git.open_shared(b"info").map_or(Some(Gitignore::empty()), |info| read_rules(&info, b"exclude"))?);
        }
        Some(Arc::new(Level { folder, matchers, has_git }))
    }
}

/// Reads one rule file; none if it is there and cannot be read as text. A link or a folder of that name is no rule file,
/// and a line that is no pattern is passed over, both as in git.
fn read_rules(dir: &Dir, name: &[u8]) -> Option<Gitignore> {
    let Some(bytes) = small_file::read(dir, name).ok()? else { return Some(Gitignore::empty()) };
    let text = std::str::from_utf8(&bytes).ok()?;
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        drop(builder.add_line(None, line));
    }
    builder.build().ok()
}
