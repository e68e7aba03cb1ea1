//! Counts the steps that outlive the process: every name made, renamed or removed, every mode set, every sync and
//! append. The count is what a test walks through to die, or to fail, at each of them.
//!
//! In debug builds `TAKEBACK_CRASH_AT=N` kills the process right before its N-th durable step, `TAKEBACK_CRASH_AFTER=N`
//! right after it, both by SIGKILL and counted from 1.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

static STEPS: AtomicU64 = AtomicU64::new(0);

/// How many durable steps this process has begun.
pub fn durable_steps() -> u64 {
    STEPS.load(Ordering::Relaxed)
}

/// Counts `action` as one durable step and does it, unless a test has the process die or fail here.
///
/// For durable work that does not go through this room's own calls, such as a database commit.
pub fn step<T, E: From<Errno>>(action: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let number = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
    #[cfg(debug_assertions)]
    {
        testing::die_if(number, testing::CRASH_AT);
        if let Some(errno) = testing::failure_due() {
            return Err(errno.into());
        }
        let result = action();
        testing::die_if(number, testing::CRASH_AFTER);
        result
    }
    #[cfg(not(debug_assertions))]
    {
        _ = number;
        action()
    }
}

#[cfg(debug_assertions)]
pub use testing::failing_at;

#[cfg(debug_assertions)]
mod testing {
    //! What tests have happen at a durable step. Not in release builds.

    use std::cell::Cell;
    use std::sync::OnceLock;

    use rustix::io::Errno;

    pub(super) const CRASH_AT: usize = 0;
    pub(super) const CRASH_AFTER: usize = 1;

    thread_local! {
        static FAILURE: Cell<Option<(u64, Errno)>> = const { Cell::new(None) };
    }

    /// Runs `body`; the `number`-th durable step of this thread in it fails with `raw_os_error` and does nothing.
    /// Also says whether that step was reached. Only in debug builds, for tests.
    pub fn failing_at<T>(number: u64, raw_os_error: i32, body: impl FnOnce() -> T) -> (T, bool) {
        FAILURE.set(Some((number, Errno::from_raw_os_error(raw_os_error))));
        let result = body();
        (result, FAILURE.take().is_none())
    }

    pub(super) fn failure_due() -> Option<Errno> {
        let (number, errno) = FAILURE.get()?;
        FAILURE.set((number > 1).then_some((number - 1, errno)));
        (number == 1).then_some(errno)
    }

    pub(super) fn die_if(number: u64, which: usize) {
        static POINTS: OnceLock<[Option<u64>; 2]> = OnceLock::new();
        let points = POINTS.get_or_init(|| [read("TAKEBACK_CRASH_AT"), read("TAKEBACK_CRASH_AFTER")]);
        if points[which] == Some(number) {
            die();
        }
    }

    fn read(variable: &str) -> Option<u64> {
        std::env::var(variable).ok()?.parse().ok()
    }

    fn die() -> ! {
        let killed = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        debug_assert_eq!(killed, Ok(()));
        loop {
            std::thread::park();
        }
    }
}
