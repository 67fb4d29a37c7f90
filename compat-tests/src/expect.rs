//! Expected events of a program, read from its source text.
//!
//! A comment `expect: FORK 1, IBAR T, LKWT 0..2*(T-1)` next to a construct counts the events of that construct in a run of the program; `T`
//! is the number of threads. The file's total is the sum of its comments. An event that no comment mentions must never occur. Words after
//! the last count are for the reader.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::{fmt, fs};

use crate::library::crate_dir;
use crate::numbers::event;
use crate::trace::Trace;

/// Names in comments, and the event that is counted for each: one that is always raised, no matter how the process ends.
const KINDS: [(&str, i32); 12] = [
    ("FORK", event::FORK),
    ("IDLE", event::END_IDLE),
    ("IBAR", event::BEGIN_IBAR),
    ("EBAR", event::BEGIN_EBAR),
    ("LKWT", event::BEGIN_LKWT),
    ("CTWT", event::BEGIN_CTWT),
    ("ODWT", event::BEGIN_ODWT),
    ("SINGLE", event::BEGIN_SINGLE),
    ("ORDERED", event::BEGIN_ORDERED),
    ("ATWT", event::BEGIN_ATWT),
    ("TASK", event::BEGIN_EXEC),
    ("SUSPEND", event::BEGIN_SUSPEND),
];

/// Expected counts, by event number.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    counts: BTreeMap<i32, (i64, i64)>,
}

impl Expected {
    /// Counts for a program of `programs/` with `threads` threads; `None` if its text counts nothing.
    ///
    /// # Panics
    /// If a comment can't be read.
    pub fn of_program(source: &str, threads: u32) -> Option<Self> {
        let path = crate_dir().join("programs").join(source);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self::of_text(&text, threads).unwrap_or_else(|e| panic!("{source}: {e}"))
    }

    fn of_text(text: &str, threads: u32) -> Result<Option<Self>, String> {
        let mut expected = Self::default();
        let mut seen = false;
        for (number, line) in text.lines().enumerate() {
            let Some((_, comment)) = line.split_once("expect: ") else { continue };
            seen = true;
            let comment = comment.split("*/").next().unwrap_or(comment);
            expected.add(comment, threads.into()).map_err(|e| format!("line {}: {e}: {comment:?}", number + 1))?;
        }
        Ok(seen.then_some(expected))
    }

    fn add(&mut self, comment: &str, threads: i64) -> Result<(), String> {
        let mut rest = Cursor { rest: comment.trim(), threads };
        loop {
            let name = rest.word();
            let kind = KINDS.iter().find(|(n, _)| *n == name).ok_or(format!("{name:?} is no event"))?;
            let low = rest.sum()?;
            let high = if rest.eat("..") { rest.sum()? } else { low };
            let count = self.counts.entry(kind.1).or_default();
            *count = (count.0 + low, count.1 + high);
            if !rest.eat(",") {
                return Ok(());
            }
        }
    }

    /// Events whose counts differ from those of the text.
    pub fn off(&self, trace: &Trace) -> Vec<Off> {
        // The rules for every trace tie JOIN and the END events to the events that start them.
        let counted = (1..=event::LAST).filter(|number| KINDS.iter().any(|(_, n)| n == number));
        let off = counted.map(|event| {
            let count = i64::try_from(trace.count(event)).unwrap_or(i64::MAX);
            Off { event, count, wanted: self.range(event) }
        });
        off.filter(|off| !off.wanted.contains(&off.count)).collect()
    }

    /// Counts that differ from the trace's, each as a sentence.
    pub fn differences(&self, trace: &Trace) -> Vec<String> {
        let mut found: Vec<String> = self.off(trace).iter().map(Off::to_string).collect();
        let (forks, joins) = (trace.count(event::FORK), trace.count(event::JOIN));
        if forks != joins {
            found.push(format!("{forks} times FORK but {joins} times JOIN"));
        }
        for number in [event::BEGIN_MASTER, event::BEGIN_MASTER + 1] {
            if trace.count(number) > 0 {
                found.push(format!("{} was raised, although gcc hides it", event::name(number)));
            }
        }
        found
    }

