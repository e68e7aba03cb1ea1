//! The parameters and results that several methods share.

use super::{Field, Kind, Presence};

pub(super) const fn needed(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, presence: Presence::Required, meaning }
}

pub(super) const fn optional(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, presence: Presence::Optional, meaning }
}

pub(super) const fn nullable(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, presence: Presence::Nullable, meaning }
}

pub(super) const SESSION: Field = needed("session", Kind::Text, "the session, as `session/open` named it");

pub(super) const ROOT: Field = needed("root", Kind::Text, "a folder of the workspace, absolute");

pub(super) const SAID: Field = needed("said", Kind::List(&Kind::Text), "warnings for the user; mostly none");

const TOOL_NAME: Field = needed("tool_name", Kind::Text, "the tool");

const TOOL_USE: Field = optional("tool_use_id", Kind::Text, "the host's id of the call");

const TOOL_INPUT: Field = optional(
    "tool_input",
    Kind::Anything,
    "what it is called with: `command` of a shell, `file_path` of a tool that edits one file",
);

const AGENT: Field = optional("agent_id", Kind::Text, "the subagent that calls it");

const CWD: Field = optional("cwd", Kind::Text, "the folder relative paths are meant from; the root if not given");

pub(super) const TURN_OF_PROMPT: Field =
    optional("turn_id", Kind::Text, "the id of the prompt; the open turn if not given");

pub(super) const BEFORE_TOOL: &[Field] = &[SESSION, TOOL_NAME, TOOL_USE, TOOL_INPUT, AGENT, TURN_OF_PROMPT, CWD];

pub(super) const AFTER_TOOL: &[Field] = &[
    SESSION,
    TOOL_NAME,
    TOOL_USE,
    TOOL_INPUT,
    optional("tool_response", Kind::Anything, "what it answered; `originalFile` is what an edited file held before"),
    optional("duration_ms", Kind::Number { min: 0 }, "how long it ran"),
    optional("failed", Kind::Flag, "whether it failed"),
    AGENT,
    TURN_OF_PROMPT,
    CWD,
];

pub(super) const TOOL_USED: &[Field] = &[SESSION, TOOL_NAME, TOOL_USE, AGENT];

pub(super) const ONLY_SAID: Kind = Kind::Object(&[SAID]);

pub(super) const STANDS: &[Field] = &[
    nullable("checkpoint", Kind::Text, "the newest checkpoint of the workspace"),
    nullable("head", Kind::Text, "the version the session stands on"),
];

pub(super) const ENTRY: Kind = Kind::Object(&[
    needed("id", Kind::Text, "its id; one that is known adds nothing"),
    optional("parent", Kind::Text, "the entry it follows; the newest if not given"),
    optional("turn", Kind::Text, "the turn it belongs to (`t41`); the open one if not given"),
    needed("role", Kind::Text, "who speaks"),
    needed("kind", Kind::Words(&["prompt", "assistant", "tool", "injected", "compaction"]), "what it is"),
    optional("content", Kind::Text, "what it says, as text"),
    optional("content_base64", Kind::Bytes, "what it says, as any bytes, instead of `content`"),
]);

const VERB: Field = needed(
    "verb",
    Kind::Words(&["undo", "redo", "rewind", "revert", "restore", "switch"]),
    "what to do, as on the command line",
);

const COUNT: Field =
    optional("count", Kind::Number { min: 1 }, "undo: how many turns; redo: how many operations; 1 if not given");

const STEPS: Field = optional("steps", Kind::Number { min: 1 }, "undo: how many file-changing steps, instead of turns");

const TURN: Field = optional("turn", Kind::Text, "rewind: the first turn (`t41`)");

const TARGETS: Field = optional(
    "targets",
    Kind::List(&Kind::Text),
    "revert: turns, steps (`t41.2`), operations (`op57`), subagents, paths (`t41:src/a.rs`), hunks (`t41:src/a.rs#2`)",
);

const DEPENDENTS: Field =
    optional("with_dependents", Kind::Flag, "revert: take back later steps too that need what is taken back");

const CHECKPOINT: Field = optional("checkpoint", Kind::Text, "restore: a checkpoint by id or name");

const PATHS: Field =
    optional("paths", Kind::List(&Kind::Text), "restore: only these paths and what is below; all if not given");

const OUTSIDE: Field = optional("include_outside", Kind::Flag, "restore: take back edits from outside too");

const VERSION: Field = optional("version", Kind::Text, "switch: the version (`h7`)");

pub(super) const SCOPE: Field =
    optional("scope", Kind::Words(&["both", "files", "conversation"]), "which halves move; both if not given");

const ON_CONFLICT: Field = optional(
    "on_conflict",
    Kind::Words(&["stop", "keep", "take", "merge"]),
    "what to do at a path others have changed; as the settings say if not given",
);

const MEMORY: Field = optional(
    "memory",
    Kind::Words(&["cut", "inform"]),
    "what becomes of the model's memory: cut, or told what was taken back; as the settings say if not given",
);

const CONTROL: Field = optional("include_control", Kind::Flag, "treat agent settings and CI files like any other");

const CONTESTED: Field = optional(
    "include_contested",
    Kind::Flag,
    "take back what several may have changed, although it is not clear who did",
);

const BUSY: Field = optional("even_if_busy", Kind::Flag, "go on although a turn is running; nobody is asked to stop");

pub(super) const WAIT: Field = optional(
    "wait_ms",
    Kind::Number { min: 0 },
    "how long a running turn may take to come to rest; 15000 if not given",
);

pub(super) const AGREEMENT: Field =
    needed("agreement", Kind::Text, "names this preview, so that `apply` does exactly what it shows or nothing");

pub(super) const PREVIEW: &[Field] = &[
    SESSION,
    VERB,
    COUNT,
    STEPS,
    TURN,
    TARGETS,
    DEPENDENTS,
    CHECKPOINT,
    PATHS,
    OUTSIDE,
    VERSION,
    SCOPE,
    ON_CONFLICT,
    MEMORY,
    CONTROL,
    CONTESTED,
    BUSY,
];

pub(super) const APPLY: &[Field] = &[
    SESSION,
    VERB,
    COUNT,
    STEPS,
    TURN,
    TARGETS,
    DEPENDENTS,
    CHECKPOINT,
    PATHS,
    OUTSIDE,
    VERSION,
    SCOPE,
    ON_CONFLICT,
    MEMORY,
    CONTROL,
    CONTESTED,
    BUSY,
    optional("agreement", Kind::Text, "the preview that was agreed to; whatever it comes to now if not given"),
    WAIT,
];
