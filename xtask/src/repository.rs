//! The files of this repository as the rules see them: every text that is tracked or would be, and of each Rust file
//! what part is product, what is test and what is tool. Reads; never writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Fault;
use crate::rust::Source;

/// Folders whose Rust code never ships: it may touch the machine as it likes.
const TOOL_FOLDERS: &[&str] = &["xtask/", "bench/", "fuzz/", "examples/", "crates/testkit/"];

/// Every text of the repository.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    /// Rust files.
    pub(crate) sources: Vec<Source>,
    /// All other texts.
    pub(crate) texts: Vec<Text>,
}

/// One file that is no Rust source.
#[derive(Debug)]
pub(crate) struct Text {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// What it says.
    pub(crate) text: String,
}

/// What a Rust file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It ships.
    Product,
    /// It only tests.
    Test,
    /// It builds, checks or measures.
    Tool,
}

/// The root of the workspace this program was built from.
pub(crate) fn root() -> Result<PathBuf, Fault> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().map(Path::to_path_buf).ok_or_else(|| "xtask has no parent folder".into())
}

/// The folder cargo builds into.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

impl Repository {
    /// Reads everything that git tracks or does not ignore. What is not UTF-8 is no text and is left out.
    pub(crate) fn load(root: &Path) -> Result<Self, Fault> {
        let mut files = Vec::new();
        for path in listed(root)? {
            let bytes = match std::fs::read(root.join(&path)) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue, // deleted, not yet committed
                Err(error) => return Err(format!("read {path}: {error}").into()),
            };
            if let Ok(text) = String::from_utf8(bytes) {
                files.push((path, text));
            }
        }
        Ok(Self::from_files(files))
    }

    /// Takes files as pairs of path and text.
    pub(crate) fn from_files(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut repository = Self::default();
        for (path, text) in files {
            if path.ends_with(".rs") {
                let role = role_by_path(&path);
                repository.sources.push(Source::new(path, text, role));
            } else {
                repository.texts.push(Text { path, text });
            }
        }
        repository.mark_test_modules();
        repository
    }

    /// Every path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let sources = self.sources.iter().map(|source| source.path.as_str());
        sources.chain(self.texts.iter().map(|text| text.path.as_str()))
    }

    /// What a text that is no Rust source says.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|text| text.path == path).map(|text| text.text.as_str())
    }

    /// A file that is declared as a module of tests is a test, whatever it is called.
    fn mark_test_modules(&mut self) {
        let declared: BTreeSet<String> = self.sources.iter().flat_map(Source::test_module_stems).collect();
        for source in &mut self.sources {
            if source.role == Role::Product && declared.iter().any(|stem| is_module_file(&source.path, stem)) {
                source.role = Role::Test;
            }
        }
    }
}

fn role_by_path(path: &str) -> Role {
    if TOOL_FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        Role::Tool
    } else if path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/benches/") {
        Role::Test
    } else {
        Role::Product
    }
}

/// Whether `path` is the file of the module `stem` (`src/a/b` is `src/a/b.rs`) or lies in its folder.
fn is_module_file(path: &str, stem: &str) -> bool {
    path.strip_prefix(stem).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn listed(root: &Path) -> Result<BTreeSet<String>, Fault> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(files: &[(&str, &str)]) -> Vec<Role> {
        let owned = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Repository::from_files(owned).sources.iter().map(|source| source.role).collect()
    }

    #[test]
    fn a_file_is_a_test_by_its_name_or_by_its_declaration() {
        let found = roles(&[
            ("crates/store/src/lib.rs", "#[cfg(test)]\nmod worlds;\nmod packs;\n"),
            ("crates/store/src/worlds.rs", ""),
            ("crates/store/src/worlds/small.rs", ""),
            ("crates/store/src/packs.rs", "#[cfg(test)] mod torn;"),
            ("crates/store/src/packs/torn.rs", ""),
            ("crates/store/src/packs/tests.rs", ""),
            ("crates/store/tests/all/main.rs", ""),
            ("xtask/src/main.rs", ""),
        ]);
        use Role::{Product, Test, Tool};
        assert_eq!(found, [Product, Test, Test, Product, Test, Test, Test, Tool]);
    }

    #[test]
    fn this_repository_can_be_read() {
        let repository = Repository::load(&root().expect("a root")).expect("a readable repository");
        assert!(repository.sources.iter().any(|source| source.path == "xtask/src/repository.rs"));
        assert!(repository.text("Cargo.toml").is_some());
    }
}
