//! Settings: the two optional `takeback.toml` files, read leniently. What is wrong is named and the rest is used.
//!
//! The workspace's own file travels with the code, so it may only make things safer: `conflict` can only become `stop`,
//! caps and retention can only grow. Nothing here opens a file; it reads text.

use model::{ConflictPolicy, Memory, limits};
use toml::{Table, Value};

/// The settings in force for a workspace.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// Patterns of what is never read and never stored.
    pub protect: Vec<String>,
    /// Patterns of what is covered although it is derived.
    pub include: Vec<String>,
    /// The greatest file that is stored, in bytes.
    pub file_size_bytes_max: u64,
    /// What happens on a conflict: `stop`, `keep`, `take` or `merge`.
    conflict: String,
    /// What happens to the model's memory of turns that are taken back: `cut` or `inform`.
    #[serde(default)]
    memory: String,
    /// Whether the watcher is used: `on` or `off`.
    #[serde(default)]
    watcher: String,
    /// How much history is kept.
    pub retention: Retention,
}

/// How much history is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Retention {
    /// The greatest size of the store beyond the current state, in bytes.
    pub size_bytes_max: u64,
    /// The greatest age, in seconds.
    pub age_s_max: u64,
    /// The greatest number of turns.
    pub turns_max: u64,
}

/// Whose settings file a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user's own file: it may set anything.
    User,
    /// The workspace's file: it may only make things safer.
    Workspace,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            protect: Vec::new(),
            include: Vec::new(),
            file_size_bytes_max: limits::FILE_SIZE_BYTES_MAX,
            conflict: ConflictPolicy::Stop.code().to_owned(),
            memory: Memory::Cut.code().to_owned(),
            watcher: String::new(),
            retention: Retention { size_bytes_max: 5 << 30, age_s_max: 60 * 24 * 3600, turns_max: 500 },
        }
    }
}

impl Settings {
    /// What happens on a conflict.
    pub fn conflict(&self) -> ConflictPolicy {
        ConflictPolicy::from_code(&self.conflict).unwrap_or(ConflictPolicy::Stop)
    }

    /// What happens to the model's memory of turns that are taken back.
    pub fn memory(&self) -> Memory {
        Memory::from_code(&self.memory).unwrap_or(Memory::Cut)
    }

    /// Whether the watcher is used.
    pub fn wants_watcher(&self) -> bool {
        self.watcher == "on"
    }

    /// Adds what a settings file says. Returns a sentence for everything that is wrong in it or not allowed there; those
    /// parts change nothing.
    pub fn add(&mut self, text: &str, author: Author) -> Vec<String> {
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => return vec![format!("The settings file is no TOML and is not used: {}", error.message())],
        };
        table.iter().filter_map(|(key, value)| self.add_one(key, value, author).err()).flatten().collect()
    }

    fn add_one(&mut self, key: &str, value: &Value, author: Author) -> Result<(), Vec<String>> {
        let one = |result: Result<(), String>| result.map_err(|wrong| vec![wrong]);
        match key {
            "protect" => one(patterns(key, value).map(|more| self.protect.extend(more))),
            "include" => one(patterns(key, value).map(|more| self.include.extend(more))),
            "file_max" => one(size_bytes(key, value).map(|size| grow(&mut self.file_size_bytes_max, size, author))),
            "conflict" => one(self.set_conflict(value, author)),
            "watcher" => one(self.set_watcher(value, author)),
            "memory" => one(self.set_memory(value)),
            "retention" => self.retention.add(value, author),
            _ => Err(vec![format!("Unknown key in the settings file: `{key}`")]),
        }
    }

    fn set_memory(&mut self, value: &Value) -> Result<(), String> {
        let memory = value.as_str().and_then(Memory::from_code).ok_or_else(|| bad("memory", value))?;
        self.memory = memory.code().to_owned();
        Ok(())
    }

    fn set_watcher(&mut self, value: &Value, author: Author) -> Result<(), String> {
        let word = value.as_str().filter(|word| ["on", "off"].contains(word)).ok_or_else(|| bad("watcher", value))?;
        if author == Author::Workspace && word == "on" {
            return Err("The workspace's settings file cannot switch `watcher` on".to_owned());
        }
        self.watcher = word.to_owned();
        Ok(())
    }

    fn set_conflict(&mut self, value: &Value, author: Author) -> Result<(), String> {
        let policy = value.as_str().and_then(ConflictPolicy::from_code).ok_or_else(|| bad("conflict", value))?;
        if author == Author::Workspace && policy != ConflictPolicy::Stop {
            return Err("The workspace's settings file cannot weaken `conflict`: only `stop` is used".to_owned());
        }
        self.conflict = policy.code().to_owned();
        Ok(())
    }
}

