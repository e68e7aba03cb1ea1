//! The tables of every format. Each is described in `docs/formats/store.md`; the two change together, with the number.
//!
//! The database says which format it has in its header (`user_version`), so that a newer one is refused before
//! anything of it is touched.

/// The newest format this program reads and writes.
pub(crate) const FORMAT: u32 = 5;

/// What leads from each format to the next, beginning with the step from 1 to 2. A new store is made as format 1 and led
/// through all of them, so that there is one description of every table.
pub(crate) const UPGRADES: [&str; FORMAT as usize - 1] = [CONVERSATION, AGENTS, LENGTH, HANDS];

/// Format 2: the conversation.
const CONVERSATION: &str = "
CREATE TABLE talk_entry(
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    native TEXT NOT NULL,
    parent INTEGER,
    turn INTEGER,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload BLOB NOT NULL,
    keeps_from INTEGER
) STRICT;
CREATE UNIQUE INDEX talk_entry_native ON talk_entry(session, native);
CREATE TABLE talk_head(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    kind TEXT NOT NULL,
    tip INTEGER,
    parent INTEGER,
    boundary INTEGER,
    operation INTEGER,
    is_absorbed INTEGER NOT NULL,
    is_retired INTEGER NOT NULL DEFAULT 0,
    made_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX talk_head_session ON talk_head(session);
CREATE INDEX talk_head_operation ON talk_head(operation) WHERE operation IS NOT NULL;
ALTER TABLE operation ADD COLUMN brings BLOB;
CREATE TABLE talk_selected(
    session INTEGER PRIMARY KEY,
    head INTEGER NOT NULL
) STRICT;
";

/// Format 3: what agents keep of their conversations themselves, and what lasts of turns and sessions.
const AGENTS: &str = "
ALTER TABLE turn ADD COLUMN completed_ns INTEGER;
UPDATE turn SET completed_ns = coalesce(ended_ns, started_ns) WHERE status = 'completed';
ALTER TABLE session ADD COLUMN removed_ns INTEGER;
ALTER TABLE session ADD COLUMN process_pid INTEGER;
ALTER TABLE session ADD COLUMN process_started_ticks INTEGER;
CREATE TABLE native_talk(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    native TEXT NOT NULL,
    session INTEGER NOT NULL,
    transcript BLOB,
    version TEXT,
    head INTEGER,
    tip_prompt TEXT,
    read_bytes INTEGER NOT NULL,
    is_readable INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX native_talk_native ON native_talk(agent, native);
CREATE INDEX native_talk_session ON native_talk(session);
CREATE INDEX native_talk_head ON native_talk(head) WHERE head IS NOT NULL;
CREATE TABLE activation(
    operation INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    agent TEXT NOT NULL,
    lever BLOB NOT NULL,
    resume TEXT,
    state TEXT NOT NULL,
    trouble TEXT,
    made_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX activation_state ON activation(session, state);
CREATE TABLE note(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    operation INTEGER,
    text TEXT NOT NULL,
    made_ns INTEGER NOT NULL,
    told_ns INTEGER
) STRICT;
CREATE INDEX note_untold ON note(session) WHERE told_ns IS NULL;
";

/// Format 4: what is asked at every event is found without walking over everything that came before.
const LENGTH: &str = "
CREATE INDEX turn_open ON turn(session) WHERE status = 'open';
CREATE INDEX turn_completed ON turn(session, closed_at) WHERE status = 'completed';
CREATE INDEX turn_completed_once ON turn(session) WHERE completed_ns IS NOT NULL AND status <> 'completed';
CREATE INDEX event_head_moved ON event(at_ns) WHERE name = 'head-moved';
";

/// Format 5: several hands in one workspace.
const HANDS: &str = "
ALTER TABLE step ADD COLUMN reads BLOB;
CREATE INDEX step_started ON step(started_ns);
CREATE INDEX step_agent ON step(session, agent_id) WHERE agent_id IS NOT NULL;
ALTER TABLE subagent ADD COLUMN dispatch_turn INTEGER;
ALTER TABLE subagent ADD COLUMN dispatch_number INTEGER;
";

/// Marks the database as ours (`application_id`): "tkbk".
pub(crate) const APPLICATION: u32 = 0x746b_626b;

/// Format 1: makes its tables in an empty database.
pub(crate) const TABLES: &str = "
CREATE TABLE workspace(
    only INTEGER PRIMARY KEY CHECK (only = 1),
    root BLOB NOT NULL,
    made_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE session(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    native TEXT NOT NULL,
    parent INTEGER,
    forked_at INTEGER,
    cwd BLOB NOT NULL,
    started_ns INTEGER NOT NULL,
    active_ns INTEGER NOT NULL,
    ended_ns INTEGER
) STRICT;
CREATE TABLE session_native(
    agent TEXT NOT NULL,
    native TEXT NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (agent, native)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    prompt_id TEXT,
    prompt TEXT,
    status TEXT NOT NULL,
    coverage TEXT NOT NULL,
    started_ns INTEGER NOT NULL,
    ended_ns INTEGER,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER,
    steps_made INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX turn_session ON turn(session);
CREATE INDEX turn_prompt ON turn(session, prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TABLE step(
    turn INTEGER NOT NULL,
    number INTEGER NOT NULL,
    session INTEGER NOT NULL,
    agent_id TEXT,
    tool TEXT NOT NULL,
    use_id TEXT,
    summary TEXT NOT NULL,
    command TEXT,
    started_ns INTEGER NOT NULL,
    ended_ns INTEGER,
    exit TEXT NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_use ON step(session, use_id) WHERE use_id IS NOT NULL;

CREATE TABLE step_window(
    turn INTEGER NOT NULL,
    number INTEGER NOT NULL,
    session INTEGER NOT NULL,
    agent_id TEXT,
    state TEXT NOT NULL,
    claims BLOB NOT NULL,
    spawns TEXT NOT NULL,
    asked_permission INTEGER NOT NULL,
    opened_ns INTEGER NOT NULL,
    PRIMARY KEY (turn, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_window_open ON step_window(turn, number) WHERE state <> 'closed';

CREATE TABLE subagent(
    session INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    parent_agent TEXT,
    turn INTEGER NOT NULL,
    started_ns INTEGER NOT NULL,
    stopped_ns INTEGER,
    PRIMARY KEY (session, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ns INTEGER NOT NULL,
    event TEXT NOT NULL,
    session INTEGER,
    turn INTEGER,
    step_turn INTEGER,
    step_number INTEGER,
    last_seq INTEGER NOT NULL,
    name TEXT
) STRICT;
CREATE UNIQUE INDEX checkpoint_name ON checkpoint(name) WHERE name IS NOT NULL;

CREATE TABLE path(
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE
) STRICT;

CREATE TABLE transition(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    checkpoint INTEGER NOT NULL,
    path INTEGER NOT NULL,
    before BLOB NOT NULL,
    after BLOB NOT NULL,
    moved TEXT,
    moved_path INTEGER,
    cause TEXT NOT NULL,
    turn INTEGER,
    step INTEGER,
    operation INTEGER,
    candidates BLOB,
    evidence TEXT NOT NULL
) STRICT;
CREATE INDEX transition_path ON transition(path);
CREATE INDEX transition_step ON transition(turn, step) WHERE turn IS NOT NULL;
CREATE INDEX transition_operation ON transition(operation) WHERE operation IS NOT NULL;

CREATE TABLE candidate(
    turn INTEGER NOT NULL,
    step INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (turn, step, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE reversal(
    taken INTEGER NOT NULL,
    by INTEGER NOT NULL,
    PRIMARY KEY (taken, by)
) STRICT, WITHOUT ROWID;
CREATE INDEX reversal_by ON reversal(by);

CREATE TABLE operation(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER,
    verb TEXT NOT NULL,
    scope TEXT NOT NULL,
    state TEXT NOT NULL,
    turns BLOB NOT NULL,
    rescue INTEGER NOT NULL,
    closing INTEGER,
    started_ns INTEGER NOT NULL,
    ended_ns INTEGER,
    redone_by INTEGER,
    redoes BLOB NOT NULL,
    report TEXT NOT NULL
) STRICT;
CREATE INDEX operation_session ON operation(session);
CREATE INDEX operation_open ON operation(id) WHERE state IN ('open', 'stuck');

CREATE TABLE journal(
    operation INTEGER NOT NULL,
    place INTEGER NOT NULL,
    path BLOB NOT NULL,
    act BLOB NOT NULL,
    PRIMARY KEY (operation, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE gap(
    id INTEGER PRIMARY KEY,
    turn INTEGER,
    step_turn INTEGER,
    step_number INTEGER,
    checkpoint INTEGER NOT NULL,
    path BLOB NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX gap_turn ON gap(turn) WHERE turn IS NOT NULL;
CREATE INDEX gap_checkpoint ON gap(checkpoint);

CREATE TABLE event(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ns INTEGER NOT NULL,
    session INTEGER,
    name TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE setting(
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE repository(
    path BLOB PRIMARY KEY,
    head TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE folder(
    path BLOB PRIMARY KEY,
    records BLOB NOT NULL,
    version INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_version ON folder(version);

CREATE TABLE content(
    hash BLOB PRIMARY KEY,
    pack INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pin(
    hash BLOB NOT NULL,
    holder TEXT NOT NULL,
    PRIMARY KEY (hash, holder)
) STRICT, WITHOUT ROWID;

CREATE TABLE purged(
    hash BLOB PRIMARY KEY,
    at_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";
