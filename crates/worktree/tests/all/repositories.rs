//! Heads of repositories, read without git.

use worktree::observe_repositories;

use crate::world::World;

fn heads(world: &World) -> Vec<(String, String)> {
    let heads = observe_repositories(&world.root(), &world.index);
    heads.into_iter().map(|head| (head.folder.to_string(), head.head)).collect()
}

fn one(folder: &str, head: &str) -> Vec<(String, String)> {
    vec![(folder.to_owned(), head.to_owned())]
}

#[test]
fn a_commit_moves_the_head_of_its_branch() {
    let mut world = World::new();
    world.put(".git/HEAD", "ref: refs/heads/main\n");
    world.capture();
    assert_eq!(heads(&world), one("", "refs/heads/main"));
    world.put(".git/refs/heads/main", "1a2b\n");
    assert_eq!(heads(&world), one("", "refs/heads/main 1a2b"));
    world.put(".git/HEAD", "3c4d\n");
    assert_eq!(heads(&world), one("", "3c4d"));
}

#[test]
fn a_packed_ref_counts_when_there_is_no_loose_one() {
    let mut world = World::new();
    world.put("sub/.git/HEAD", "ref: refs/heads/main\n");
    world.put("sub/.git/packed-refs", "# pack-refs with: peeled\n77 refs/heads/domain\n99 refs/heads/main\n^aa\n");
    world.capture();
    assert_eq!(heads(&world), one("sub", "refs/heads/main 99"));
}

#[test]
fn a_linked_worktree_has_its_own_head_and_shares_the_branches() {
    let mut world = World::new();
    world.put("main/.git/HEAD", "ref: refs/heads/main\n");
    world.put("main/.git/refs/heads/main", "11\n");
    world.put("main/.git/refs/heads/task", "22\n");
    world.put("main/.git/worktrees/w/HEAD", "ref: refs/heads/task\n");
    world.put("main/.git/worktrees/w/commondir", "../..\n");
    world.put("w/.git", "gitdir: ../main/.git/worktrees/w\n");
    world.capture();
    let expected = [("main", "refs/heads/main 11"), ("w", "refs/heads/task 22")];
    assert_eq!(heads(&world), expected.map(|(folder, head)| (folder.to_owned(), head.to_owned())));
}

#[test]
fn what_is_no_repository_is_passed_over() {
    let mut world = World::new();
    world.put("a/.git", "gitdir: /no/such/place\n");
    world.put("b/.git", "nonsense");
    world.put("c/.git/HEAD", "ref: ../../../etc/passwd\n");
    world.dir("d/.git");
    world.capture();
    assert_eq!(heads(&world), one("c", "../../../etc/passwd"));
}
