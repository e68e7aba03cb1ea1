//! [`Workspace`]: one root with its store, opened. Opening it repairs what an interrupted operation left.

use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::{FairLock, LockError, LockGuard};
use model::limits;
use store::Store;
use worktree::{Root, Rules};

use crate::error::{RecordError, WorkspaceError};
use crate::home::Home;
use crate::settings::{Author, Settings};
use crate::{Environment, recover};

/// One workspace: a root folder and what is known of it.
///
/// The state lies outside of the root. Several processes may hold the same workspace at the same time; nothing is held
/// in memory that another process could make wrong.
pub struct Workspace {
    pub(crate) root: Root,
    pub(crate) store: Store,
    pub(crate) folder: PathBuf,
    pub(crate) environment: Environment,
}

/// How much of a workspace is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageMode {
    /// All of it.
    Whole,
    /// Only paths that a tool has named: the root is a home, a temp root, `/`, or very large.
    TouchedPaths,
}

/// The settings of the store by name.
mod key {
    pub(super) const SETTINGS: &str = "settings";
    pub(super) const MODE: &str = "coverage-mode";
    pub(super) const FIRST_CAPTURE: &str = "first-capture";
}

impl Workspace {
    /// Opens the workspace of a root, making it if it is new, and takes back what an interrupted operation left.
    pub(crate) fn open(home: &Home, environment: &Environment, root: &Path) -> Result<Self, WorkspaceError> {
        let root = Root::open(root)?;
        home.prepare().map_err(WorkspaceError::State)?;
        let folder = home.workspace_folder(root.path());
        let store = Store::open(&folder, std::os::unix::ffi::OsStrExt::as_bytes(root.path().as_os_str()))?;
        home.note_root(root.path()).map_err(WorkspaceError::State)?;
        let workspace = Self { root, store, folder, environment: environment.clone() };
        recover::recover(&workspace)?;
        Ok(workspace)
    }

    /// The absolute path of the root.
    pub fn root_path(&self) -> &Path {
        self.root.path()
    }

    /// The folder of the store.
    pub fn state_path(&self) -> &Path {
        &self.folder
    }

    /// The path below the root of a path as typed; none if it leads out. Links on the way to its folder are followed, the
    /// last name is taken as it is.
    pub fn path_of(&self, typed: &Path) -> Option<PathBuf> {
        let real = match (typed.parent(), typed.file_name()) {
            (Some(parent), Some(name)) => disk::state::canonical(parent).map(|parent| parent.join(name)),
            _ => disk::state::canonical(typed),
        };
        let path = real.unwrap_or_else(|_| typed.to_owned());
        path.strip_prefix(self.root_path()).ok().map(Path::to_owned)
    }

    /// How much of it is watched.
    pub fn coverage_mode(&self) -> Result<CoverageMode, RecordError> {
        let mode = self.store.read()?.setting(key::MODE)?;
        Ok(if mode.as_deref() == Some(b"touched") { CoverageMode::TouchedPaths } else { CoverageMode::Whole })
    }

    /// The settings in force since the newest session start.
    pub fn settings(&self) -> Result<Settings, RecordError> {
        let stored = self.store.read()?.setting(key::SETTINGS)?;
        Ok(stored.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_else(|| self.read_settings().0))
    }

    /// Reads both settings files anew. Returns what is wrong in them as sentences.
    pub(crate) fn read_settings(&self) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let mut wrong = Vec::new();
        if let Some(folder) = &self.environment.config_folder
            && let Ok(Some(bytes)) = disk::state::read(&folder.join("takeback.toml"))
        {
            wrong.extend(settings.add(&String::from_utf8_lossy(&bytes), Author::User));
        }
        if let Some(text) = self.own_settings_text() {
            wrong.extend(settings.add(&text, Author::Workspace));
        }
        (settings, wrong)
    }

    /// The text of the workspace's own settings file; a link or an unreadable file is no settings file.
    fn own_settings_text(&self) -> Option<String> {
        let mut file = self.root.dir().open_file(b"takeback.toml").ok()?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn store_settings(&self, settings: &Settings) -> Result<(), RecordError> {
        let bytes = serde_json::to_vec(settings).unwrap_or_default();
        self.put_setting(key::SETTINGS, &bytes)
    }

    pub(crate) fn set_coverage_mode(&self, mode: CoverageMode) -> Result<(), RecordError> {
        let word: &[u8] = if mode == CoverageMode::TouchedPaths { b"touched" } else { b"whole" };
        self.put_setting(key::MODE, word)
    }

    pub(crate) fn has_first_capture(&self) -> Result<bool, RecordError> {
        Ok(self.store.read()?.setting(key::FIRST_CAPTURE)?.is_some())
    }

    pub(crate) fn mark_first_capture(&self) -> Result<(), RecordError> {
        self.put_setting(key::FIRST_CAPTURE, b"done")
    }

    /// The rules of coverage that follow from the settings.
    pub(crate) fn rules(&self) -> Result<Rules, RecordError> {
        let settings = self.settings()?;
        Ok(Rules {
            protect: settings.protect,
            include: settings.include,
            file_size_bytes_max: settings.file_size_bytes_max,
        })
    }

    /// The right to write into the workspace, or a message that says who has it.
    pub(crate) fn lock_for_operation(&self, wait: Duration) -> Result<LockGuard, LockError> {
        FairLock::acquire(&self.folder.join("operation.lock"), wait)
    }

    /// The right to make the first capture.
    pub(crate) fn lock_for_first_capture(&self, wait: Duration) -> Result<LockGuard, LockError> {
        FairLock::acquire(&self.folder.join("capture.lock"), wait)
    }

    /// How long to wait for another process.
    pub(crate) fn patience() -> Duration {
        Duration::from_millis(limits::LOCK_WAIT_MS_MAX)
    }

    fn put_setting(&self, key: &str, value: &[u8]) -> Result<(), RecordError> {
        let mut writer = self.store.write("settings", store::Durability::Normal)?;
        writer.put_setting(key, Some(value))?;
        Ok(writer.commit()?)
    }
}
