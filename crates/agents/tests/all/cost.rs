//! Stub: cost.
