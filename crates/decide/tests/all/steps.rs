//! The order of acts.
