//! Text that compresses about as well as source code does, different for every number it is made from.

const WORDS: [&str; 40] = [
    "let", "fn", "return", "match", "if", "else", "for", "self", "pub", "struct", "path", "entry", "index", "state",
    "value", "result", "error", "count", "name", "folder", "file", "read", "write", "open", "close", "before", "after",
    "length", "buffer", "offset", "Some", "None", "Ok", "Err", "Vec", "String", "u64", "bool", "true", "false",
];

/// About `size_bytes` bytes of text.
pub(crate) fn text(number: u64, size_bytes: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = format!("// file number {number}\n").into_bytes();
    while text.len() < size_bytes {
        text.extend_from_slice(b"    ");
        for _ in 0..4 + next(&mut state) % 6 {
            text.extend_from_slice(WORDS[(next(&mut state) % WORDS.len() as u64) as usize].as_bytes());
            text.push(b" .,(=;"[(next(&mut state) % 6) as usize]);
        }
        text.extend_from_slice(format!("{}\n", next(&mut state) % 10_000).as_bytes());
    }
    text
}

/// The next number of a xorshift generator, without its weak low bits.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}
