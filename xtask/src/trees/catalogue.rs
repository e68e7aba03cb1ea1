//! Which trees, and what is done to them. Values only. Scripts run in the tree, with `$TOOLS` for what lies outside of
//! it and `$FOLDER` for one folder of it.

/// A source tree and what is done in this tree alone.
pub(crate) struct Tree {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Fetches it into the current folder, as a folder named `tree`.
    pub(crate) fetch: &'static str,
    /// A folder of it with many files.
    pub(crate) folder: &'static str,
    /// What is done only here.
    pub(crate) jobs: &'static [Job],
}

/// Something that people and agents do in a tree.
pub(crate) struct Job {
    /// What it is called.
    pub(crate) name: &'static str,
    /// How it is done.
    pub(crate) script: &'static str,
}

/// Real trees of three ecosystems.
pub(crate) const TREES: &[Tree] = &[
    Tree {
        name: "django",
        fetch: "pip download -q --no-binary :all: --no-deps 'django<6' && tar xzf django-*.tar.gz && mv django-*/ tree",
        folder: "django/contrib",
        jobs: &[
            Job { name: "compileall", script: "$TOOLS/venv/bin/python -m compileall -q django" },
            Job { name: "pip wheel .", script: "$TOOLS/venv/bin/pip wheel -q --no-deps -w wheels ." },
            Job { name: "black", script: "$TOOLS/venv/bin/black -q -l 40 django/forms django/utils || true" },
            Job {
                name: "pip install --target",
                script: "$TOOLS/venv/bin/pip install -q --target third_party requests",
            },
        ],
    },
    Tree {
        name: "date-fns",
        fetch: "npm pack --silent date-fns && tar xzf date-fns-*.tgz && mv package tree",
        folder: "locale",
        jobs: &[
            Job { name: "npm pack", script: "npm pack --silent --ignore-scripts" },
            Job {
                name: "prettier --write",
                script: "$TOOLS/node_modules/.bin/prettier --log-level silent --tab-width 8 --write 'locale/e*/**/*.js'",
            },
            Job { name: "npm install", script: "npm install --silent --no-audit --no-fund lodash" },
            Job {
                name: "npm install --prefix",
                script: "npm install --silent --no-audit --no-fund --prefix tool is-odd && mv tool/node_modules tool/held",
            },
        ],
    },
    Tree {
        name: "rust + vendor",
        fetch: "cargo init -q --vcs none --name tree tree && cd tree && cargo add -q regex toml clap serde_json rustix libc@0.2 --features rustix/all-apis && mkdir .cargo && cargo vendor -q > .cargo/config.toml",
        folder: "vendor/libc",
        jobs: &[
            Job { name: "cargo build", script: "cargo build -q --offline" },
            Job {
                name: "cargo build, covered",
                script: "cargo build -q --offline --target-dir made && rm -r made/CACHEDIR.TAG",
            },
            Job {
                name: "rustfmt",
                script: "find vendor/regex* vendor/toml* -name '*.rs' -print0 | xargs -0 rustfmt --edition 2024 --config max_width=60 2>/dev/null || true",
            },
            Job {
                name: "cargo remove, vendor",
                script: "cargo remove -q toml && cargo vendor -q > .cargo/config.toml",
            },
        ],
    },
];

/// What is done in every tree.
pub(crate) const COMMON: &[Job] = &[
    Job { name: "git init, add, commit", script: "git init -q && git add -A && git commit -qm first" },
    Job {
        name: "sed -i",
        script: "grep -rlZ --exclude-dir=.git --exclude-dir=node_modules --exclude-dir=target -e e . | xargs -0 sed -i 's/e/EE/'",
    },
    Job { name: "rm -rf", script: "rm -rf \"$FOLDER\"" },
    Job {
        name: "mass rename",
        script: "find \"$FOLDER\" -depth -type f | while IFS= read -r path; do mv \"$path\" \"$path.old\"; done && mv \"$FOLDER\" moved",
    },
    Job {
        name: "git checkout -b, mv, commit",
        script: "git checkout -qfB side && git mv \"$FOLDER\" elsewhere && git commit -qam moved",
    },
    Job {
        name: "git commit, stash, stash pop",
        script: "git add -A && git commit -qm again && find \"$FOLDER\" -type f -exec sed -i '$ a more' {} + && git stash -q && git stash pop -q",
    },
    Job { name: "git rm", script: "git rm -rqf \"$FOLDER\" && git commit -qm less" },
    Job {
        name: "modes, links, empty folders",
        script: "find \"$FOLDER\" -type f -exec chmod 755 {} + && mkdir -p empty/in/empty && ln -s \"$FOLDER\" link && ln -s nowhere dangling && find \"$FOLDER\" -type f | head -50 | xargs -I{} sh -c 'rm \"$1\" && mkdir \"$1\"' - {}",
    },
];
