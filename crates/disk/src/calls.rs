//! [`Calls`]: whether the calls that only one system has may be used. Not a feature switch for users.

/// Which system calls a [`Dir`](crate::Dir) uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// The best this system has. A call that the kernel or the file system refuses to know falls back by itself.
    Native,
    /// Only what every unix has, so that the fallbacks can be tested on any machine.
    Portable,
}

impl Calls {
    /// [`Calls::Native`], unless this is a debug build and `TAKEBACK_CALLS` is `portable`.
    pub fn of_this_process() -> Self {
        #[cfg(debug_assertions)]
        {
            use std::sync::OnceLock;
            static FORCED: OnceLock<Calls> = OnceLock::new();
            *FORCED.get_or_init(|| match std::env::var_os("TAKEBACK_CALLS") {
                Some(value) if value == "portable" => Calls::Portable,
                _ => Calls::Native,
            })
        }
        #[cfg(not(debug_assertions))]
        Calls::Native
    }

    /// Whether calls that only some systems have may be tried.
    pub(crate) fn are_native(self) -> bool {
        self == Calls::Native
    }
}
