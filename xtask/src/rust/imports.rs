//! What `use` brings in, with groups spelled out.

use super::brackets::{closing, line_of, words};

/// One imported path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    /// The whole path, `std::io::Read`.
    pub(crate) path: String,
    /// The line on which its `use` begins, from 1.
    pub(crate) line: usize,
}

/// Every path imported in masked code.
pub(crate) fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for at in words(code, "use") {
        let after = &code[at + "use".len()..];
        let Some(tree) = after.find(';').map(|end| &after[..end]).filter(|tree| tree.starts_with(char::is_whitespace))
        else {
            continue; // `use<'a>` bounds
        };
        let line = line_of(code, at);
        spell_out("", tree, &mut |path| found.push(Import { path, line }));
    }
    found
}

fn spell_out(prefix: &str, tree: &str, take: &mut dyn FnMut(String)) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let name = tree.split_once(" as ").map_or(tree, |(name, _)| name);
        let path = format!("{prefix}{}", name.split_whitespace().collect::<String>());
        return take(path.strip_suffix("::self").map_or(path.clone(), str::to_owned));
    };
    let inside = closing(tree, open).map_or("", |close| &tree[open + 1..close]);
    let prefix = format!("{prefix}{}", tree[..open].trim());
    for part in split_outside(inside).filter(|part| !part.trim().is_empty()) {
        spell_out(&prefix, part, take);
    }
}

/// Splits at commas outside of braces.
fn split_outside(inside: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    inside.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        character == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, paths: &[&str]) {
        let found: Vec<_> = imports(code).into_iter().map(|import| import.path).collect();
        assert_eq!(found, paths);
    }

    #[test]
    fn groups_are_spelled_out() {
        check("use std::{fs::{self, File}, io as other};", &["std::fs", "std::fs::File", "std::io"]);
        check("pub(crate) use std::env;\nuse a::\n  b::*;", &["std::env", "a::b::*"]);
    }

    #[test]
    fn other_uses_are_no_imports() {
        check("fn f() -> impl Sized + use<'a> { reuse; }", &[]);
    }
}
