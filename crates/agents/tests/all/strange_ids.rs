//! Stub: strange_ids.
