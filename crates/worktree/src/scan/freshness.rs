//! Whether a stamp that has not changed can be trusted: a write right after a look may leave the time stamps as they
//! were, because clocks of file systems tick slowly.

use model::{Stamp, limits};

const SECOND_NS: i64 = 1_000_000_000;

/// Whether nothing has changed since the known look, beyond the doubt that coarse time stamps leave.
pub(crate) fn is_surely_unchanged(known: &Stamp, now: &Stamp) -> bool {
    known.is_unchanged(now) && !is_racy(known)
}

/// Whether a change right after this look could have left the stamp as it is.
///
/// Every change moves `changed_ns` to the present, so a date of modification in the future, which anybody may set, says
/// nothing.
pub(crate) fn is_racy(stamp: &Stamp) -> bool {
    let is_coarse = stamp.changed_ns % SECOND_NS == 0;
    let window_ns = if is_coarse { limits::RACY_WINDOW_COARSE_NS } else { limits::RACY_WINDOW_NS };
    let is_fresh = |time_ns: i64| stamp.looked_ns.saturating_sub(time_ns) < window_ns;
    is_fresh(stamp.changed_ns) || (is_fresh(stamp.modified_ns) && stamp.modified_ns <= stamp.looked_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_000_000 * SECOND_NS + 5;

    fn stamp(modified_ns: i64, changed_ns: i64, looked_ns: i64) -> Stamp {
        Stamp { device: 1, inode: 2, modified_ns, changed_ns, looked_ns, ..Stamp::UNKNOWN }
    }

    #[test]
    fn a_look_right_after_a_change_is_not_trusted() {
        assert!(is_racy(&stamp(NOON, NOON, NOON + 1)));
        assert!(is_racy(&stamp(0, NOON, NOON + limits::RACY_WINDOW_NS - 1)));
        assert!(is_racy(&stamp(NOON, NOON, NOON - SECOND_NS)), "the clock was set back");
        assert!(is_racy(&stamp(NOON, NOON, 0)), "marked to be looked at again");
        assert!(!is_racy(&stamp(NOON, NOON, NOON + limits::RACY_WINDOW_NS)));
    }

    #[test]
    fn stamps_of_whole_seconds_stay_in_doubt_for_longer() {
        let second = 7 * SECOND_NS;
        assert!(is_racy(&stamp(second, second, second + SECOND_NS)));
        assert!(!is_racy(&stamp(second, second, second + limits::RACY_WINDOW_COARSE_NS)));
    }

    #[test]
    fn a_date_in_the_future_does_not_cost_a_read_each_time() {
        assert!(!is_racy(&stamp(NOON + 1_000 * SECOND_NS, NOON, NOON + SECOND_NS)));
    }
}
