//! Paired runs: this, that, that, this, … so that whatever else the machine does falls on both alike.

use std::time::{Duration, Instant};

use crate::Fault;
use crate::amount::{Amount, Times};

/// What both sides needed.
#[derive(Debug)]
pub(crate) struct Pair {
    /// takeback.
    pub(crate) ours: Amount,
    /// The alternative.
    pub(crate) theirs: Amount,
}

/// Measures both sides `runs` times after one `prepare` each. Who comes first changes from run to run.
pub(crate) fn measure(
    runs: usize,
    mut prepare: impl FnMut(usize) -> Result<(), Fault>,
    mut ours: impl FnMut() -> Result<Duration, Fault>,
    mut theirs: impl FnMut() -> Result<Duration, Fault>,
) -> Result<Pair, Fault> {
    let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
    for run in 0..runs {
        prepare(run)?;
        if run % 2 == 0 {
            of_ours.push(ours()?);
            of_theirs.push(theirs()?);
        } else {
            of_theirs.push(theirs()?);
            of_ours.push(ours()?);
        }
    }
    Ok(Pair { ours: Amount::Times(Times::new(of_ours)), theirs: Amount::Times(Times::new(of_theirs)) })
}

/// How long something takes.
pub(crate) fn time<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<Duration, Fault> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn each_side_comes_first_in_turn() {
        let order = RefCell::new(String::new());
        let note = |sign| {
            order.borrow_mut().push(sign);
            Ok(Duration::from_millis(1))
        };
        let pair = measure(2, |_| note('.').map(|_| ()), || note('a'), || note('b')).expect("nothing fails");
        assert_eq!((order.borrow().as_str(), pair.ours), (".ab.ba", pair.theirs));
    }
}
