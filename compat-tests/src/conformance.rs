//! Comparison of a trace with its program's text and the rules. It returns differences, which a list of known gaps can name.

use std::collections::BTreeSet;

use crate::expect::{Expected, Off};
use crate::invariants::{self, Circumstances};
use crate::known_gaps::Difference;
use crate::numbers::event;
use crate::stacks::Compiler;
use crate::suite::Program;
use crate::{barriers, samples, tasks, tr2, trace};

/// Differences in a collector's trace.
pub fn of_collector(trace: &trace::Trace, program: &Program, compiler: Compiler, threads: u32) -> Vec<Difference> {
    let how = |late| Circumstances { late, cut_short: false, masters: compiler == Compiler::Clang };
    let late = program.is_late();
    let mut wrong = invariants::violations(trace, how(late));
    let mut found = Vec::new();
    if !late && !wrong.is_empty() {
        let (in_time, late) = (wrong, invariants::violations(trace, how(true)));
        if late.len() < in_time.len() {
            let sentence = in_time.join("\n    ");
            found.push(Difference { what: "late".to_owned(), sentence });
        }
        wrong = late;
    }
    wrong.extend(tasks::violations(trace, program.is_late()));
    if program.regular {
        wrong.extend(barriers::violations(trace));
    }
    wrong.extend(samples::violations(trace));
    found.extend(wrong.into_iter().map(of_sentence));
    if let Some(expected) = Expected::of_program(program.source, threads) {
        found.extend(of_counts(expected.off(trace), trace));
    }
    found
}

/// Rules of TR2 whose violation doesn't stop the check of a thread.
const FORGIVEN: [&str; 4] = [
    "exit frame around shared work",
    "exit frame in a team of one",
    "the idle frame is known",
    "a region's function is there",
];

/// Differences in a TR2 tool's trace.
pub fn of_tool(trace: &tr2::trace::Tr2Trace, program: &Program, threads: u32) -> Vec<Difference> {
    let (wrong, broken) = tr2::rules::violations_but(trace, program.is_late(), &FORGIVEN);
    let named = broken.into_iter().map(str::to_owned).map(of_sentence);
    let mut found: Vec<_> = wrong.into_iter().map(of_sentence).chain(named).collect();
    if let Some(expected) = Expected::of_program(program.source, threads) {
        let same = tr2::counts::as_collectors(trace);
        found.extend(of_counts(expected.off(&same), &same));
    }
    found
}

/// Differences between a program's text and the trace. Two common causes have their own names: the last barrier of a region with one
/// thread isn't reported, or barriers are of the other kind, as the compiler chooses the kind.
fn of_counts(mut off: Vec<Off>, trace: &trace::Trace) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut name = |what: &str, sentence: String| found.push(Difference { what: what.to_owned(), sentence });
    let silent = silent_regions(trace);
    if silent > 0
        && let Some(implicit) =
            off.iter_mut().find(|off| off.event == event::BEGIN_IBAR && off.count < *off.wanted.start())
    {
        name("last-barrier-of-one", implicit.to_string());
        implicit.count += silent;
    }
    off.retain(|off| !off.wanted.contains(&off.count));
    let of = |event| off.iter().find(move |off| off.event == event);
    if let (Some(one), Some(other)) = (of(event::BEGIN_IBAR), of(event::BEGIN_EBAR)) {
        let wanted = one.wanted.start() + other.wanted.start()..=one.wanted.end() + other.wanted.end();
        if wanted.contains(&(one.count + other.count)) {
            name("kind-of-barrier", format!("{one}; {other}"));
            off.retain(|off| !matches!(off.event, event::BEGIN_IBAR | event::BEGIN_EBAR));
        }
    }
    found.extend(off.iter().map(|off| {
        let how = if off.count < *off.wanted.start() { "fewer" } else { "more" };
        Difference { what: format!("{how}-{}", off.word()), sentence: off.to_string() }
    }));
    let (forks, joins) = (trace.count(event::FORK), trace.count(event::JOIN));
    if forks != joins {
        let sentence = format!("{forks} times FORK but {joins} times JOIN");
        found.push(Difference { what: "unjoined".to_owned(), sentence });
    }
    found
}

/// Number of regions without workers and without a reported barrier.
fn silent_regions(trace: &trace::Trace) -> i64 {
    let reports = |event| trace.events().filter(move |r| r.event == event).map(|r| r.prid);
    let joined: BTreeSet<u64> = reports(event::END_IDLE).collect();
    reports(event::FORK).filter(|region| !joined.contains(region)).count().try_into().unwrap_or(i64::MAX)
}

/// Sentence of the rules, without the parts that differ from run to run.
fn of_sentence(sentence: String) -> Difference {
    let mut rest = sentence.as_str();
    if let Some((_, behind)) = rest.strip_prefix("thread ").and_then(|rest| rest.split_once(": ")) {
        rest = behind;
    }
    let mut words = Vec::new();
    if rest.starts_with('#') {
        // `#12 NAME (state ...): what`
        words.extend(rest.split_whitespace().nth(1));
        rest = rest.split_once("): ").map_or("", |(_, what)| what);
    } else if let Some((head, what)) = rest.split_once(" }: ") {
        // `NAME Record { ... }: what`
        words.extend(head.split_whitespace().next().filter(|word| *word != "Record"));
        rest = what;
    }
    let kept = rest.split(['(', '[', '{', '#', '"']).next().unwrap_or_default();
    let kept = kept.split_once(": Record").map_or(kept, |(what, _)| what);
    words.extend(kept.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric())));
    words.retain(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
    words.truncate(10);
    Difference { what: words.join("-"), sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(sentence: &str) -> String {
        of_sentence(sentence.to_owned()).what
    }

    #[test]
    fn a_sentence_becomes_a_word_without_numbers() {
        let sentence = "thread 12: #7 END_IBAR (state 3, wait 0x1, prid 2, parent 0 ec 6): region is 2, not 3";
        assert_eq!(what(sentence), "END_IBAR-region-is-not");
        assert_eq!(what("thread 3: idle_end Record { seq: 1, tid: 2 }: wait id: 3, not 4"), "idle_end-wait-id-not");
        assert_eq!(what("task 5 is executed again: Record { seq: 1 }"), "task-is-executed-again");
        assert_eq!(what("region ids are not dense from 1: [2, 3]"), "region-ids-are-not-dense-from");
    }

    #[test]
    fn barriers_of_the_other_kind_are_one_difference() {
        let record = |event| trace::Record { event, ..trace::Record::default() };
        let reports = |events: &[i32]| trace::Trace {
            records: events.iter().map(|e| record(*e)).collect(),
            ..trace::Trace::default()
        };
        let off = |event, count| Off { event, count, wanted: 1..=1 };
        let both = of_counts(vec![off(event::BEGIN_IBAR, 2), off(event::BEGIN_EBAR, 0)], &reports(&[]));
        assert_eq!(both.iter().map(|d| d.what.as_str()).collect::<Vec<_>>(), ["kind-of-barrier"]);
        let silent = of_counts(vec![off(event::BEGIN_IBAR, 0)], &reports(&[event::FORK, event::JOIN]));
        assert_eq!(silent.iter().map(|d| d.what.as_str()).collect::<Vec<_>>(), ["last-barrier-of-one"]);
        let one = of_counts(vec![off(event::BEGIN_EBAR, 0)], &reports(&[event::FORK]));
        assert_eq!(one.iter().map(|d| d.what.as_str()).collect::<Vec<_>>(), ["fewer-EBAR", "unjoined"]);
    }
}
