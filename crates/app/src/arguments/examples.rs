//! The examples at the end of each long help. Words only.

pub(super) const PROGRAM: &str = "\
Examples:
  takeback log                       what was done, and when
  takeback diff                      what the newest turn changed
  takeback undo                      take the newest turn back
  takeback redo                      bring it again
  takeback preview rewind t4         what `rewind t4` would do
  takeback run -- make format        run a command that can be taken back

Exit status:
  0 done   1 failed, nothing changed   2 wrong usage   3 nothing to do
  4 conflict, nothing changed   5 refused, nothing changed   6 done in part";

pub(super) const RUN: &str = "\
Examples:
  takeback run -- cargo fmt
  takeback run -- sh -c 'sed -i s/a/b/ *.txt && make'";

pub(super) const UNDO: &str = "\
Examples:
  takeback undo                      the newest turn
  takeback undo 3                    the newest three turns
  takeback undo --steps 1            only the newest step that changed a file
  takeback undo --on-conflict keep   leave what others have changed since";

pub(super) const REDO: &str = "\
Examples:
  takeback redo
  takeback redo 2";

pub(super) const REWIND: &str = "\
Examples:
  takeback rewind t4                 t4 and all that followed
  takeback rewind t4 --files         the files alone; the agent remembers";

pub(super) const REVERT: &str = "\
Examples:
  takeback revert t4                 a turn in the middle, alone
  takeback revert t4.2 t5:src/a.rs   one step, and one path of another turn
  takeback revert t5:src/a.rs#2      one hunk, as `takeback diff t5` numbers it
  takeback revert t4 --with-dependents   later steps that need it go along
  takeback revert op3                an operation of takeback itself";

pub(super) const RESTORE: &str = "\
Examples:
  takeback restore before-release
  takeback restore c128 src          one folder alone
  takeback restore c128 --include-outside";

pub(super) const PREVIEW: &str = "\
Examples:
  takeback preview undo 2
  takeback preview restore before-release --json";

pub(super) const LOG: &str = "\
Examples:
  takeback log -n 5
  takeback log --session s3 --json
  takeback log --blame src/a.rs      who changed each line last";

pub(super) const SHOW: &str = "\
Examples:
  takeback show t4                   the whole prompt, its steps and their files
  takeback show t4.2                 the whole command
  takeback show op3
  takeback show before-release";

pub(super) const DIFF: &str = "\
Examples:
  takeback diff                      the newest turn
  takeback diff t4.2
  takeback diff c128                 everything since a checkpoint
  takeback diff op3 | patch -p1 -R   outside of takeback, it is only a diff";

pub(super) const CHECKPOINT: &str = "\
Examples:
  takeback checkpoint before-release
  takeback restore before-release";

pub(super) const SWITCH: &str = "\
Examples:
  takeback versions
  takeback switch h3                 the conversation alone
  takeback switch h3 --files         the files go along";

pub(super) const FORK: &str = "\
Examples:
  takeback fork t4                   a version that goes on after t4
  takeback fork t4 --into other-id   a session of its own
  takeback fork t4 --session new-id  the same, from the session that was active last";

pub(super) const SETUP: &str = "\
Examples:
  takeback setup                                  which agents are there
  takeback setup claude-code --dry-run            what would change
  takeback setup codex --yes
  takeback setup opencode --remove";

pub(super) const PURGE: &str = "\
Examples:
  takeback purge .env
  takeback purge secrets/ --yes";

pub(super) const SERVE: &str = "\
Examples:
  takeback serve                                  started by the host that talks to it
  takeback serve --socket ~/.takeback/socket      for several clients
  takeback serve --schema                         what can be asked";

pub(super) const COMPLETIONS: &str = "\
Examples:
  takeback completions bash > ~/.local/share/bash-completion/completions/takeback
  takeback completions zsh > ~/.zfunc/_takeback
  takeback completions fish > ~/.config/fish/completions/takeback.fish";

pub(super) const MAN: &str = "\
Examples:
  takeback man | man -l -
  takeback man undo > takeback-undo.1";
