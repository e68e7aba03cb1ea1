//! The list of what is too large already, `xtask/ratchet.toml`: name = number of lines, for files and functions. It
//! may only shrink: against the last commit no name may be new and no number greater.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::finding::Finding;

/// Where the list lies.
pub(super) const PATH: &str = "xtask/ratchet.toml";

/// Names with the number of lines they may have.
pub(super) type Ratchet = BTreeMap<String, usize>;

/// Both lists.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// Files, by path.
    pub(super) files: Ratchet,
    /// Functions, by `path::name`.
    pub(super) functions: Ratchet,
}

/// Reads the list.
pub(super) fn parse(text: &str) -> Result<Listed, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut listed = Listed::default();
    for (name, rows) in table {
        let rows = rows.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        match name.as_str() {
            "files" => listed.files = rows,
            "functions" => listed.functions = rows,
            _ => return Err(format!("unknown table `{name}`")),
        }
    }
    Ok(listed)
}

/// The list as it was committed last; none without a commit that has one.
pub(super) fn committed(root: &Path) -> Option<String> {
    let output = Command::new("git").args(["show", &format!("HEAD:{PATH}")]).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What has been added since the last commit.
pub(super) fn growth(listed: &Listed, committed: Option<&str>) -> Vec<Finding> {
    let Some(before) = committed.and_then(|text| parse(text).ok()) else { return Vec::new() };
    let mut findings = growth_of(&listed.files, &before.files);
    findings.extend(growth_of(&listed.functions, &before.functions));
    findings
}

fn growth_of(now: &Ratchet, before: &Ratchet) -> Vec<Finding> {
    let grown = now.iter().filter(|(key, lines)| before.get(*key).is_none_or(|old| old < *lines));
    grown.map(|(key, _)| Finding::of_file(PATH, format!("`{key}` was added; this list may only shrink"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "[files]\n\"a.rs\" = 700\n[functions]\n\"a.rs::f\" = 90\n";

    #[track_caller]
    fn check(now: &str, grown: usize) {
        let listed = parse(now).expect("a good list");
        assert_eq!(growth(&listed, Some(BEFORE)).len(), grown);
        assert_eq!(growth(&listed, None).len(), 0);
    }

    #[test]
    fn shrinking_passes() {
        check(BEFORE, 0);
        check("[files]\n\"a.rs\" = 650\n", 0);
        check("", 0);
    }

    #[test]
    fn growing_fails() {
        check("[files]\n\"a.rs\" = 701\n\"b.rs\" = 601\n", 2);
        check("[functions]\n\"a.rs::f\" = 91\n", 1);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error() {
        for text in ["[files", "[folders]\n", "[files]\n\"a.rs\" = \"many\"\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
