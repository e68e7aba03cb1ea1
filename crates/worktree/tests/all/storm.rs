//! Captures while somebody else is at work.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use model::{Entry, Reason};

use crate::world::{World, paths};

#[test]
fn captures_amid_a_storm_name_no_nonsense_and_come_to_rest() {
    let mut world = World::with(&["u.txt", "quiet/a", "quiet/b"]);
    world.put("d/x", "x");
    world.capture();
    let root = world.at("");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0u64.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                fs::write(root.join("u.new"), round.to_string()).unwrap();
                fs::rename(root.join("u.new"), root.join("u.txt")).unwrap();
                let (from, to) = if round % 2 == 0 { ("d", "e") } else { ("e", "d") };
                fs::rename(root.join(from), root.join(to)).unwrap();
                fs::write(root.join(to).join("x"), vec![b'x'; (round % 9_000) as usize]).unwrap();
            }
        });
        for _ in 0..60 {
            let captured = world.capture();
            assert!(!matches!(world.entry("u.txt"), Entry::Absent), "u.txt was never away");
            assert!(captured.differences.iter().all(|difference| !difference.path.to_string().starts_with("quiet")));
            let is_fleeting = |reason| matches!(reason, Reason::Unsettled | Reason::Unreadable);
            assert!(captured.troubles.iter().all(|gap| is_fleeting(gap.reason)), "{:?}", captured.troubles);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    world.capture();
    let rest = world.capture();
    assert_eq!((paths(&rest), rest.troubles), (vec![], vec![]));
    assert_eq!(world.stored("u.txt").unwrap(), fs::read(world.at("u.txt")).unwrap());
    let place = if world.at("d").exists() { "d/x" } else { "e/x" };
    assert_eq!(world.stored(place).unwrap(), fs::read(world.at(place)).unwrap());
}
