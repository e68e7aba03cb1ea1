//! Effects: what a command is known to have done beyond the workspace, so that it can be named and is never claimed to
//! be undone. A table of rules over the words of a command; nothing is run and nothing is asked.

/// How an effect could be taken back, if at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectClass {
    /// It lies in files and comes back with them.
    Restorable,
    /// It stays, but another act can make up for it.
    Compensable,
    /// It cannot be taken back.
    Irreversible,
    /// Nobody knows.
    Unknown,
}

impl EffectClass {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            EffectClass::Restorable => "restorable",
            EffectClass::Compensable => "compensable",
            EffectClass::Irreversible => "irreversible",
            EffectClass::Unknown => "unknown",
        }
    }
}

/// One effect of one simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// How it could be taken back.
    pub class: EffectClass,
    /// The simple command that had it.
    pub summary: String,
}

/// A rule: a program, the words that must all occur after it (any of a group counts), and what follows.
struct Rule {
    program: &'static str,
    words: &'static [&'static [&'static str]],
    class: EffectClass,
}

const fn rule(program: &'static str, words: &'static [&'static [&'static str]], class: EffectClass) -> Rule {
    Rule { program, words, class }
}

use EffectClass::{Compensable, Irreversible, Unknown};

const HTTP_WRITES: &[&str] = &["POST", "PUT", "PATCH", "DELETE", "-XPOST", "-XPUT", "-XPATCH", "-XDELETE"];
const CURL_BODIES: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "-T",
    "--upload-file",
];

/// The rules, the more particular ones first. The first that fits a command counts.
const RULES: &[Rule] = &[
    rule("git", &[&["push"]], Irreversible),
    rule(
        "git",
        &[&["commit", "merge", "rebase", "tag", "reset", "checkout", "switch", "stash", "cherry-pick"]],
        Compensable,
    ),
    rule("jj", &[&["git"], &["push"]], Irreversible),
    rule("gh", &[&["pr", "issue", "release", "repo", "gist", "workflow", "api", "secret"]], Irreversible),
    rule("glab", &[&["mr", "issue", "release", "repo", "api"]], Irreversible),
    rule("curl", &[HTTP_WRITES], Irreversible),
    rule("curl", &[CURL_BODIES], Irreversible),
    rule("wget", &[&["--post-data", "--post-file", "--method=POST", "--method=PUT", "--method=DELETE"]], Irreversible),
    rule("http", &[HTTP_WRITES], Irreversible),
    rule("npm", &[&["publish", "unpublish", "deprecate"]], Irreversible),
    rule("npm", &[&["install", "i"], &["-g", "--global"]], Compensable),
    rule("pnpm", &[&["publish"]], Irreversible),
    rule("yarn", &[&["publish"]], Irreversible),
    rule("cargo", &[&["publish", "yank"]], Irreversible),
    rule("cargo", &[&["install", "uninstall"]], Compensable),
    rule("twine", &[&["upload"]], Irreversible),
    rule("uv", &[&["publish"]], Irreversible),
    rule("gem", &[&["push"]], Irreversible),
    rule("pip", &[&["install", "uninstall"]], Compensable),
    rule("pip3", &[&["install", "uninstall"]], Compensable),
    rule("pipx", &[&["install", "uninstall"]], Compensable),
    rule("apt", &[&["install", "remove", "purge", "upgrade"]], Compensable),
    rule("apt-get", &[&["install", "remove", "purge", "upgrade"]], Compensable),
    rule("dnf", &[&["install", "remove", "upgrade"]], Compensable),
    rule("brew", &[&["install", "uninstall", "upgrade"]], Compensable),
    rule("docker", &[&["push"]], Irreversible),
    rule("docker", &[&["run", "rm", "compose", "volume", "exec", "start", "stop"]], Compensable),
    rule("kubectl", &[&["apply", "delete", "create", "patch", "scale", "rollout", "replace"]], Irreversible),
    rule("helm", &[&["install", "upgrade", "uninstall", "rollback"]], Irreversible),
    rule("terraform", &[&["apply", "destroy", "import"]], Irreversible),
    rule("pulumi", &[&["up", "destroy"]], Irreversible),
    rule("aws", &[], Unknown),
    rule("gcloud", &[], Unknown),
    rule("az", &[], Unknown),
    rule("vercel", &[], Irreversible),
    rule("netlify", &[&["deploy"]], Irreversible),
    rule("fly", &[&["deploy"]], Irreversible),
    rule("wrangler", &[&["deploy", "publish"]], Irreversible),
    rule("psql", &[], Unknown),
    rule("mysql", &[], Unknown),
    rule("mongosh", &[], Unknown),
    rule("redis-cli", &[], Unknown),
    rule("alembic", &[&["upgrade", "downgrade"]], Compensable),
    rule("prisma", &[&["migrate", "db"]], Irreversible),
    rule("rails", &[&["db:migrate", "db:drop", "db:reset", "db:rollback"]], Irreversible),
    rule("ssh", &[], Unknown),
    rule("scp", &[], Irreversible),
    rule("mail", &[], Irreversible),
    rule("sendmail", &[], Irreversible),
    rule("systemctl", &[&["start", "stop", "restart", "enable", "disable"]], Compensable),
    rule("kill", &[], Irreversible),
    rule("pkill", &[], Irreversible),
    rule("crontab", &[], Compensable),
];

