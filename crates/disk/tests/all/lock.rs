//! The lock between processes that come, wait, stop and are killed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use disk::{FairLock, LockError};

use crate::{player, role, until};

const LONG: Duration = Duration::from_secs(20);

/// Takes the lock, writes its role into the order book, and holds on until its input ends.
fn take_and_hold(role: &str, place: &Path) {
    let mut guard = FairLock::acquire(&place.join("lock"), LONG).unwrap();
    guard.describe(role).unwrap();
    let mut book = fs::OpenOptions::new().append(true).create(true).open(place.join("book")).unwrap();
    writeln!(book, "{role}").unwrap();
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}

fn start(mut player: Command) -> Child {
    player.stdin(Stdio::piped()).spawn().unwrap()
}

fn book(place: &Path) -> Vec<String> {
    fs::read_to_string(place.join("book")).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn waiting(place: &Path) -> usize {
    fs::read_to_string(place.join("lock.queue")).unwrap_or_default().lines().count()
}

fn release(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn whoever_comes_first_is_served_first_and_the_killed_are_passed_over() {
    const NAME: &str = "lock::whoever_comes_first_is_served_first_and_the_killed_are_passed_over";
    if let Some((role, place)) = role() {
        return take_and_hold(&role, &place);
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let mut children = Vec::new();
    for (number, name) in ["holder", "first", "killed", "second", "third"].into_iter().enumerate() {
        children.push(start(player(NAME, name, place)));
        match number {
            0 => until("the holder holds", || book(place) == ["holder"]),
            _ => until("the next one waits", || waiting(place) == number),
        }
    }
    let [mut holder, first, mut killed, second, third] = <[Child; 5]>::try_from(children).unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    until("the first holds", || book(place).len() == 2);
    release(first);
    until("the second holds", || book(place).len() == 3);
    release(second);
    until("the third holds", || book(place).len() == 4);
    release(third);
    assert_eq!(book(place), ["holder", "first", "second", "third"]);
    assert!(FairLock::try_acquire(&place.join("lock")).unwrap().is_some());
    assert_eq!(waiting(place), 0);
}

#[test]
fn a_wait_is_bounded_and_the_holder_is_named() {
    if let Some((role, place)) = role() {
        return take_and_hold(&role, &place);
    }
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let mut holder = start(player("lock::a_wait_is_bounded_and_the_holder_is_named", "undo of t41", place));
    until("the holder holds", || !book(place).is_empty());
    let begun = Instant::now();
    let error = FairLock::acquire(&place.join("lock"), Duration::from_millis(50)).unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(error.to_string(), format!("Another process is at work here (process {}: undo of t41)", holder.id()));
    let LockError::Busy { holder: Some(named) } = error else { panic!("no holder") };
    assert_eq!(named.pid, holder.id());
    assert!(named.since_ns <= disk::clock::now_ns() && named.since_ns > 0);
    assert_eq!(waiting(place), 0, "the ticket was not given back");
    assert!(FairLock::try_acquire(&place.join("lock")).unwrap().is_none());
    holder.kill().unwrap();
    holder.wait().unwrap();
    drop(FairLock::acquire(&place.join("lock"), LONG).unwrap());
}

#[test]
fn a_queue_of_rubbish_keeps_nobody_out() {
    let place = tempfile::tempdir().unwrap();
    let lock = place.path().join("lock");
    for rubbish in
        [&b"1 2"[..], b"\xff\xfe\n\n", b"9 1 1 99999999999999999999999\n", b"7 4000000000 5 18446744073709551615\n"]
    {
        fs::write(place.path().join("lock.queue"), rubbish).unwrap();
        drop(FairLock::acquire(&lock, Duration::ZERO).unwrap());
    }
}

#[test]
fn many_threads_and_processes_never_hold_it_together() {
    const ROUNDS: u64 = 60;
    fn count_up(place: &Path) {
        for _ in 0..ROUNDS {
            let _guard = FairLock::acquire(&place.join("lock"), LONG).unwrap();
            let count: u64 = fs::read_to_string(place.join("count")).unwrap().parse().unwrap();
            fs::write(place.join("count"), (count + 1).to_string()).unwrap();
        }
    }
    if let Some((_, place)) = role() {
        return count_up(&place);
    }
    let folder = tempfile::tempdir().unwrap();
    let place: PathBuf = folder.path().to_owned();
    fs::write(place.join("count"), "0").unwrap();
    let children: Vec<Child> = (0..3)
        .map(|_| start(player("lock::many_threads_and_processes_never_hold_it_together", "any", &place)))
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| count_up(&place));
        }
    });
    children.into_iter().for_each(release);
    assert_eq!(fs::read_to_string(place.join("count")).unwrap(), (5 * ROUNDS).to_string());
}
