//! What a settings file held before it was set up, kept in a folder of ours, so that taking takeback out gives back the
//! very bytes, as long as nobody has changed the file since.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{SetupError, SetupFile, SetupRequest, read};

/// Remembers a change of a settings file: a file of ours that the same plan writes.
pub(crate) fn remember(request: &SetupRequest, change: &SetupFile) -> Result<Option<SetupFile>, SetupError> {
    let bytes = json!({ "path": change.path.to_string_lossy(), "before": change.before, "after": change.after });
    SetupFile::writing(&place(request, &change.path), bytes.to_string().into_bytes())
}

/// The bytes a settings file held before it was set up, if it still holds what the setup wrote. The inner none: the file
/// was not there.
pub(crate) fn before(request: &SetupRequest, path: &Path, now: Option<&[u8]>) -> Option<Option<Vec<u8>>> {
    let kept = read(&place(request, path)).ok().flatten()?;
    let kept: Value = serde_json::from_slice(&kept).ok()?;
    let bytes = |field: &str| -> Option<Vec<u8>> {
        kept[field].as_array()?.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect()
    };
    (kept["path"].as_str() == path.to_str() && bytes("after").as_deref() == now).then(|| bytes("before"))
}

/// Forgets it again.
pub(crate) fn forget(request: &SetupRequest, path: &Path) -> Result<Option<SetupFile>, SetupError> {
    SetupFile::removing(&place(request, path))
}

/// Names of settings files differ in their folders: the whole path, with its separators replaced, is the name.
fn place(request: &SetupRequest, path: &Path) -> PathBuf {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = path.to_string_lossy().chars().map(plain).collect();
    request.own_folder.join("kept").join(format!("{name}.json"))
}
