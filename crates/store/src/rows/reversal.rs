//! Which transitions take which others back. A reversal may be taken back itself; whether a transition stands is for
//! others to judge.

use std::collections::BTreeSet;

use model::Seq;
use rusqlite::params;

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// All pairs `(by, taken)` that bear on whether these transitions stand: who takes them back, who takes those back,
    /// and so on to the end. Sorted, each once.
    pub fn reversals_upon(&self, places: &[Seq]) -> Result<Vec<(Seq, Seq)>, StoreError> {
        let mut pairs = BTreeSet::new();
        let mut seen: BTreeSet<Seq> = places.iter().copied().collect();
        let mut open: Vec<Seq> = seen.iter().copied().collect();
        while let Some(taken) = open.pop() {
            for by in self.reversed_by(taken)? {
                pairs.insert((by, taken));
                if seen.insert(by) {
                    open.push(by);
                }
            }
        }
        Ok(pairs.into_iter().collect())
    }

    /// The transitions that take this one back, in order.
    pub fn reversed_by(&self, taken: Seq) -> Result<Vec<Seq>, StoreError> {
        self.all("SELECT by FROM reversal WHERE taken = ?1 ORDER BY by", params![put(&taken)], |row| take(row, 0))
    }

    /// The transitions that this one takes back, in order.
    pub fn taken_back_by(&self, by: Seq) -> Result<Vec<Seq>, StoreError> {
        self.all("SELECT taken FROM reversal WHERE by = ?1 ORDER BY taken", params![put(&by)], |row| take(row, 0))
    }
}

impl Writer<'_> {
    /// Notes that one transition takes another back. Noting it twice is noting it once.
    pub fn add_reversal(&mut self, by: Seq, taken: Seq) -> Result<(), StoreError> {
        self.run("INSERT OR IGNORE INTO reversal(by, taken) VALUES (?1, ?2)", params![put(&by), put(&taken)])
    }
}
