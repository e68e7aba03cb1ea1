//! `cargo xtask picture`: draws `docs/picture.svg`, a terminal in which the real program is at work. Drawn again whenever
//! what it prints changes.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::demo::world::{self, World};
use crate::{Fault, Verdict};

/// What is typed; a line that does not begin with `takeback` is the user's own shell.
const STORY: &[&str] = &[
    "takeback run -- sh -c 'sed -i s/hello/goodbye/ src/greet.rs; rm -r docs; touch build.log'",
    "echo 'my own line' >> notes.md",
    "takeback log",
    "takeback undo --yes",
    "takeback redo --yes",
];

const LINE_HEIGHT: usize = 20;
const CHARACTER_WIDTH: usize = 8;
const MARGIN: usize = 18;

/// Plays the story in a small scratch project and draws what a terminal would show.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    let world = World::empty(world::build(root)?)?;
    for (path, text) in [("src/greet.rs", "hello\n"), ("docs/guide.md", "# Guide\n"), ("notes.md", "keep\n")] {
        let file = world.project.join(path);
        fs::create_dir_all(file.parent().ok_or("A file has no folder")?)?;
        fs::write(file, text)?;
    }
    let mut lines = Vec::new();
    for typed in STORY {
        lines.push(format!("$ {typed}"));
        lines.extend(printed(&world, typed)?);
    }
    fs::write(root.join("docs/picture.svg"), drawn(&lines))?;
    println!("docs/picture.svg is drawn: {} lines", lines.len());
    Ok(Verdict::Clean)
}

fn printed(world: &World, typed: &str) -> Result<Vec<String>, Fault> {
    let program = world.command();
    let folder = Path::new(program.get_program()).parent().ok_or("The program has no folder")?;
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", typed])
        .current_dir(&world.project)
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", path)
        .output()?;
    let all = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&all).lines().map(str::to_owned).collect())
}

fn drawn(lines: &[String]) -> String {
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let (width, height) = (columns * CHARACTER_WIDTH + 2 * MARGIN, lines.len() * LINE_HEIGHT + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1b1f27\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + number * LINE_HEIGHT + LINE_HEIGHT - 6;
        svg.push_str(&format!("<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{}\">{}</text>\n", colour(line), escaped(line)));
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// The colour a terminal gives such a line.
fn colour(line: &str) -> &'static str {
    let trimmed = line.trim_start();
    match trimmed.chars().next() {
        Some('$') => "#ffffff",
        Some('+') => "#8fce7e",
        Some('-') => "#e9868a",
        Some('~') => "#e5c07b",
        Some('`') => "#7f8795",
        _ if trimmed.starts_with("Undone") || trimmed.starts_with("Redone") => "#8fce7e",
        _ => "#c8cdd6",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_holds_cannot_break_the_picture() {
        let svg = drawn(&["$ echo '<b>&'".to_owned()]);
        assert!(svg.contains("&lt;b&gt;&amp;"), "{svg}");
    }
}
