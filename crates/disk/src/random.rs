//! Unguessable numbers from the operating system.

/// A number nobody can guess, for names that must not meet another's.
///
/// Falls back on the clock and the process id in the one case that the operating system has no randomness to give;
/// nothing secret may rest on it.
pub fn random_u64() -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: the pointer and the length describe one live, writable array of eight bytes.
    let result = unsafe { libc::getentropy(bytes.as_mut_ptr().cast(), bytes.len()) };
    if result == 0 {
        return u64::from_ne_bytes(bytes);
    }
    crate::clock::monotonic_ns().rotate_left(32) ^ u64::from(std::process::id())
}
