//! What a watched workspace tells, on real folders with real inotify.

use std::fs;

use super::*;
use crate::account::DirtyPaths;

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).expect("a path")
}

/// A workspace that is watched, and the mark of the last barrier.
struct World {
    temp: tempfile::TempDir,
    watched: Watched,
    mark: Mark,
}

impl World {
    fn with(folders: &[&str]) -> Self {
        let blind = Blind { names: [b"node_modules".to_vec()].into(), paths: [path("left")].into() };
        let temp = tempfile::tempdir().expect("a folder");
        for folder in folders {
            fs::create_dir_all(temp.path().join("ws").join(folder)).expect("a folder");
        }
        let root = temp.path().canonicalize().expect("a path").join("ws");
        let mut watched = Watched::begin(&root, blind).expect("a workspace that can be watched");
        match watched.pass(None) {
            Ok(Answer::Everything { mark: Some(mark), doubt: Doubt::NoMark }) => Self { temp, watched, mark },
            other => panic!("the first barrier knows nothing: {other:?}"),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.temp.path().join("ws").join(path)
    }

    fn put(&self, path: &str) {
        fs::create_dir_all(self.at(path).parent().expect("a folder")).expect("a folder");
        fs::write(self.at(path), path).expect("a file");
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).expect("a move");
    }

    fn pass(&mut self) -> Result<Answer, Doubt> {
        self.watched.pass(Some(self.mark))
    }

    fn dirty(&mut self) -> DirtyPaths {
        match self.pass() {
            Ok(Answer::Only { mark, dirty }) => {
                self.mark = mark;
                dirty
            }
            other => panic!("not only some paths: {other:?}"),
        }
    }
}

fn set(texts: &[&str]) -> BTreeSet<WorkspacePath> {
    texts.iter().map(|text| path(text)).collect()
}

#[test]
fn a_change_puts_its_folder_in_doubt_and_no_other() {
    let mut world = World::with(&["a/b", "c"]);
    world.put("a/b/file");
    assert_eq!(world.dirty(), DirtyPaths { folders: set(&["a/b"]), below: set(&[]) });
    assert_eq!(world.dirty(), DirtyPaths::default(), "it was told");
    fs::remove_file(world.at("a/b/file")).unwrap();
    world.put("top");
    assert_eq!(world.dirty().folders, set(&["", "a/b"]));
}

#[test]
fn a_new_folder_is_in_doubt_as_a_whole_and_heard_of_from_then_on() {
    let mut world = World::with(&["a"]);
    world.put("a/new/deep/file");
    let dirty = world.dirty();
    assert!(dirty.below.contains(&path("a/new")), "{dirty:?}");
    world.put("a/new/deep/later");
    assert_eq!(world.dirty().folders, set(&["a/new/deep"]));
    assert_eq!(world.watched.counts().0, 4);
}

#[test]
fn a_moved_folder_is_in_doubt_at_both_ends_and_heard_of_where_it_is() {
    let mut world = World::with(&["a/d/e", "b"]);
    world.rename("a/d", "b/d");
    assert_eq!(world.dirty().below, set(&["a/d", "b/d"]));
    world.put("b/d/e/file");
    assert_eq!(world.dirty(), DirtyPaths { folders: set(&["b/d/e"]), below: set(&[]) });
    for round in 0..20 {
        world.rename("b/d", "a/d");
        world.rename("a", "b/a");
        world.rename("b/a/d", "b/d");
        world.rename("b/a", "a");
        world.put(&format!("b/d/e/{round}"));
        let dirty = world.dirty();
        assert!(dirty.below.contains(&path("b/d")) && dirty.below.contains(&path("a")), "{dirty:?}");
        world.put("b/d/e/again");
        world.put("a/again");
        assert_eq!(world.dirty().folders, set(&["a", "b/d/e"]));
    }
}

#[test]
fn two_folders_that_change_places_are_both_heard_of() {
    let mut world = World::with(&["a/in", "b/in"]);
    let (from, to) = (world.at("a"), world.at("b"));
    let exchange = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, &from, rustix::fs::CWD, &to, exchange).unwrap();
    assert_eq!(world.dirty().below, set(&["a", "b"]));
    world.put("a/in/x");
    assert_eq!(world.dirty().folders, set(&["a/in"]));
    world.put("b/in/x");
    assert_eq!(world.dirty().folders, set(&["b/in"]));
}

#[test]
fn a_blind_folder_is_in_doubt_every_time_and_nothing_in_it_is_heard() {
    let mut world = World::with(&["node_modules/many", "left", "src"]);
    assert_eq!(world.watched.counts(), (2, 2));
    assert_eq!(world.dirty(), DirtyPaths { folders: set(&[]), below: set(&["left", "node_modules"]) });
    world.put("node_modules/many/file");
    world.put("src/node_modules/file");
    let dirty = world.dirty();
    assert_eq!(dirty.below, set(&["left", "node_modules", "src/node_modules"]));
    assert_eq!(dirty.folders, set(&["src"]));
}

#[test]
fn a_root_that_is_moved_or_replaced_is_not_watched_any_more() {
    let mut world = World::with(&["a"]);
    fs::rename(world.at(""), world.temp.path().join("elsewhere")).unwrap();
    assert_eq!(world.pass(), Err(Doubt::Elsewhere));
    fs::create_dir(world.at("")).unwrap();
    assert_eq!(world.pass(), Err(Doubt::Elsewhere));
}

#[test]
fn a_folder_above_the_root_that_is_replaced_is_noticed() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap().join("above/ws");
    fs::create_dir_all(&root).unwrap();
    let mut watched = Watched::begin(&root, Blind::default()).unwrap();
    fs::rename(temp.path().join("above"), temp.path().join("before")).unwrap();
    fs::create_dir_all(&root).unwrap();
    assert_eq!(watched.pass(None), Err(Doubt::Elsewhere));
}

#[test]
fn a_mark_of_other_watches_is_worth_nothing() {
    let mut world = World::with(&["a"]);
    let other = Mark { watches: world.mark.watches.wrapping_add(1), ..world.mark };
    assert!(matches!(world.watched.pass(Some(other)), Ok(Answer::Everything { mark: Some(_), .. })));
    let again = Watched::begin(&world.at(""), Blind::default()).unwrap();
    assert_ne!(again.number, world.watched.number);
}

#[test]
fn more_changes_than_the_system_keeps_are_everything() {
    let mut world = World::with(&["a", "b"]);
    let kept: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    let (one, two) = (fs::File::create(world.at("a/f")).unwrap(), fs::File::create(world.at("b/f")).unwrap());
    for round in 0..=kept as u64 {
        // Two in turn, because the system makes one of several that are alike.
        let file = if round % 2 == 0 { &one } else { &two };
        file.set_len(round % 5).unwrap();
    }
    assert_eq!(world.pass(), Err(Doubt::TooMuch));
}

#[test]
fn a_folder_nobody_may_enter_is_blind() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut world = World::with(&["a/closed/in"]);
    fs::set_permissions(world.at("a/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    world.rename("a/closed", "a/moved");
    let dirty = world.dirty();
    assert!(dirty.below.contains(&path("a/moved")) && dirty.folders.contains(&path("a")), "{dirty:?}");
    fs::set_permissions(world.at("a/moved"), fs::Permissions::from_mode(0o755)).unwrap();
    let dirty = world.dirty();
    assert!(dirty.folders.contains(&path("a")), "{dirty:?}");
}
