//! The walls as data: which room may know which, what each may bring in from elsewhere, and who may touch the machine.
//! A change here is a change of architecture; it belongs in a decision record.

/// One room: a package, and all it may depend on.
pub(super) struct Room {
    /// Its package.
    pub(super) package: &'static str,
    /// The packages of this workspace it may use.
    pub(super) rooms: &'static [&'static str],
    /// The packages from elsewhere it may use.
    pub(super) foreign: &'static [&'static str],
    /// What its tests may use besides.
    pub(super) tests: &'static [&'static str],
}

/// Every package of the workspace. One that is not here fails.
pub(super) const ROOMS: &[Room] = &[
    Room { package: "takeback-model", rooms: &[], foreign: &[], tests: &["proptest"] },
    Room { package: "takeback-decide", rooms: &["takeback-model"], foreign: &[], tests: TEST_TOOLS },
    Room {
        package: "takeback-disk",
        rooms: &["takeback-model"],
        foreign: &["libc", "rustix", "thiserror"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-store",
        rooms: &["takeback-model", "takeback-disk"],
        foreign: &["blake3", "rusqlite", "serde_json", "thiserror", "zstd"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-worktree",
        rooms: &["takeback-model", "takeback-disk"],
        foreign: &["blake3", "globset", "ignore", "thiserror"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-watch",
        rooms: &["takeback-model", "takeback-disk"],
        foreign: &["thiserror"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-agents",
        rooms: &["takeback-model", "takeback-disk"],
        foreign: &["jsonc-parser", "rusqlite", "serde_json", "thiserror", "tungstenite"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback",
        rooms: &[
            "takeback-model",
            "takeback-decide",
            "takeback-disk",
            "takeback-store",
            "takeback-worktree",
            "takeback-watch",
            "takeback-agents",
        ],
        foreign: &["blake3", "serde", "serde_json", "thiserror", "toml"],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-app",
        rooms: &["takeback", "takeback-model", "takeback-agents"],
        foreign: &[
            "base64",
            "clap",
            "clap_complete",
            "clap_mangen",
            "indicatif",
            "jiff",
            "serde",
            "serde_json",
            "thiserror",
        ],
        tests: TEST_TOOLS,
    },
    Room {
        package: "takeback-example-chat",
        rooms: &["takeback", "takeback-model"],
        foreign: &["serde", "serde_json"],
        tests: TEST_TOOLS,
    },
    Room { package: "takeback-testkit", rooms: &["takeback-model"], foreign: &["serde_json", "tempfile"], tests: &[] },
    Room { package: "takeback-clients", rooms: &[], foreign: &[], tests: TEST_TOOLS },
    Room { package: "xtask", rooms: &[], foreign: &["serde_json", "toml"], tests: &[] },
    Room {
        package: "bench",
        rooms: &["takeback", "takeback-model", "takeback-store"],
        foreign: &["serde_json", "tempfile"],
        tests: &[],
    },
];

/// What the tests of any room may use.
const TEST_TOOLS: &[&str] = &["takeback-testkit", "blake3", "proptest", "rustix", "serde_json", "tempfile"];

/// A part of the standard library that reaches the machine.
pub(super) struct Ban {
    /// Its path.
    pub(super) path: &'static str,
    /// Where it may be used: beginnings of paths of files.
    pub(super) allowed: &'static [&'static str],
    /// What to use instead.
    pub(super) instead: &'static str,
}

const DISK: &str = "crates/disk/src/";
const FACES: &str = "crates/app/src/";
const MAIN: &str = "crates/app/src/main.rs";
const ENVIRONMENT: &str = "crates/app/src/environment.rs";

/// What only some may touch. Tests and tools may do as they like.
pub(super) const BANS: &[Ban] = &[
    Ban { path: "std::fs", allowed: &[DISK], instead: "go through a `disk::Dir` or the state files of `disk`" },
    Ban { path: "std::os::unix::fs", allowed: &[DISK], instead: "go through a `disk::Dir`" },
    Ban { path: "std::process::Command", allowed: &[DISK], instead: "child processes are started by `disk`" },
    Ban {
        path: "std::process::exit",
        allowed: &[],
        instead: "return an `ExitCode` from `main`, so that locks are let go",
    },
    Ban { path: "std::time::SystemTime", allowed: &[DISK], instead: "the time comes from `disk`" },
    Ban {
        path: "std::env",
        allowed: &[DISK, MAIN, ENVIRONMENT],
        instead: "the environment is read in one place, and values are passed on",
    },
    Ban { path: "std::thread::sleep", allowed: &[DISK], instead: "waiting, with its bound, is the work of `disk`" },
    Ban { path: "std::io::stdin", allowed: &[FACES], instead: "only a face reads from the terminal" },
    Ban { path: "std::io::stdout", allowed: &[FACES], instead: "only a face writes to the terminal" },
    Ban { path: "std::io::stderr", allowed: &[FACES], instead: "only a face writes to the terminal" },
    Ban { path: "std::net", allowed: &[FACES], instead: "only a face opens a socket" },
];

/// Calls on a path that ask the file system behind everybody's back. Allowed where `std::fs` is.
pub(super) const PATH_CALLS: &[&str] =
    &[".canonicalize()", ".exists()", ".try_exists()", ".symlink_metadata()", ".read_dir()"];

/// The room that may use `unsafe`, `std::fs` and the calls above.
pub(super) const DOOR: &str = DISK;

/// How many packages from elsewhere may go into a build.
pub(super) const FOREIGN_PACKAGES_MAX: usize = 200;

/// Licences that oblige us to nothing but naming them, and, last, one that stays within its own files.
pub(super) const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
    "MPL-2.0",
];