    fn range(&self, number: i32) -> RangeInclusive<i64> {
        let (low, high) = self.counts.get(&number).copied().unwrap_or_default();
        low..=high
    }
}

/// Event whose count differs from that of the text.
#[derive(Clone, Debug)]
pub struct Off {
    /// The event.
    pub event: i32,
    /// Count in the trace.
    pub count: i64,
    /// Range that the text allows.
    pub wanted: RangeInclusive<i64>,
}

impl Off {
    /// Name of the event in comments.
    pub fn word(&self) -> &'static str {
        KINDS.iter().find(|(_, number)| *number == self.event).map_or("?", |(word, _)| word)
    }
}

impl fmt::Display for Off {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.wanted.start(), self.wanted.end());
        let wanted = if low == high { low.to_string() } else { format!("{low} to {high}") };
        write!(f, "{} was raised {} times, the program's text says {wanted}", event::name(self.event), self.count)
    }
}

/// Parser state: the rest of a comment.
struct Cursor<'a> {
    rest: &'a str,
    threads: i64,
}

impl<'a> Cursor<'a> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Parses sums of products, and comparisons in parentheses, which are 1 or 0.
    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            if self.eat("+") {
                value += self.product()?;
            } else if self.eat("-") {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        while self.eat("*") {
            value *= self.factor()?;
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.eat("(") {
            let mut value = self.sum()?;
            if self.eat(">") {
                value = i64::from(value > self.sum()?);
            } else if self.eat("<") {
                value = i64::from(value < self.sum()?);
            }
            return if self.eat(")") { Ok(value) } else { Err("a parenthesis stays open".to_owned()) };
        }
        match self.word() {
            "T" => Ok(self.threads),
            number => number.parse().map_err(|_| format!("{number:?} is no count")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Record;

    fn range(text: &str, threads: u32, number: i32) -> (i64, i64) {
        Expected::of_text(text, threads).unwrap().unwrap().range(number).into_inner()
    }

    #[test]
    fn comments_add_up_over_the_file() {
        let text = "a /* expect: FORK 1, IBAR T, IDLE T-1 */\nb ! expect: IBAR 3*(T+1)\nc // expect: LKWT 0..2*T*(T>1)";
        assert_eq!(range(text, 4, event::BEGIN_IBAR), (19, 19));
        assert_eq!(range(text, 4, event::END_IDLE), (3, 3));
        assert_eq!(range(text, 4, event::BEGIN_LKWT), (0, 8));
        assert_eq!(range(text, 1, event::BEGIN_LKWT), (0, 0));
        assert_eq!(range(text, 4, event::BEGIN_EBAR), (0, 0));
    }

    #[test]
    fn words_behind_a_count_are_for_the_reader() {
        assert_eq!(range("/* expect: IBAR T (a loop without iterations) */", 2, event::BEGIN_IBAR), (2, 2));
        assert!(Expected::of_text("Comments with `expect:` say", 2).unwrap().is_none());
    }

    #[test]
    fn comments_that_make_no_sense_are_errors() {
        for bad in ["/* expect: FORKS 1 */", "/* expect: FORK x */", "/* expect: FORK (1 */", "/* expect: FORK */"] {
            assert!(Expected::of_text(bad, 2).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_count_that_is_off_by_one_is_a_difference() {
        let record = |event| Record { event, ..Record::default() };
        let trace = |events: &[i32]| Trace { records: events.iter().map(|e| record(*e)).collect(), ..Trace::default() };
        let expected = Expected::of_text("/* expect: FORK 1, IBAR 1..2 */", 2).unwrap().unwrap();
        assert_eq!(expected.differences(&trace(&[1, 5, 6, 2])), Vec::<String>::new());
        assert_eq!(expected.differences(&trace(&[1, 5, 6, 2, 1, 2])).len(), 1);
        assert_eq!(expected.differences(&trace(&[1, 2])).len(), 1);
        assert_eq!(expected.differences(&trace(&[1, 5, 7, 8, 2])).len(), 1);
        assert_eq!(expected.differences(&trace(&[1, 5])).len(), 1);
        assert_eq!(expected.differences(&trace(&[1, 5, 2, 15])).len(), 1);
    }
}
