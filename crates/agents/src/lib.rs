//! Room of takeback; see ARCHITECTURE.md.
