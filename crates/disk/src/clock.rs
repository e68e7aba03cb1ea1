//! The clock: the time of day, which may jump, and a steady one for measuring waits. No time zones.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The time of day in nanoseconds since the Unix epoch. May jump when somebody sets the clock.
pub fn now_ns() -> i64 {
    let now = clock_gettime(ClockId::Realtime);
    nanoseconds(now.tv_sec, now.tv_nsec)
}

/// A steady time in nanoseconds, the same for all processes since the machine was started. Never goes back.
pub fn monotonic_ns() -> u64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    u64::try_from(nanoseconds(tv_sec, tv_nsec)).unwrap_or(0)
}

/// Seconds and nanoseconds as one number; times out of range stop at its ends.
pub(crate) fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}