impl Retention {
    fn add(&mut self, value: &Value, author: Author) -> Result<(), Vec<String>> {
        let table = value.as_table().ok_or_else(|| vec![bad("retention", value)])?;
        let wrong: Vec<String> =
            table.iter().filter_map(|(key, value)| self.add_one(key, value, author).err()).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn add_one(&mut self, key: &str, value: &Value, author: Author) -> Result<(), String> {
        match key {
            "bytes" => grow(&mut self.size_bytes_max, size_bytes("retention.bytes", value)?, author),
            "age" => grow(&mut self.age_s_max, age_s(value)?, author),
            "turns" => {
                let turns = value.as_integer().and_then(|n| u64::try_from(n).ok());
                grow(&mut self.turns_max, turns.ok_or_else(|| bad("retention.turns", value))?, author);
            }
            _ => return Err(format!("Unknown key in the settings file: `retention.{key}`")),
        }
        Ok(())
    }
}

fn grow(limit: &mut u64, wanted: u64, author: Author) {
    *limit = match author {
        Author::User => wanted,
        Author::Workspace => (*limit).max(wanted),
    };
}

fn patterns(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| bad(key, value))?;
    list.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(|| bad(key, item))).collect()
}

fn size_bytes(key: &str, value: &Value) -> Result<u64, String> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("B", 1)];
    number_with_unit(value, &units).ok_or_else(|| bad(key, value))
}

fn age_s(value: &Value) -> Result<u64, String> {
    let units = [("d", 24 * 3600), ("h", 3600), ("m", 60), ("s", 1)];
    number_with_unit(value, &units).ok_or_else(|| bad("retention.age", value))
}

/// A bare integer, or text like `64MiB`.
fn number_with_unit(value: &Value, units: &[(&str, u64)]) -> Option<u64> {
    if let Some(number) = value.as_integer() {
        return u64::try_from(number).ok();
    }
    let text = value.as_str()?.trim();
    let (digits, factor) = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}

fn bad(key: &str, value: &Value) -> String {
    format!("Bad value in the settings file, not used: `{key} = {value}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_add_up_and_the_workspace_cannot_weaken() {
        let mut settings = Settings::default();
        let user = "protect = [\"a/\"]\nfile_max = \"1GiB\"\nconflict = \"keep\"\n[retention]\nage = \"90d\"";
        assert_eq!(settings.add(user, Author::User), [""; 0]);
        let wrong = settings.add("protect = [\"b/\"]\nfile_max = \"1MiB\"\nconflict = \"take\"", Author::Workspace);
        assert_eq!(settings.protect, ["a/", "b/"]);
        assert_eq!(settings.file_size_bytes_max, 1 << 30);
        assert_eq!(settings.conflict(), ConflictPolicy::Keep);
        assert_eq!(settings.retention.age_s_max, 90 * 24 * 3600);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(settings.add("conflict = \"stop\"", Author::Workspace), [""; 0]);
        assert_eq!(settings.conflict(), ConflictPolicy::Stop);
    }

    #[test]
    fn a_workspace_can_switch_the_watcher_off_and_never_on() {
        let mut settings = Settings::default();
        assert!(!settings.wants_watcher());
        assert_eq!(settings.add("watcher = \"on\"", Author::Workspace).len(), 1);
        assert!(!settings.wants_watcher());
        assert_eq!(settings.add("watcher = \"on\"", Author::User), [""; 0]);
        assert!(settings.wants_watcher());
        assert_eq!(settings.add("watcher = \"off\"", Author::Workspace), [""; 0]);
        assert!(!settings.wants_watcher());
        assert_eq!(settings.add("watcher = 1", Author::User).len(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_is_used() {
        let mut settings = Settings::default();
        let text = "protekt = []\nfile_max = \"much\"\ninclude = [\"dist/\"]\n[retention]\nturns = -1\nmoons = 2";
        let wrong = settings.add(text, Author::User);
        assert_eq!(wrong.len(), 4, "{wrong:?}");
        assert_eq!(settings.include, ["dist/"]);
        assert_eq!(settings.add("= broken", Author::User).len(), 1);
    }
}
