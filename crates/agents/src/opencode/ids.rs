//! Ids as OpenCode makes them: a prefix, digits that follow the time, and a random rest. A copied row keeps its place in
//! time and gets a rest of its own.

use crate::driver::DriverError;

/// How many characters at the end are random.
const RANDOM_CHARACTERS: usize = 14;

/// An id that can be a word of a command and nothing else.
pub(super) fn checked(native: &str) -> Result<&str, DriverError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if !native.is_empty() && native.len() <= 64 && native.bytes().all(is_plain) && !native.starts_with('-') {
        Ok(native)
    } else {
        Err(DriverError::UnknownShape { reason: "the id of the session is no plain word".to_owned() })
    }
}

/// Another id with the same place in time.
pub(super) fn beside(id: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let kept: String = id.chars().take(id.chars().count().saturating_sub(RANDOM_CHARACTERS)).collect();
    let mut random = (u128::from(disk::random_u64()) << 64) | u128::from(disk::random_u64());
    let mut rest = String::with_capacity(RANDOM_CHARACTERS);
    for _ in 0..RANDOM_CHARACTERS {
        let letter = usize::try_from(random % 62).unwrap_or(0);
        rest.push(char::from(LETTERS[letter]));
        random /= 62;
    }
    kept + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_beside_another_keeps_its_place() {
        let id = "msg_22f5ee841001foeT6wFGht2tOX";
        let other = beside(id);
        assert_eq!((other.len(), &other[..16]), (id.len(), &id[..16]));
        assert_ne!(other, id);
    }
}
