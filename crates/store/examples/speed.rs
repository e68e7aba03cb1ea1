#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use disk::Intake as _;
use model::*;
use std::time::Instant;
use store::*;
fn time<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let t = Instant::now();
    let r = f();
    println!("{what}: {:.3} ms", t.elapsed().as_secs_f64() * 1e3);
    r
}
fn main() {
    let home = tempfile::tempdir_in("/work/main/target").unwrap();
    let folder = home.path().join("s");
    let store = time("make", || Store::open(&folder, b"/w").unwrap());
    let mut index = Index::default();
    for d in 0..1000u64 {
        for f in 0..100u64 {
            let n = d * 100 + f;
            let h = ContentHash(*blake3::hash(&n.to_le_bytes()).as_bytes());
            let stamp = Stamp {
                device: 64768,
                inode: 1_000_000 + n * 3 % 77777,
                links: 1,
                size_bytes: 5000 + n % 999,
                modified_ns: 1764000000_000000000 + (n as i64 * 7919) % 1_000_000_000_000,
                changed_ns: 1764000000_000000000 + (n as i64 * 7919) % 1_000_000_000_000 + 55,
                born_ns: 1764000000_000000000,
                looked_ns: 1764000111_000000000 + n as i64,
            };
            index.set(
                &WorkspacePath::new(format!("src/dir{d:04}/file_name_{f:03}.rs")).unwrap(),
                Some(Known {
                    entry: Entry::File { content: h, size_bytes: 5000 + n % 999, mode: Mode::new(0o644) },
                    stamp,
                }),
            );
        }
    }
    time("put index", || {
        let mut w = store.write("x", Durability::Normal).unwrap();
        let c = w
            .add_checkpoint(&NewCheckpoint { at_ns: 1, event: "e".into(), session: None, turn: None, step: None })
            .unwrap();
        for d in 0..1000 {
            let p = WorkspacePath::new(format!("src/dir{d:04}")).unwrap();
            w.put_folder(&p, index.folder(&p).unwrap(), c).unwrap();
        }
        w.commit().unwrap();
    });
    for _ in 0..3 {
        time("read index 100k", || assert_eq!(store.read().unwrap().index().unwrap().len(), 100_000));
    }
    let data: Vec<Vec<u8>> = (0..100_000u64)
        .map(|n| {
            let mut v = format!("fn item_{n}() {{ let value = {n}; println!(\"{{value}}\"); }}\n").repeat(40);
            v.push_str("tail");
            v.into_bytes()
        })
        .collect();
    let hashes: Vec<ContentHash> = data.iter().map(|b| ContentHash(*blake3::hash(b).as_bytes())).collect();
    let total: usize = data.iter().map(Vec::len).sum();
    let intake = store.intake();
    time(&format!("put 100k contents, {} MB, 1 thread", total / 1_000_000), || {
        for (b, h) in data.iter().zip(&hashes) {
            if !intake.holds(h) {
                intake.put_bytes(h, b).unwrap();
            }
        }
    });
    time("adopt 100k", || {
        let mut w = store.write("x", Durability::Normal).unwrap();
        w.adopt(&intake).unwrap();
        w.commit().unwrap();
    });
    drop(intake);
    time("add 100k transitions", || {
        let mut w = store.write("x", Durability::Normal).unwrap();
        let c = w
            .add_checkpoint(&NewCheckpoint { at_ns: 1, event: "e".into(), session: None, turn: None, step: None })
            .unwrap();
        let all: Vec<_> = (0..100_000u64)
            .map(|n| NewTransition {
                checkpoint: c,
                path: WorkspacePath::new(format!("src/dir{:04}/file_name_{:03}.rs", n / 100, n % 100)).unwrap(),
                before: Entry::Absent,
                after: Entry::File { content: hashes[n as usize], size_bytes: 3, mode: Mode::new(0o644) },
                moved: None,
                cause: Cause::Outside,
                evidence: Evidence::Exact,
            })
            .collect();
        w.add_transitions(&all).unwrap();
        w.commit().unwrap();
    });
    time("900k more transitions", || {
        let mut w = store.write("x", Durability::Normal).unwrap();
        let c = w
            .add_checkpoint(&NewCheckpoint { at_ns: 1, event: "e".into(), session: None, turn: None, step: None })
            .unwrap();
        for r in 0..9 {
            let all: Vec<_> = (0..100_000u64)
                .map(|n| NewTransition {
                    checkpoint: c,
                    path: WorkspacePath::new(format!("src/dir{:04}/file_name_{:03}.rs", n / 100, n % 100)).unwrap(),
                    before: Entry::Absent,
                    after: Entry::File { content: hashes[n as usize], size_bytes: 3, mode: Mode::new(0o644) },
                    moved: None,
                    cause: Cause::Step(StepId { turn: TurnId(r * 1000 + n / 100), number: 1 }),
                    evidence: Evidence::Exact,
                })
                .collect();
            w.add_transitions(&all).unwrap();
        }
        w.commit().unwrap();
    });
    let r = store.read().unwrap();
    time("of turn", || assert_eq!(r.transitions_of_turn(TurnId(5500)).unwrap().len(), 100));
    time("of step", || assert_eq!(r.transitions_of_step(StepId { turn: TurnId(5500), number: 1 }).unwrap().len(), 100));
    time("of path", || {
        assert_eq!(
            r.transitions_of_path_since(&WorkspacePath::new("src/dir0007/file_name_050.rs").unwrap(), Seq(0))
                .unwrap()
                .len(),
            10
        )
    });
    time("below dir", || {
        assert_eq!(r.transitions_below_since(&WorkspacePath::new("src/dir0007").unwrap(), Seq(0)).unwrap().len(), 1000)
    });
    time("since -1000", || assert_eq!(r.transitions_since(Seq(999_000)).unwrap().len(), 1000));
    time("outside_between first", || assert_eq!(r.outside_between(Seq(0), Seq(1000)).unwrap().len(), 1000));
    time("reversals_upon 1000", || r.reversals_upon(&(0..1000).map(Seq).collect::<Vec<_>>()).unwrap());
    time("by_seq 1000", || r.transitions_by_seq(&(1..1000).map(Seq).collect::<Vec<_>>()).unwrap());
    time("by_seq 1000 odd", || r.transitions_by_seq(&(1..1000).map(|n| Seq(n * 2)).collect::<Vec<_>>()).unwrap());
    drop(r);
    time("verify", || println!("{}", store.verify(&mut |_| {}).unwrap().damages.len()));
    time("compact", || println!("{:?}", store.compact().unwrap()));
    drop(store);
    for _ in 0..5 {
        let s = time("open existing", || Store::open(&folder, b"/w").unwrap());
        time(" read", || s.read().unwrap().open_operations().unwrap());
        time(" small hook write", || {
            let i = s.intake();
            let b = disk::clock::now_ns().to_le_bytes();
            i.put_bytes(&ContentHash(*blake3::hash(&b).as_bytes()), &b).unwrap();
            let mut w = s.write("x", Durability::Normal).unwrap();
            w.adopt(&i).unwrap();
            let c = w
                .add_checkpoint(&NewCheckpoint { at_ns: 1, event: "e".into(), session: None, turn: None, step: None })
                .unwrap();
            for n in 0..3 {
                w.add_transition(&NewTransition {
                    checkpoint: c,
                    path: WorkspacePath::new(format!("src/dir{:04}/file_name_{:03}.rs", n / 100, n % 100)).unwrap(),
                    before: Entry::Absent,
                    after: Entry::Absent,
                    moved: None,
                    cause: Cause::Outside,
                    evidence: Evidence::Exact,
                })
                .unwrap();
            }
            w.commit().unwrap();
        });
        time(" drop", || drop(s));
    }
    for f in std::fs::read_dir(&folder).unwrap() {
        let f = f.unwrap();
        println!("{:?} {}", f.file_name(), f.metadata().unwrap().len());
    }
    for f in std::fs::read_dir(folder.join("packs")).unwrap() {
        let f = f.unwrap();
        println!("{:?} {}", f.file_name(), f.metadata().unwrap().len());
    }
}
