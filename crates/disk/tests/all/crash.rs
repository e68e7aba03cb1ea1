//! Dying at a durable step.

use std::os::unix::process::ExitStatusExt as _;

use disk::Dir;

use crate::{player, role};

#[test]
fn a_process_told_to_crash_dies_exactly_there() {
    if let Some((_, place)) = role() {
        let dir = Dir::open(&place).unwrap();
        for name in [b"1", b"2", b"3"] {
            dir.create_link(name, b"x").unwrap();
        }
        return;
    }
    for (variable, number, left) in
        [("TAKEBACK_CRASH_AT", 2, 1), ("TAKEBACK_CRASH_AFTER", 2, 2), ("TAKEBACK_CRASH_AT", 4, 3)]
    {
        let place = tempfile::tempdir().unwrap();
        let mut player = player("crash::a_process_told_to_crash_dies_exactly_there", "any", place.path());
        let status = player.env(variable, number.to_string()).status().unwrap();
        assert_eq!(status.signal(), (number < 4).then_some(9));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), left, "{variable}={number}");
    }
}
