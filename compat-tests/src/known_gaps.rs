//! Accepted differences between a runtime's reports and libgomp's: a handwritten list with a reason on each line
//! (`tables/ompt-host-*.txt`). A difference that is not on the list fails the test, and so does a line that no longer matches anything.
//!
//! A line is `STACKS PROGRAMS WHAT HOW-OFTEN REASON`. STACKS are names as in [`crate::stacks`] and PROGRAMS are source files; `*` matches
//! any letters, and commas separate several patterns. WHAT is a word of [`Difference::what`]. HOW-OFTEN is `always`, or `sometimes` for a
//! difference that depends on chance and so may be absent. The rest is the reason.

use std::collections::BTreeSet;
use std::fs;

use crate::library::crate_dir;

/// Difference between a run of a program and its text or the rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Word for the list.
    pub what: String,
    /// Sentence for the reader.
    pub sentence: String,
}

/// Line of the list.
#[derive(Clone, Debug)]
struct Gap {
    stacks: String,
    programs: String,
    what: String,
    always: bool,
    line: String,
}

/// List of gaps, and the lines that one stack has matched.
#[derive(Debug)]
pub struct Gaps {
    stack: String,
    list: Vec<Gap>,
    met: BTreeSet<usize>,
    /// Lines whose programs were run.
    seen: BTreeSet<usize>,
    unlisted: Vec<String>,
}

impl Gaps {
    /// Reads the list in `tables/NAME`, as far as it concerns one stack.
    ///
    /// # Panics
    /// If the list can't be read.
    pub fn read(name: &str, stack: &str) -> Self {
        let path = crate_dir().join("tables").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self::of_text(&text, stack).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn of_text(text: &str, stack: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut words = line.split_whitespace();
            let mut word = || words.next().ok_or(format!("{line:?} is no line of this list"));
            let (stacks, programs, what) = (word()?.to_owned(), word()?.to_owned(), word()?.to_owned());
            let always = match word()? {
                "always" => true,
                "sometimes" => false,
                other => return Err(format!("{other:?} is not how often: {line:?}")),
            };
            if words.count() < 3 {
                return Err(format!("{line:?} has no reason"));
            }
            if fits(&stacks, stack) {
                list.push(Gap { stacks, programs, what, always, line: line.to_owned() });
            }
        }
        let stack = stack.to_owned();
        Ok(Self { stack, list, met: BTreeSet::new(), seen: BTreeSet::new(), unlisted: Vec::new() })
    }

    /// Matches the differences of a run against the list.
    pub fn take(&mut self, program: &str, differences: &[Difference], command: &str) {
        for (at, gap) in self.list.iter().enumerate() {
            if fits(&gap.programs, program) {
                self.seen.insert(at);
            }
        }
        for difference in differences {
            let fitting = |gap: &Gap| fits(&gap.programs, program) && fits(&gap.what, &difference.what);
            let mut listed = false;
            for (at, _) in self.list.iter().enumerate().filter(|(_, gap)| fitting(gap)) {
                self.met.insert(at);
                listed = true;
            }
            if !listed {
                let (stack, Difference { what, sentence }) = (&self.stack, difference);
                self.unlisted.push(format!("{stack} {program} {what}\n    {sentence}\n    {command}"));
            }
        }
    }

    /// Returns all differences that are not on the list, and all lines that matched nothing, each as a sentence.
    pub fn verdict(self) -> Vec<String> {
        let mut found = self.unlisted;
        for (at, gap) in self.list.iter().enumerate() {
            if !self.seen.contains(&at) {
                found.push(format!("no program was run for: {}", gap.line));
            } else if gap.always && !self.met.contains(&at) {
                found.push(format!("this gap has closed on {} ({}): {}", self.stack, gap.stacks, gap.line));
            }
        }
        found
    }

    /// True if the list contains this word for this stack, for any program.
    pub fn lists(&self, what: &str) -> bool {
        self.list.iter().any(|gap| fits(&gap.what, what))
    }
}

/// True if one of the patterns matches the name: `*` matches any letters.
fn fits(patterns: &str, name: &str) -> bool {
    patterns.split(',').any(|pattern| fits_one(pattern, name))
}

fn fits_one(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|end| {
            let starts = end.char_indices().map(|(at, _)| at).chain([end.len()]);
            starts.into_iter().any(|at| end.get(at..).is_some_and(|end| fits_one(rest, end)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# a comment\n\
        clang/* single.c fewer-EBAR always clang's code ends it otherwise\n\
        gcc/libomp-1*,gcc/libiomp5 * more-IBAR sometimes this happens now and then\n";

    fn difference(what: &str) -> Difference {
        Difference { what: what.to_owned(), sentence: String::new() }
    }

    fn verdict(stack: &str, program: &str, whats: &[&str]) -> Vec<String> {
        let mut gaps = Gaps::of_text(LIST, stack).unwrap();
        gaps.take(program, &whats.iter().map(|what| difference(what)).collect::<Vec<_>>(), "");
        gaps.verdict()
    }

    #[test]
    fn patterns_stand_for_any_letters() {
        assert!(fits("clang/*,gcc/libomp-1*", "gcc/libomp-19") && fits("*", "x") && fits("a*c", "abc"));
        assert!(!fits("clang/*", "gcc/libomp-19") && !fits("a*c", "abd") && !fits("a", "ab"));
    }

    #[test]
    fn what_is_listed_passes_and_what_is_not_fails() {
        assert_eq!(verdict("clang/libomp-19", "single.c", &["fewer-EBAR"]), Vec::<String>::new());
        assert_eq!(verdict("clang/libomp-19", "single.c", &["fewer-EBAR", "more-EBAR"]).len(), 1);
        assert_eq!(verdict("gcc/libomp-14", "single.c", &["more-IBAR"]), Vec::<String>::new());
        assert_eq!(verdict("gcc/libgomp", "single.c", &["more-IBAR"]).len(), 1);
    }

    #[test]
    fn a_gap_that_has_closed_fails_unless_chance_decides() {
        assert_eq!(verdict("clang/libomp-19", "single.c", &[]).len(), 1);
        assert_eq!(verdict("clang/libomp-19", "loops.c", &[]).len(), 1);
        assert_eq!(verdict("gcc/libiomp5", "loops.c", &[]), Vec::<String>::new());
    }

    #[test]
    fn a_line_without_a_reason_is_refused() {
        assert!(Gaps::of_text("clang/* a.c FORK always\n", "clang/libomp-19").is_err());
        assert!(Gaps::of_text("clang/* a.c FORK often because it is so\n", "clang/libomp-19").is_err());
    }
}
