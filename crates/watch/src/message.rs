//! What is asked and answered, as values, and how they are spelled in bytes. Opens no socket.
//!
//! A message is its length in four bytes, the version of the protocol, one byte that says which message it is, and its
//! fields. What does not decode to the last byte is no message.

use std::collections::BTreeSet;

use model::WorkspacePath;

use crate::account::DirtyPaths;
use crate::wire::{Malformed, Reader, Writer};

/// The version of this protocol. Both sides are one program; another version is a helper that has to make room.
pub(crate) const VERSION: u8 = 1;

/// A place in a helper's account of one workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The set of watches it was made by; every set has another number.
    pub watches: u64,
    /// The barrier.
    pub number: u64,
}

/// What is asked of the helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The absolute path of the root, free of links.
    pub root: Vec<u8>,
    /// The device and the inode that the asker sees there.
    pub identity: (u64, u64),
    /// Which mounts the asker sees.
    pub namespace: Vec<u8>,
    /// The mark to go back to. Without one a workspace that is new to the helper is watched from now on.
    pub mark: Option<Mark>,
    /// What need not be watched, if the workspace is new.
    pub blind: Blind,
}

/// Folders that are not watched because what is in them hardly matters. They are in doubt at every barrier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blind {
    /// Folders of these names, wherever they are.
    pub names: BTreeSet<Vec<u8>>,
    /// These folders.
    pub paths: BTreeSet<WorkspacePath>,
}

/// What the helper knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing but this may have changed since the mark, as far as watches can tell.
    Only {
        /// The mark to go back to next time.
        mark: Mark,
        /// What may have changed.
        dirty: DirtyPaths,
    },
    /// Anything may have changed.
    Everything {
        /// The mark to go back to next time; none if nothing is watched.
        mark: Option<Mark>,
        /// Why.
        doubt: Doubt,
    },
    /// There is no helper, or it did not answer in time or in words that mean anything.
    Unknown,
}

/// Why anything may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Watching has only begun.
    Begun,
    /// The mark is of other watches, was forgotten, or there was none.
    NoMark,
    /// There was more to hear than the system or the helper keeps.
    TooMuch,
    /// There are more folders than may be watched.
    Limit,
    /// The file system does not tell of all changes.
    FileSystem,
    /// The root was moved or replaced, something was mounted, or the asker sees other mounts.
    Elsewhere,
    /// A call was refused.
    Refused,
}

/// How the helper stands to one workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The process of the helper.
    pub pid: u32,
    /// How many folders of the workspace are watched.
    pub folders: u64,
    /// How many of them are not, and are in doubt every time.
    pub blind: u64,
    /// Why the workspace is not watched; none if it is.
    pub doubt: Option<Doubt>,
}

/// Everything that goes to the helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    Ask(Question),
    Tell { root: Vec<u8> },
    End,
}

/// Everything that comes from the helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Answer(Answer),
    Standing(Standing),
    Ending,
}

/// All doubts, by their number in a message.
const DOUBTS: [Doubt; 7] =
    [Doubt::Begun, Doubt::NoMark, Doubt::TooMuch, Doubt::Limit, Doubt::FileSystem, Doubt::Elsewhere, Doubt::Refused];

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::begin(VERSION);
        match self {
            Request::Ask(question) => {
                writer.byte(1);
                writer.bytes(&question.root);
                writer.number(question.identity.0);
                writer.number(question.identity.1);
                writer.bytes(&question.namespace);
                write_mark(&mut writer, question.mark);
                writer.list(&question.blind.names, |name| name);
                writer.list(&question.blind.paths, WorkspacePath::as_bytes);
            }
            Request::Tell { root } => {
                writer.byte(2);
                writer.bytes(root);
            }
            Request::End => writer.byte(3),
        }
        writer.finish()
    }

    pub(crate) fn decode(message: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::begin(message, VERSION)?;
        let request = match reader.byte()? {
            1 => Request::Ask(Question {
                root: reader.bytes()?.to_vec(),
                identity: (reader.number()?, reader.number()?),
                namespace: reader.bytes()?.to_vec(),
                mark: read_mark(&mut reader)?,
                blind: Blind { names: reader.list(|bytes| Ok(bytes.to_vec()))?, paths: reader.list(path)? },
            }),
            2 => Request::Tell { root: reader.bytes()?.to_vec() },
            3 => Request::End,
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Reply {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::begin(VERSION);
        match self {
            Reply::Answer(Answer::Only { mark, dirty }) => {
                writer.byte(1);
                write_mark(&mut writer, Some(*mark));
                writer.list(&dirty.folders, WorkspacePath::as_bytes);
                writer.list(&dirty.below, WorkspacePath::as_bytes);
            }
            Reply::Answer(Answer::Everything { mark, doubt }) => {
                writer.byte(2);
                write_mark(&mut writer, *mark);
                write_doubt(&mut writer, Some(*doubt));
            }
            Reply::Answer(Answer::Unknown) => writer.byte(3),
            Reply::Standing(standing) => {
                writer.byte(4);
                writer.number(standing.pid.into());
                writer.number(standing.folders);
                writer.number(standing.blind);
                write_doubt(&mut writer, standing.doubt);
            }
            Reply::Ending => writer.byte(5),
        }
        writer.finish()
    }

    pub(crate) fn decode(message: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::begin(message, VERSION)?;
        let reply = match reader.byte()? {
            1 => Reply::Answer(Answer::Only {
                mark: read_mark(&mut reader)?.ok_or(Malformed)?,
                dirty: DirtyPaths { folders: reader.list(path)?, below: reader.list(path)? },
            }),
            2 => Reply::Answer(Answer::Everything {
                mark: read_mark(&mut reader)?,
                doubt: read_doubt(&mut reader)?.ok_or(Malformed)?,
            }),
            3 => Reply::Answer(Answer::Unknown),
            4 => Reply::Standing(Standing {
                pid: u32::try_from(reader.number()?).map_err(|_| Malformed)?,
                folders: reader.number()?,
                blind: reader.number()?,
                doubt: read_doubt(&mut reader)?,
            }),
            5 => Reply::Ending,
            _ => return Err(Malformed),
        };
        reader.finish()?;
        Ok(reply)
    }
}

fn path(bytes: &[u8]) -> Result<WorkspacePath, Malformed> {
    WorkspacePath::new(bytes).map_err(|_| Malformed)
}

fn write_mark(writer: &mut Writer, mark: Option<Mark>) {
    writer.byte(u8::from(mark.is_some()));
    if let Some(mark) = mark {
        writer.number(mark.watches);
        writer.number(mark.number);
    }
}

fn read_mark(reader: &mut Reader<'_>) -> Result<Option<Mark>, Malformed> {
    match reader.byte()? {
        0 => Ok(None),
        1 => Ok(Some(Mark { watches: reader.number()?, number: reader.number()? })),
        _ => Err(Malformed),
    }
}

fn write_doubt(writer: &mut Writer, doubt: Option<Doubt>) {
    let number = doubt.and_then(|doubt| DOUBTS.iter().position(|known| *known == doubt)).map_or(0, |at| at + 1);
    writer.byte(u8::try_from(number).expect("because there are fewer doubts than bytes"));
}

fn read_doubt(reader: &mut Reader<'_>) -> Result<Option<Doubt>, Malformed> {
    match reader.byte()? {
        0 => Ok(None),
        number => DOUBTS.get(usize::from(number) - 1).copied().map(Some).ok_or(Malformed),
    }
}

#[cfg(test)]
mod tests;
