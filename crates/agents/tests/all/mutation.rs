//! Stub: mutation.
