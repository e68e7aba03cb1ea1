//! Numbers from a seed. A test that draws from here says its seed when it fails, and takes another one from
//! `TAKEBACK_TEST_SEED`.

/// A generator of numbers (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).expect("because it is below a usize")
    }

    /// Whether something happens that happens `times` of `of` times.
    pub(crate) fn happens(&mut self, times: usize, of: usize) -> bool {
        self.below(of) < times
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// The seed asked for in the environment, or `usual`.
pub(crate) fn seed(usual: u64) -> u64 {
    std::env::var("TAKEBACK_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
