//! [`Options`]: what to measure and how large.

use std::path::PathBuf;

use crate::measures;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    /// The names of the measures; empty: all.
    names: Vec<String>,
    /// How much of everything.
    pub(crate) scale: Scale,
    /// Where the result is written for machines.
    pub(crate) json: PathBuf,
}

/// How much of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// A tenth of the files and few runs: does it work at all?
    Quick,
    /// As many files as the targets speak of, with less in them.
    Usual,
    /// As many files and as many bytes as the targets speak of.
    Full,
}

impl Options {
    /// Reads arguments; an error is the usage.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let json = crate::place::target_folder().join("bench.json");
        let mut options = Self { names: Vec::new(), scale: Scale::Usual, json };
        let mut has_name = false;
        for argument in arguments {
            match argument.as_str() {
                "--quick" => options.scale = Scale::Quick,
                "--full" => options.scale = Scale::Full,
                "all" => has_name = true,
                name if measures::ALL.iter().any(|measure| measure.name == name) => {
                    has_name = true;
                    options.names.push(argument);
                }
                _ => return Err(usage()),
            }
        }
        if has_name { Ok(options) } else { Err(usage()) }
    }

    /// Whether this measure was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }

    /// This many files, or a tenth of it.
    pub(crate) fn files(&self, usual: usize) -> usize {
        if self.scale == Scale::Quick { usual / 10 } else { usual }
    }

    /// This many runs, or a few.
    pub(crate) fn runs(&self, usual: usize) -> usize {
        if self.scale == Scale::Quick { usual.min(5) } else { usual }
    }
}

impl Scale {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Usual => "usual",
            Scale::Full => "full",
        }
    }
}

fn usage() -> String {
    let mut usage = String::from("Usage: cargo run --release -p bench -- [--quick|--full] all | NAME…\n\n");
    for measure in measures::ALL {
        usage.push_str(&format!("  {:10} {}\n", measure.name, measure.summary));
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn names_choose_and_all_takes_all() {
        let options = parse("--quick undo").expect("options");
        assert_eq!((options.wants("undo"), options.wants("hook"), options.files(1000)), (true, false, 100));
        assert!(parse("all").expect("options").wants("hook"));
        assert!(parse("").is_err());
        assert!(parse("all --quik").is_err());
    }
}
