//! Stub: hostile.
