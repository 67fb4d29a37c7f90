//! Comparison of findings with those that a case expects.

use std::fmt;

use crate::case::{Case, Command};

/// A finding may name a line that is up to this many lines away from the expected one.
const NEAR: u32 = 3;

/// Result of comparing the findings with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The first finding is the expected one.
    RightFirst,
    /// A later finding is the expected one.
    NotFirst,
    /// There are no findings.
    Silent,
    /// None of the findings is the expected one, or one is known to be wrong.
    Wrong,
    /// One of the findings has a cure that makes the program slower or wrong.
    Harmful,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RightFirst => "right first",
            Self::NotFirst => "right, not first",
            Self::Silent => "silent",
            Self::Wrong => "wrong",
            Self::Harmful => "harmful",
        })
    }
}

impl Case {
    /// Judges the texts of findings, given in order. A finding that only says that other programs use the processors may come first.
    pub fn judge(&self, findings: &[String]) -> Verdict {
        let is_about_the_program = |text: &&String| self.command == Command::Scale || has_cure(text);
        let texts: Vec<_> = findings.iter().filter(is_about_the_program).map(|text| text.to_lowercase()).collect();
        let has_any = |text: &String, words: &[String]| words.iter().any(|word| text.contains(&word.to_lowercase()));
        if texts.iter().any(|text| has_any(text, &self.harmful)) {
            return Verdict::Harmful;
        }
        if texts.iter().any(|text| has_any(text, &self.wrong)) {
            return Verdict::Wrong;
        }
        let line = self.line();
        let is_right = |text: &String| {
            let is_here = line.is_none_or(|line| lines(text).any(|named| named.abs_diff(line) <= NEAR));
            is_here && self.words.iter().all(|words| has_any(text, words))
        };
        match texts.iter().position(is_right) {
            Some(0) => Verdict::RightFirst,
            Some(_) => Verdict::NotFirst,
            None if texts.is_empty() && self.silent => Verdict::RightFirst,
            None if !findings.iter().any(|text| has_cure(text)) => Verdict::Silent,
            None => Verdict::Wrong,
        }
    }
}

/// True unless the finding only says that other programs use the processors, that the program waits for something between
/// its regions, or how far it scales.
pub fn has_cure(text: &str) -> bool {
    let is_load = text.starts_with("Threads were ready without a processor");
    let is_wait = text.starts_with("Between the regions the program sleeps");
    let is_speed_up = text.starts_with("With ") && !text.contains(": ");
    !is_load && !is_wait && !is_speed_up
}

/// Lines of the program or its library that a text names, as in `program.c:12`.
fn lines(text: &str) -> impl Iterator<Item = u32> {
    let ends = [".c:", ".cc:", ".f90:", ".py:"];
    ends.into_iter().flat_map(move |end| text.split(end).skip(1)).filter_map(|after| {
        let digits = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
        after.get(..digits)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_other_programs_may_be_told_before() {
        let load = "Threads were ready without a processor for 9 s, since other programs used the processors: measure again when the machine is idle";
        let right = "waits for critical sections in main at program.c:10: use a reduction";
        assert_eq!(verdict(&[load, right]), Verdict::RightFirst);
        assert_eq!(verdict(&[load]), Verdict::Silent);
    }

    fn verdict(findings: &[&str]) -> Verdict {
        let cases = crate::all().unwrap();
        let case = cases.iter().find(|case| case.name == "critical-sum").unwrap();
        let findings: Vec<_> = findings.iter().map(|text| (*text).to_owned()).collect();
        case.judge(&findings)
    }

    #[test]
    fn cause_place_and_cure_all_have_to_be_right() {
        let right = "waits for critical sections in main at program.c:10: use a reduction";
        assert_eq!(verdict(&[right]), Verdict::RightFirst);
        assert_eq!(verdict(&["imbalance at program.c:10", right]), Verdict::NotFirst);
        assert_eq!(verdict(&[&right.replace(":10", ":1")]), Verdict::Wrong);
        assert_eq!(verdict(&[&right.replace("reduction", "lock")]), Verdict::Wrong);
        assert_eq!(verdict(&[]), Verdict::Silent);
    }
}
