//! Every history of a tiny universe.
