//! The bytes of values that have no column of their own: entries, stamps, lists, acts. Every form is described in
//! `docs/formats/store.md`. Writing cannot fail; reading takes any bytes and answers with a value or [`Malformed`].

mod act;
mod bytes;
mod entry;
mod known;
mod list;

#[cfg(test)]
mod tests;

pub(crate) use act::{act_bytes, act_from};
pub(crate) use bytes::Malformed;
pub(crate) use entry::{entry_bytes, entry_from};
pub(crate) use known::{folder_bytes, folder_from};
pub(crate) use list::{numbers_bytes, numbers_from, paths_bytes, paths_from, steps_bytes, steps_from};
