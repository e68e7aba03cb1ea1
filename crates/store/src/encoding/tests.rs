//! Every encoding gives back what was put in, and takes any bytes without a panic.

use model::{Act, ContentHash, Entry, EntryKind, Known, KnownChild, KnownFolder, Mode, Reason, SpecialKind, Stamp};
use model::{StepId, TurnId, WorkspacePath};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;

fn name() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>().prop_filter("no separator", |b| *b != b'/' && *b != 0), 1..12)
        .prop_filter("a real name", |name| name != b"." && name != b"..")
}

fn path() -> impl Strategy<Value = WorkspacePath> {
    vec(name(), 0..4).prop_map(|names| WorkspacePath::new(names.join(&b'/')).unwrap())
}

fn mode() -> impl Strategy<Value = Mode> {
    (0_u32..0o10000).prop_map(Mode::new)
}

fn kind() -> impl Strategy<Value = EntryKind> {
    use EntryKind::{Absent, Dir, File, Link, Special};
    proptest::sample::select(vec![Absent, File, Link, Dir, Special])
}

fn special() -> impl Strategy<Value = SpecialKind> {
    proptest::sample::select(vec![SpecialKind::Pipe, SpecialKind::Socket, SpecialKind::Device])
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        Just(Entry::Absent),
        (any::<[u8; 32]>(), any::<u64>(), mode()).prop_map(|(hash, size_bytes, mode)| Entry::File {
            content: ContentHash(hash),
            size_bytes,
            mode
        }),
        vec(any::<u8>(), 0..40).prop_map(|target| Entry::Link { target }),
        mode().prop_map(|mode| Entry::Dir { mode }),
        special().prop_map(|kind| Entry::Special { kind }),
        (kind(), proptest::sample::select(Reason::ALL.to_vec()))
            .prop_map(|(kind, reason)| Entry::Uncovered { kind, reason }),
    ]
}

fn stamp() -> impl Strategy<Value = Stamp> {
    (any::<(u64, u64, u32, u64)>(), any::<(i64, i64, i64, i64)>()).prop_map(|(numbers, times)| {
        let (device, inode, links, size_bytes) = numbers;
        let (modified_ns, changed_ns, born_ns, looked_ns) = times;
        Stamp { device, inode, links, size_bytes, modified_ns, changed_ns, born_ns, looked_ns }
    })
}

fn folder() -> impl Strategy<Value = KnownFolder> {
    btree_map(name(), (entry(), stamp()), 0..8).prop_map(|children| KnownFolder {
        children: children
            .into_iter()
            .map(|(name, (entry, stamp))| KnownChild { name: name.into(), known: Known { entry, stamp } })
            .collect(),
    })
}

fn act() -> impl Strategy<Value = Act> {
    let linked = || proptest::option::of(path());
    prop_oneof![
        (mode(), mode()).prop_map(|(before, lifted)| Act::Lift { before, lifted }),
        (entry(), path()).prop_map(|(before, aside)| Act::Remove { before, aside }),
        mode().prop_map(|mode| Act::RemoveDir { mode }),
        Just(Act::MakeDir),
        (path(), entry()).prop_map(|(from, before)| Act::MoveFrom { from, before }),
        (entry(), name(), linked()).prop_map(|(after, staged, linked_to)| Act::Create { after, staged, linked_to }),
        (entry(), entry(), name(), linked()).prop_map(|(before, after, staged, linked_to)| Act::Replace {
            before,
            after,
            staged,
            linked_to
        }),
        (mode(), mode()).prop_map(|(before, after)| Act::SetMode { before, after }),
    ]
}

proptest! {
    #[test]
    fn an_entry_reads_back_as_it_was_written(entry in entry()) {
        prop_assert_eq!(entry_from(&entry_bytes(&entry)), Ok(entry));
    }

    #[test]
    fn a_folder_reads_back_as_it_was_written(folder in folder()) {
        prop_assert_eq!(folder_from(&folder_bytes(&folder)), Ok(folder));
    }

    #[test]
    fn an_act_reads_back_as_it_was_written(act in act()) {
        prop_assert_eq!(act_from(&act_bytes(&act)), Ok(act));
    }

    #[test]
    fn lists_read_back_as_they_were_written(
        numbers in vec(any::<u64>(), 0..9),
        steps in vec(any::<(u64, u32)>(), 0..9),
        paths in vec(path(), 0..9),
    ) {
        let steps: Vec<_> = steps.into_iter().map(|(turn, number)| StepId { turn: TurnId(turn), number }).collect();
        prop_assert_eq!(numbers_from(&numbers_bytes(numbers.iter().copied())), Ok(numbers));
        prop_assert_eq!(steps_from(&steps_bytes(&steps)), Ok(steps));
        prop_assert_eq!(paths_from(&paths_bytes(&paths)), Ok(paths));
    }

    #[test]
    fn any_bytes_are_a_value_or_malformed_and_a_value_has_one_spelling(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(entry) = entry_from(&bytes) { prop_assert_eq!(&entry_bytes(&entry), &bytes); }
        if let Ok(folder) = folder_from(&bytes) { prop_assert_eq!(&folder_bytes(&folder), &bytes); }
        if let Ok(act) = act_from(&bytes) { prop_assert_eq!(&act_bytes(&act), &bytes); }
        if let Ok(numbers) = numbers_from(&bytes) { prop_assert_eq!(&numbers_bytes(numbers), &bytes); }
        if let Ok(steps) = steps_from(&bytes) { prop_assert_eq!(&steps_bytes(&steps), &bytes); }
        if let Ok(paths) = paths_from(&bytes) { prop_assert_eq!(&paths_bytes(&paths), &bytes); }
    }

    #[test]
    fn a_damaged_folder_never_panics(folder in folder(), at in any::<usize>(), byte in any::<u8>()) {
        let mut bytes = folder_bytes(&folder);
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(folder) = folder_from(&bytes) { prop_assert_eq!(folder_bytes(&folder), bytes); }
    }
}

#[test]
fn a_folder_of_neighbours_is_small() {
    let child = |n: u64| {
        let stamp = Stamp {
            device: 2049,
            inode: 1_000_000 + n,
            links: 1,
            size_bytes: 4000 + n,
            modified_ns: 1_764_000_000_000_000_000 + n.cast_signed() * 40_000,
            changed_ns: 1_764_000_000_000_000_000 + n.cast_signed() * 40_000,
            born_ns: 1_764_000_000_000_000_000 + n.cast_signed() * 40_000,
            looked_ns: 1_764_000_001_000_000_000,
        };
        let entry = Entry::File { content: ContentHash([7; 32]), size_bytes: 4000 + n, mode: Mode::new(0o644) };
        KnownChild { name: format!("{n:04}.rs").into_bytes().into(), known: Known { entry, stamp } }
    };
    let folder = KnownFolder { children: (0..1000).map(child).collect() };
    let bytes = folder_bytes(&folder).len();
    assert!(bytes < 1000 * 60, "{bytes} bytes for 1000 names");
}
