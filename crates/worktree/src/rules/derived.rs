//! Derived folders: dependencies, build output and caches, told by their name or by a marker inside. Reads nothing but
//! the beginning of a marker file.

use std::io::Read;

use disk::Dir;

/// What a folder's name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generated {
    /// Tools make folders of this name, and nobody else does.
    Always,
    /// Tools and people use this name: derived only if git ignores it.
    WhenIgnored,
    /// Nothing.
    Unknown,
}

/// Names that only tools give.
const ALWAYS: [&str; 31] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    ".pnpm-store",
    ".npm",
    "__pycache__",
    "__pypackages__",
    ".venv",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".eggs",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".angular",
    ".turbo",
    ".parcel-cache",
    ".sass-cache",
    ".nyc_output",
    ".terraform",
    ".terragrunt-cache",
    ".dart_tool",
    ".stack-work",
    ".zig-cache",
    "zig-cache",
    "elm-stuff",
];

/// Names that tools and people give.
const WHEN_IGNORED: [&str; 34] = [
    "target",
    "build",
    "dist",
    "out",
    "bin",
    "obj",
    "coverage",
    "vendor",
    "deps",
    "_build",
    ".build",
    ".cache",
    ".output",
    ".vite",
    ".astro",
    ".docusaurus",
    ".vercel",
    ".serverless",
    ".expo",
    ".bloop",
    ".metals",
    ".direnv",
    ".cxx",
    "dist-newstyle",
    "venv",
    "virtualenv",
    "htmlcov",
    "wheels",
    "zig-out",
    "Pods",
    "DerivedData",
    "CMakeFiles",
    "cmake-build-debug",
    "cmake-build-release",
];

/// What the standard for cache folders wants at the beginning of `CACHEDIR.TAG`.
const CACHE_TAG: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// What the name of a folder tells about where its content comes from.
pub(crate) fn by_name(name: &[u8]) -> Generated {
    if ALWAYS.iter().any(|known| known.as_bytes() == name) {
        Generated::Always
    } else if WHEN_IGNORED.iter().any(|known| known.as_bytes() == name) {
        Generated::WhenIgnored
    } else {
        Generated::Unknown
    }
}

/// The names of folders that are derived whatever is in them.
pub fn names() -> &'static [&'static str] {
    &ALWAYS
}

/// Whether the folder says of itself that it is a cache or a Python environment. `holds` tells whether it holds a name.
///
/// Cost: one small read if there is a `CACHEDIR.TAG`; a tag that cannot be read is no tag.
pub(crate) fn is_generated(dir: &Dir, holds: impl Fn(&[u8]) -> bool) -> bool {
    holds(b"pyvenv.cfg") || (holds(b"CACHEDIR.TAG") && has_cache_tag(dir))
}

fn has_cache_tag(dir: &Dir) -> bool {
    let mut beginning = [0; CACHE_TAG.len()];
    let read = dir.open_file(b"CACHEDIR.TAG").map(|mut file| file.read_exact(&mut beginning).is_ok());
    read.unwrap_or(false) && beginning == *CACHE_TAG
}