/// Programs that run the command after them.
const WRAPPERS: &[&str] =
    &["sudo", "env", "time", "nice", "nohup", "command", "exec", "npx", "bunx", "xargs", "then", "do", "else"];

/// The effects of a shell command line, in its order, each simple command at most once.
///
/// `command` is read as words: quoting is respected as far as splitting goes, nothing is expanded. What is hidden in
/// scripts or aliases is not seen; the absence of an effect is no promise.
pub fn effects_of(command: &str) -> Vec<Effect> {
    simple_commands(command).iter().filter_map(|words| effect(words)).collect()
}

fn effect(words: &[String]) -> Option<Effect> {
    let start = words.iter().position(|word| !is_wrapping(word))?;
    let program = words[start].rsplit('/').next()?;
    let arguments = &words[start + 1..];
    let fits = |rule: &&Rule| {
        rule.program == program && rule.words.iter().all(|group| arguments.iter().any(|word| matches_any(word, group)))
    };
    let rule = RULES.iter().find(fits)?;
    Some(Effect { class: rule.class, summary: words[start..].join(" ") })
}

fn matches_any(word: &str, group: &[&str]) -> bool {
    group.iter().any(|wanted| word == *wanted || (wanted.starts_with("--") && word.starts_with(&format!("{wanted}="))))
}

fn is_wrapping(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    is_assignment || WRAPPERS.contains(&word)
}

/// Splits a command line at `;`, `&`, `|`, newlines and parentheses outside of quotes, and each part into words.
fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut splitter = Splitter::default();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (splitter.quote, character) {
            (None | Some('"'), '\\') => splitter.word.extend(characters.next()),
            (None, '\'' | '"') => splitter.quote = Some(character),
            (Some(open), _) if open == character => splitter.quote = None,
            (None, ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' | '`') => splitter.end_command(),
            (None, _) if character.is_whitespace() => splitter.end_word(),
            _ => splitter.word.push(character),
        }
    }
    splitter.end_command();
    splitter.commands
}

#[derive(Default)]
struct Splitter {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: String,
    quote: Option<char>,
}

impl Splitter {
    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(command: &str) -> Vec<(EffectClass, String)> {
        effects_of(command).into_iter().map(|effect| (effect.class, effect.summary)).collect()
    }

    #[test]
    fn what_leaves_the_machine_is_named_with_its_own_command() {
        let found = classes("mv a b; curl -s -X POST http://localhost:9/x && echo done");
        assert_eq!(found, [(Irreversible, "curl -s -X POST http://localhost:9/x".to_owned())]);
        assert_eq!(classes("sudo FOO=1 git push origin main")[0].1, "git push origin main");
        assert_eq!(classes("curl --data=x http://h").len(), 1);
    }

    #[test]
    fn reading_is_no_effect() {
        for command in ["curl http://h", "git status", "npm test", "echo 'git push'", "cargo build"] {
            assert_eq!(classes(command), [], "{command}");
        }
    }

    #[test]
    fn odd_text_does_no_harm() {
        for command in ["", "'", "\\", "a;;b", "\"unclosed ; git push"] {
            effects_of(command);
        }
    }
}
