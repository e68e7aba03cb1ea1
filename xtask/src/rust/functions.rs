//! Where functions begin and end.

use super::brackets::{item, line_of, words};

/// One function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The line of its `fn`, from 1.
    pub(crate) line: usize,
    /// How many lines it has, from its `fn` to its closing brace.
    pub(crate) lines: usize,
}

/// Every function with a body in masked code, in order. Functions in functions count for themselves too.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    words(code, "fn").filter_map(|at| function_at(code, at)).collect()
}

fn function_at(code: &str, at: usize) -> Option<Function> {
    let after = code[at + "fn".len()..].trim_start();
    let name: String = after.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
    let range = item(code, at).filter(|range| code.as_bytes()[range.end - 1] == b'}')?;
    let (first, last) = (line_of(code, range.start), line_of(code, range.end - 1));
    (!name.is_empty()).then_some(Function { name, line: first, lines: last - first + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_measured_from_fn_to_brace() {
        let found = functions("trait T { fn none(&self); }\npub fn two(a: [u8; 2])\n{ loop {} }\nfn one() {}");
        let summary: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(summary, [("two", 2, 2), ("one", 4, 1)]);
    }

    #[test]
    fn a_function_type_is_no_function() {
        assert_eq!(functions("struct S { f: fn(u8) -> u8 }\nimpl S {}"), []);
    }
}
