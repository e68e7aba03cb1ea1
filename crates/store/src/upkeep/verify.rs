//! Checking everything: the database by its own means, and every content by its hash.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;

use model::{ContentHash, Keeper as _, WorkspacePath};
use rusqlite::params;

use crate::columns::take;
use crate::contents::place;
use crate::packs::{PackReader, Place, ReadError};
use crate::{Reader, Store, StoreError};

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyReport {
    /// How much content was read.
    pub contents: u64,
    /// How many bytes that were.
    pub bytes: u64,
    /// What is wrong, sorted; empty if all is well.
    pub damages: Vec<Damage>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// What is wrong with it.
    pub what: DamageKind,
    /// The content, if it is about content.
    pub hash: Option<ContentHash>,
    /// The number of the pack it should be in.
    pub pack: Option<u32>,
    /// Every path that held this content at some time and cannot be brought back to that time, sorted.
    pub paths: Vec<WorkspacePath>,
}

/// How a thing can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DamageKind {
    /// The database contradicts itself; what SQLite says of it.
    Database(String),
    /// Content is named and the store does not say where it is.
    Unplaced,
    /// The pack that should have it is not there.
    PackGone,
    /// What lies in its place are not its bytes.
    NotItsBytes,
}

/// How far a check got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// How much content was read.
    pub contents: u64,
    /// How much there is to read.
    pub of: u64,
}

/// How many complaints of SQLite are listed.
const COMPLAINTS_MAX: u32 = 20;

impl Store {
    /// Reads everything that is stored and says what is damaged. Changes nothing and waits for nobody.
    ///
    /// Content that was purged is not damaged. Cost: reads all packs.
    pub fn verify(&self, progress: &mut dyn FnMut(Verified)) -> Result<VerifyReport, StoreError> {
        let mut report = VerifyReport { contents: 0, bytes: 0, damages: Vec::new() };
        match self.check_all(&mut report, progress) {
            // A database that cannot be read to its end is itself the finding.
            Err(StoreError::Damaged { what }) => report.damages.push(Damage::of_database(what)),
            checked => checked?,
        }
        report.damages.sort();
        report.damages.dedup();
        Ok(report)
    }

    fn check_all(&self, report: &mut VerifyReport, progress: &mut dyn FnMut(Verified)) -> Result<(), StoreError> {
        let reader = self.read()?;
        report.damages.extend(reader.complaints()?.into_iter().map(Damage::of_database));
        let placed = reader.placed_content()?;
        let mut wrong = self.check_packs(&placed, report, progress);
        for hash in reader.unplaced_content(&placed)? {
            wrong.insert(hash, (DamageKind::Unplaced, None));
        }
        let mut paths = reader.paths_that_need(&wrong.keys().copied().collect())?;
        report.damages.extend(wrong.into_iter().map(|(hash, (what, pack))| Damage {
            what,
            hash: Some(hash),
            pack,
            paths: paths.remove(&hash).unwrap_or_default().into_iter().collect(),
        }));
        Ok(())
    }

    fn check_packs(
        &self,
        placed: &[(ContentHash, Place)],
        report: &mut VerifyReport,
        progress: &mut dyn FnMut(Verified),
    ) -> BTreeMap<ContentHash, (DamageKind, Option<u32>)> {
        let mut wrong = BTreeMap::new();
        for in_one_pack in placed.chunk_by(|a, b| a.1.pack == b.1.pack) {
            let pack = PackReader::open(&self.shared().layout, in_one_pack[0].1.pack);
            for (hash, place) in in_one_pack {
                if let Some(what) = self.damage_of(&pack, hash, place) {
                    wrong.insert(*hash, (what, Some(place.pack)));
                }
                report.contents += 1;
                report.bytes += place.size_bytes;
                progress(Verified { contents: report.contents, of: placed.len() as u64 });
            }
        }
        wrong
    }

    /// What is wrong with content, if anything. What a clean-up moved since the check began is looked for again.
    fn damage_of(&self, pack: &Result<PackReader, ReadError>, hash: &ContentHash, place: &Place) -> Option<DamageKind> {
        let what = match pack {
            Err(ReadError::Gone) => DamageKind::PackGone,
            Err(ReadError::Damaged | ReadError::Sink(_)) => DamageKind::NotItsBytes,
            Ok(pack) => match pack.copy(hash, place, &mut io::sink()) {
                Ok(()) => return None,
                Err(_) => DamageKind::NotItsBytes,
            },
        };
        (!self.contents().holds(hash)).then_some(what)
    }
}

impl Damage {
    fn of_database(what: String) -> Self {
        Damage { what: DamageKind::Database(what), hash: None, pack: None, paths: Vec::new() }
    }
}

impl Reader<'_> {
    fn complaints(&self) -> Result<Vec<String>, StoreError> {
        let sql = format!("PRAGMA integrity_check({COMPLAINTS_MAX})");
        let mut complaints = self.all(&sql, params![], |row| take::<String>(row, 0))?;
        complaints.retain(|complaint| complaint != "ok");
        Ok(complaints)
    }

    /// All content in the order in which it lies in the packs.
    fn placed_content(&self) -> Result<Vec<(ContentHash, Place)>, StoreError> {
        let sql = "SELECT hash, pack, offset_bytes, stored_bytes, size_bytes FROM content";
        let mut placed = self.all(sql, params![], |row| Ok((take(row, 0)?, place(row, 1)?)))?;
        placed.sort_by_key(|(_, place): &(ContentHash, Place)| *place);
        Ok(placed)
    }

    /// All content that is named and that the store does not place, without what was purged.
    fn unplaced_content(&self, placed: &[(ContentHash, Place)]) -> Result<BTreeSet<ContentHash>, StoreError> {
        let mut known: HashSet<ContentHash> = placed.iter().map(|(hash, _)| *hash).collect();
        known.extend(self.all("SELECT hash FROM purged", params![], |row| take::<ContentHash>(row, 0))?);
        let mut unplaced: BTreeSet<ContentHash> = self.pinned_content()?.into_iter().collect();
        unplaced.retain(|hash| !known.contains(hash));
        self.for_named_content(|content| {
            if !known.contains(&content.hash) {
                unplaced.insert(content.hash);
            }
        })?;
        Ok(unplaced)
    }

    fn paths_that_need(
        &self,
        hashes: &HashSet<ContentHash>,
    ) -> Result<HashMap<ContentHash, BTreeSet<WorkspacePath>>, StoreError> {
        let mut paths: HashMap<ContentHash, BTreeSet<WorkspacePath>> = HashMap::new();
        if !hashes.is_empty() {
            self.for_named_content(|content| {
                if hashes.contains(&content.hash) {
                    paths.entry(content.hash).or_default().insert(content.path);
                }
            })?;
        }
        Ok(paths)
    }
}
