//! Control files: what steers an agent, a hook or a CI. Judged by the path alone.

use model::WorkspacePath;

/// Files that are control files wherever they lie.
const FILES: [&str; 28] = [
    ".mcp.json",
    "mcp.json",
    "takeback.toml",
    "opencode.json",
    "opencode.jsonc",
    ".claude.json",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lintstagedrc",
    ".envrc",
    ".gitmodules",
    ".aider.conf.yml",
    ".cursorrules",
    ".windsurfrules",
];

/// Folders whose every file is a control file, wherever they lie.
const FOLDERS: [&str; 11] = [
    ".codex",
    ".gemini",
    ".opencode",
    ".cursor",
    ".windsurf",
    ".circleci",
    ".husky",
    ".githooks",
    ".buildkite",
    ".woodpecker",
    ".takeback",
];

/// Places that are control files: a path ends in one of these, or lies below one that ends in `/`.
const PLACES: [&str; 13] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/",
    ".claude/agents/",
    ".claude/commands/",
    ".claude/skills/",
    ".claude/plugins/",
    ".github/workflows/",
    ".github/actions/",
    ".github/hooks/",
    ".gitlab/ci/",
    ".vscode/tasks.json",
    ".vscode/settings.json",
];

/// Whether this path steers an agent, a hook or a CI, so that its change is taken back only with care.
///
/// Prose for agents, like `AGENTS.md`, is no control file. Cost: none; looks at the spelling alone.
pub fn is_control_file(path: &WorkspacePath) -> bool {
    let Some(name) = path.name() else { return false };
    let is_named = |names: &[&str], name: &[u8]| names.iter().any(|known| known.as_bytes() == name);
    is_named(&FILES, name)
        || path.components().rev().skip(1).any(|folder| is_named(&FOLDERS, folder))
        || PLACES.iter().any(|place| lies_at(path, place.as_bytes()))
}

/// Whether the names of `place` stand in `path` in a row: at its end, or anywhere before it if `place` is a folder.
fn lies_at(path: &WorkspacePath, place: &[u8]) -> bool {
    let wanted: Vec<&[u8]> = place.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).collect();
    let names: Vec<&[u8]> = path.components().collect();
    if place.ends_with(b"/") {
        names[..names.len() - 1].windows(wanted.len()).any(|window| window == wanted)
    } else {
        names.ends_with(&wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_control(path: &str) -> bool {
        is_control_file(&WorkspacePath::new(path).unwrap())
    }

    #[test]
    fn settings_hooks_and_ci_files_steer() {
        for path in [
            ".claude/settings.json",
            "pkg/.claude/hooks/pre.sh",
            ".codex/config.toml",
            ".github/workflows/ci.yml",
            ".github/workflows/deep/ci.yml",
            ".husky/pre-commit",
            ".vscode/tasks.json",
            "takeback.toml",
            "sub/.mcp.json",
        ] {
            assert!(is_control(path), "{path}");
        }
    }

    #[test]
    fn prose_source_and_the_folders_themselves_do_not() {
        for path in ["AGENTS.md", ".claude/notes.md", "src/workflows/ci.yml", ".codex", ".github/workflows", ""] {
            assert!(!is_control(path), "{path}");
        }
    }
}
