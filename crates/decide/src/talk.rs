//! The projections of a conversation. The transcript is the whole chain from the first entry to the tip; the context is
//! what the model gets: the newest compaction stands for everything before it, except what it keeps.
//!
//! A compaction replaces nothing in the chain itself. That is why a place before it can be returned to and gives the
//! context that was there.

use std::borrow::Cow;

use model::MessageKind;

/// What a projection needs to know of an entry.
pub trait Entry: Clone {
    /// What tells it from all others of the conversation.
    type Id: PartialEq;

    /// Its own.
    fn id(&self) -> Self::Id;

    /// What it is.
    fn kind(&self) -> MessageKind;

    /// For a compaction: the first entry before it that stays in the context.
    fn keeps_from(&self) -> Option<Self::Id>;
}

/// The context of a chain, in its order. `chain` goes from the first entry to the tip.
///
/// Without a compaction the chain itself comes back, not a copy. A compaction that keeps from an entry which is not
/// before it keeps nothing.
pub fn context<E: Entry>(chain: &[E]) -> Cow<'_, [E]> {
    let Some(at) = chain.iter().rposition(|entry| entry.kind() == MessageKind::Compaction) else {
        return Cow::Borrowed(chain);
    };
    let kept = chain[at].keeps_from().and_then(|first| chain[..at].iter().position(|entry| entry.id() == first));
    match kept {
        None => Cow::Borrowed(&chain[at..]),
        Some(first) => {
            let tail = chain[first..at].iter().filter(|entry| entry.kind() != MessageKind::Compaction);
            Cow::Owned(chain[at..=at].iter().chain(tail).chain(&chain[at + 1..]).cloned().collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Said(u32, MessageKind, Option<u32>);

    impl Entry for Said {
        type Id = u32;

        fn id(&self) -> u32 {
            self.0
        }

        fn kind(&self) -> MessageKind {
            self.1
        }

        fn keeps_from(&self) -> Option<u32> {
            self.2
        }
    }

    fn said(id: u32) -> Said {
        Said(id, MessageKind::Prompt, None)
    }

    fn compaction(id: u32, keeps_from: Option<u32>) -> Said {
        Said(id, MessageKind::Compaction, keeps_from)
    }

    fn ids(chain: &[Said]) -> Vec<u32> {
        context(chain).iter().map(|entry| entry.0).collect()
    }

    #[test]
    fn without_a_compaction_the_same_data_comes_back() {
        let chain = [said(1), said(2)];
        assert!(matches!(context(&chain), Cow::Borrowed(same) if std::ptr::eq(same, &chain[..])));
        assert!(context::<Said>(&[]).is_empty());
    }

    #[test]
    fn a_compaction_stands_for_all_before_it() {
        assert_eq!(ids(&[said(1), said(2), compaction(3, None), said(4)]), [3, 4]);
        assert_eq!(ids(&[said(1), compaction(2, None), said(3), compaction(4, None)]), [4]);
    }

    #[test]
    fn a_compaction_may_keep_the_end_of_what_it_stands_for() {
        assert_eq!(ids(&[said(1), said(2), said(3), compaction(4, Some(3)), said(5)]), [4, 3, 5]);
        assert_eq!(ids(&[said(1), compaction(2, Some(1)), said(3), compaction(4, Some(1))]), [4, 1, 3]);
        assert_eq!(ids(&[said(1), compaction(2, Some(9)), said(3)]), [2, 3]);
    }
}
