//! Which content anything names: the ledger, the index, open journals, pins. All else is unreachable.

use std::collections::HashSet;

use model::{ContentHash, Seq};

use crate::rows::NamedContent;
use crate::{Reader, StoreError};

impl Reader<'_> {
    /// Hands out all content that is named with the path it is needed for; content may come many times.
    pub(super) fn for_named_content(&self, mut found: impl FnMut(NamedContent)) -> Result<(), StoreError> {
        self.for_content_of_ledger(Seq(0), &mut found)?;
        self.for_content_of_index(&mut found)?;
        self.for_content_of_journals(found)
    }

    /// All content that is named by anything but transitions up to this place.
    pub(super) fn named_after(&self, place: Seq) -> Result<HashSet<ContentHash>, StoreError> {
        let mut named: HashSet<ContentHash> = self.pinned_content()?.into_iter().collect();
        let mut add = |content: NamedContent| _ = named.insert(content.hash);
        self.for_content_of_ledger(place, &mut add)?;
        self.for_content_of_index(&mut add)?;
        self.for_content_of_journals(&mut add)?;
        Ok(named)
    }
}
