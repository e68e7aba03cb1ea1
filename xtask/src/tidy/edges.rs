//! A room knows only the rooms and the packages that the table of walls grants it.

use super::finding::Finding;
use super::walls::{ROOMS, Room};
use crate::graph::{Dependency, Graph, Need, Package};

/// The file whose table a finding refers to.
const TABLE: &str = "xtask/src/tidy/walls.rs";

/// Compares every manifest with the table.
pub(super) fn check(graph: &Graph) -> Vec<Finding> {
    let ours = graph.packages.iter().filter(|package| package.is_ours);
    let mut findings: Vec<Finding> = ours.flat_map(|package| check_package(package, ROOMS)).collect();
    for room in ROOMS {
        if !graph.packages.iter().any(|package| package.is_ours && package.name == room.package) {
            findings.push(Finding::of_file(TABLE, format!("`{}` is no package any more", room.package)));
        }
    }
    findings
}

fn check_package(package: &Package, rooms: &[Room]) -> Vec<Finding> {
    let Some(room) = rooms.iter().find(|room| room.package == package.name) else {
        return vec![Finding::of_file(TABLE, format!("package `{}` has no room; say what it may use", package.name))];
    };
    let forbidden = package.dependencies.iter().filter(|dependency| !is_allowed(room, dependency));
    forbidden.map(|dependency| Finding::of_file(TABLE, describe(room, dependency))).collect()
}

fn is_allowed(room: &Room, dependency: &Dependency) -> bool {
    let name = dependency.name.as_str();
    let granted = if dependency.is_ours { room.rooms } else { room.foreign };
    match dependency.need {
        Need::Product => granted.contains(&name),
        Need::Tests => granted.contains(&name) || room.tests.contains(&name),
        Need::Build => false,
    }
}

fn describe(room: &Room, dependency: &Dependency) -> String {
    let need = match dependency.need {
        Need::Product => "",
        Need::Tests => " for its tests",
        Need::Build => " for its build script",
    };
    format!("`{}` may not depend on `{}`{need}", room.package, dependency.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &[Room] = &[Room { package: "store", rooms: &["model"], foreign: &["zstd"], tests: &["testkit"] }];

    #[track_caller]
    fn check_store(name: &str, need: Need, is_ours: bool, message: Option<&str>) {
        let dependencies = vec![Dependency { name: name.to_owned(), need, is_ours }];
        let package = Package { name: "store".to_owned(), dependencies, ..Package::default() };
        let found: Vec<_> = check_package(&package, SMALL).into_iter().map(|finding| finding.message).collect();
        assert_eq!(found, message.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn granted_edges_pass() {
        check_store("model", Need::Product, true, None);
        check_store("zstd", Need::Product, false, None);
        check_store("model", Need::Tests, true, None);
        check_store("testkit", Need::Tests, true, None);
    }

    #[test]
    fn other_edges_fail() {
        check_store("engine", Need::Product, true, Some("`store` may not depend on `engine`"));
        check_store("serde", Need::Product, false, Some("`store` may not depend on `serde`"));
        check_store("zstd", Need::Build, false, Some("`store` may not depend on `zstd` for its build script"));
    }

    #[test]
    fn what_is_granted_to_tests_is_not_granted_to_the_product() {
        check_store("testkit", Need::Product, true, Some("`store` may not depend on `testkit`"));
        check_store("engine", Need::Tests, true, Some("`store` may not depend on `engine` for its tests"));
    }

    #[test]
    fn a_package_without_a_room_fails() {
        let package = Package { name: "cellar".to_owned(), ..Package::default() };
        assert_eq!(check_package(&package, SMALL).len(), 1);
    }
}
