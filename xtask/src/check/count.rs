//! [`Count`]: how many tests passed and failed, read from what the runners print.

use std::ops::AddAssign;

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Those that passed.
    pub(super) passed: usize,
    /// Those that failed, were ended or could not be run.
    pub(super) failed: usize,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The sum of all `test result: ok. 4 passed; 0 failed; …` lines.
pub(super) fn of_cargo_test(said: &str) -> Count {
    let mut total = Count::default();
    for line in said.lines().filter_map(|line| line.trim_start().strip_prefix("test result: ")) {
        let counts = line.split_once(". ").map_or("", |(_, counts)| counts);
        counts.split(';').for_each(|part| add(&mut total, part));
    }
    total
}

/// The last `Summary [ 1.2s] 9 tests run: 7 passed (1 slow), 1 failed, 1 timed out, 0 skipped` line.
pub(super) fn of_nextest(said: &str) -> Count {
    let mut total = Count::default();
    let summary = said.lines().rev().find(|line| line.trim_start().starts_with("Summary ["));
    let counts = summary.and_then(|line| line.split_once(" run: ")).map_or("", |(_, counts)| counts);
    without_brackets(counts).split(',').for_each(|part| add(&mut total, part));
    total
}

/// Adds `3 passed` or `1 timed out`; what is neither passed nor failed is not counted.
fn add(total: &mut Count, part: &str) {
    let Some((number, label)) = part.trim().split_once(' ') else { return };
    let Ok(number) = number.parse::<usize>() else { return };
    match label.trim() {
        "passed" => total.passed += number,
        "failed" | "exec failed" | "timed out" => total.failed += number,
        _ => {}
    }
}

fn without_brackets(text: &str) -> String {
    let mut is_inside = false;
    let mut keep = |character: char| {
        is_inside = (is_inside || character == '(') && character != ')';
        !is_inside && character != ')'
    };
    text.chars().filter(|character| keep(*character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_results_of_cargo_test_are_summed() {
        let said = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
                    finished in 0.00s\n\ntest result: FAILED. 5 passed; 3 failed; 1 ignored; 0 measured\n";
        assert_eq!(of_cargo_test(said), Count { passed: 7, failed: 3 });
    }

    #[test]
    fn the_summary_of_nextest_is_read() {
        let said = "     PASS a\n     Summary [   0.012s] 9 tests run: 6 passed (2 slow, 1 leaky), 1 failed, \
                    1 exec failed, 1 timed out, 4 skipped\n        FAIL b\n";
        assert_eq!(of_nextest(said), Count { passed: 6, failed: 3 });
    }

    #[test]
    fn without_a_summary_nothing_is_counted() {
        assert_eq!(of_nextest("error: could not compile"), Count::default());
        assert_eq!(of_cargo_test("error: could not compile"), Count::default());
    }
}
