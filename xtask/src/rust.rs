//! Reading Rust source well enough for rules, without parsing it: what is code and what is not, where functions begin
//! and end, what is imported, what is only there for tests. It may be wrong about macros, never about strings.

mod brackets;
mod functions;
mod imports;
mod mask;
mod source;

pub(crate) use brackets::{closing, is_word_at, words};
pub(crate) use functions::{Function, functions};
pub(crate) use imports::imports;
pub(crate) use source::Source;
