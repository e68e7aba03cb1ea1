//! The name of file content, and the two narrow doors through which other rooms get at content: reading it for a
//! decision ([`Contents`]) and making sure that it is kept before it goes ([`Keeper`]).

use std::fmt;

/// The BLAKE3 hash of a file's bytes: its name in the store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The first eight digits are enough to tell hashes apart in a failed test.
impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a decision may ask about content; the judgement itself never opens anything.
pub trait Contents {
    /// The bytes named by `hash`; none if they are missing, damaged or too large to be merged as text.
    fn read(&self, hash: &ContentHash) -> Option<Vec<u8>>;

    /// The name these bytes would have. Stores nothing.
    fn name(&self, bytes: &[u8]) -> ContentHash;
}

/// Says whether the store holds content, asked by the hand that is about to overwrite or remove it.
pub trait Keeper {
    /// Whether the bytes named by `hash` are in the store, on disk, and can be read back.
    fn holds(&self, hash: &ContentHash) -> bool;
}
