//! The limits on everything, in one place. Units are in the names.

/// The greatest file that is stored, unless the user says otherwise.
pub const FILE_SIZE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A workspace with more entries than this starts in touched-paths mode unless confirmed.
pub const WORKSPACE_ENTRIES_MAX: u64 = 200_000;

/// How long a process waits for the write lock before it gives up with a message.
pub const LOCK_WAIT_MS_MAX: u64 = 8_000;

/// How long after its last change a file's time stamp may still hide another change.
pub const RACY_WINDOW_NS: i64 = 60_000_000;

/// The same on file systems whose time stamps are whole seconds.
pub const RACY_WINDOW_COARSE_NS: i64 = 2_100_000_000;

/// A text of more bytes than this is not merged by lines.
pub const MERGE_SIZE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// An event of more bytes than this is refused unread.
pub const EVENT_SIZE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How deep folders are followed.
pub const FOLDER_DEPTH_MAX: usize = 512;

/// A plan that is older than this is made again before it is applied.
pub const PLAN_AGE_S_MAX: u64 = 600;

/// More folders than this are not watched: others of the same user watch folders too, and share the system's limit.
pub const WATCHED_FOLDERS_MAX: usize = 60_000;

/// So many workspaces are watched at the same time; the one that was not asked about for longest makes room.
pub const WATCHED_WORKSPACES_MAX: usize = 8;

/// When more folders than this may have changed, everything may have.
pub const DIRTY_FOLDERS_MAX: usize = 4_096;

/// A message to or from the watcher of more bytes than this is refused unread.
pub const WATCHER_MESSAGE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How long an answer of the watcher is waited for before everything is scanned instead.
pub const WATCHER_ANSWER_MS_MAX: u64 = 25;

/// How long the watcher goes on when nobody asks.
pub const WATCHER_IDLE_S_MAX: u64 = 30 * 60;
