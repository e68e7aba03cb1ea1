//! The ids a user sees and types: `t41`, `t41.2`, `c128`, `op57`, `s3`. Numbers rise per workspace and are never
//! reused. The ledger's own [`Seq`] is not shown to anybody.

use std::fmt;
use std::str::FromStr;

/// Text that is not the id it was taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdError {
    /// What was given.
    pub given: String,
    /// What was expected, with an example.
    pub expected: &'static str,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.given, self.expected)
    }
}

impl std::error::Error for IdError {}

macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix($prefix)
                    .and_then(decimal)
                    .map(Self)
                    .ok_or_else(|| IdError { given: text.to_owned(), expected: $expected })
            }
        }
    };
}

numbered_id!(
    /// A turn: opened by one human prompt.
    TurnId, "t", "a turn, like `t41`"
);
numbered_id!(
    /// A checkpoint: a place in the ledger one can return to.
    CheckpointId, "c", "a checkpoint, like `c128`"
);
numbered_id!(
    /// An operation: one act of takeback itself.
    OperationId, "op", "an operation, like `op57`"
);
numbered_id!(
    /// A head: a named tip in the conversation; a *version* for people.
    HeadId, "h", "a version, like `h7`"
);
numbered_id!(
    /// A session: one line of work with one agent.
    SessionId, "s", "a session, like `s3`"
);

/// The place of a transition in the ledger of one workspace; later transitions have greater numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

/// A step: the `number`-th tool call of a turn, counted from 1; shown as `t41.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId {
    /// The turn the step belongs to.
    pub turn: TurnId,
    /// The place of the step in its turn, from 1.
    pub number: u32,
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.turn, self.number)
    }
}

impl FromStr for StepId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let wrong = || IdError { given: text.to_owned(), expected: "a step, like `t41.2`" };
        let (turn, number) = text.split_once('.').ok_or_else(wrong)?;
        Ok(StepId {
            turn: turn.parse().map_err(|_| wrong())?,
            number: decimal(number).and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)?,
        })
    }
}

/// Plain decimal digits only: no sign, no blanks, no leading zero, so that every id has one spelling.
fn decimal(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_what_it_prints() {
        assert_eq!("t41".parse(), Ok(TurnId(41)));
        assert_eq!("op57".parse(), Ok(OperationId(57)));
        assert_eq!(StepId { turn: TurnId(41), number: 2 }.to_string(), "t41.2");
        assert_eq!("t41.2".parse(), Ok(StepId { turn: TurnId(41), number: 2 }));
    }

    #[test]
    fn other_spellings_of_an_id_are_refused() {
        for text in ["t", "t-1", "t+1", "t01", "t1 ", "T1", "c1", "t99999999999999999999", "t1.2"] {
            assert!(text.parse::<TurnId>().is_err(), "{text}");
        }
        for text in ["t1", "t1.", "t1.x", "t1.99999999999", ".1"] {
            assert!(text.parse::<StepId>().is_err(), "{text}");
        }
    }
}
