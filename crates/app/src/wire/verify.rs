//! `takeback.verify/1`: what a check of the store found.

use serde::Serialize;
use takeback::{Damage, DamageKind, VerifyReport};

use super::WirePath;

#[derive(Debug, Serialize)]
struct WireVerify {
    schema: &'static str,
    sound: bool,
    contents: u64,
    bytes: u64,
    damages: Vec<WireDamage>,
}

#[derive(Debug, Serialize)]
struct WireDamage {
    kind: &'static str,
    detail: Option<String>,
    content: Option<String>,
    pack: Option<u32>,
    paths: Vec<WirePath>,
}

/// The object of a check, as one line.
pub(crate) fn verify(report: &VerifyReport) -> String {
    super::line(&WireVerify {
        schema: "takeback.verify/1",
        sound: report.damages.is_empty(),
        contents: report.contents,
        bytes: report.bytes,
        damages: report.damages.iter().map(damage).collect(),
    })
}

fn damage(damage: &Damage) -> WireDamage {
    let (kind, detail) = match &damage.what {
        DamageKind::Database(detail) => ("database", Some(detail.clone())),
        DamageKind::Unplaced => ("unplaced", None),
        DamageKind::PackGone => ("pack-gone", None),
        DamageKind::NotItsBytes => ("not-its-bytes", None),
    };
    WireDamage {
        kind,
        detail,
        content: damage.hash.map(|hash| hash.to_string()),
        pack: damage.pack,
        paths: damage.paths.iter().map(|path| WirePath::new(path.as_bytes())).collect(),
    }
}
