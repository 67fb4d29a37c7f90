//! A trace beside what its program's text and the rules say, as differences that a list of gaps can name.

use crate::expect::{Expected, Off};
use crate::gaps::Difference;
use crate::invariants::{self, Circumstances};
use crate::numbers::event;
use crate::stacks::Compiler;
use crate::suite::Program;
use crate::{barriers, samples, tasks, tr2, trace};

/// What a collector's trace has otherwise.
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

/// What a TR2 tool's trace has otherwise.
pub fn of_tool(trace: &tr2::trace::Trace, program: &Program, threads: u32) -> Vec<Difference> {
    let wrong = tr2::rules::violations(trace, program.is_late());
    let mut found: Vec<_> = wrong.into_iter().map(of_sentence).collect();
    if let Some(expected) = Expected::of_program(program.source, threads) {
        let same = tr2::counts::as_collectors(trace);
        found.extend(of_counts(expected.off(&same), &same));
    }
    found
}

/// Barriers may be of the other kind: the compiler decides which it calls.
fn of_counts(mut off: Vec<Off>, trace: &trace::Trace) -> Vec<Difference> {
    let mut found = Vec::new();
    let at = |off: &[Off], event| off.iter().position(|o| o.event == event);
    if let (Some(implicit), Some(explicit)) = (at(&off, event::BEGIN_IBAR), at(&off, event::BEGIN_EBAR))
        && let (Some(one), Some(other)) = (off.get(implicit), off.get(explicit))
    {
        let wanted = one.wanted.start() + other.wanted.start()..=one.wanted.end() + other.wanted.end();
        if wanted.contains(&(one.count + other.count)) {
            let sentence = format!("{one}; {other}");
            off.retain(|o| !matches!(o.event, event::BEGIN_IBAR | event::BEGIN_EBAR));
            found.push(Difference { what: "kind-of-barrier".to_owned(), sentence });
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

/// A sentence of the rules' without what differs from run to run.
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
    let kept = rest.split(|c: char| c.is_ascii_digit() || "([{#\"".contains(c)).next().unwrap_or_default();
    words.extend(kept.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric())));
    words.retain(|word| !word.is_empty());
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
        assert_eq!(what(sentence), "END_IBAR-region-is");
        assert_eq!(what("thread 3: idle_end Record { seq: 1, tid: 2 }: wait id: 3, not 4"), "idle_end-wait-id");
        assert_eq!(what("region ids are not dense from 1: [2, 3]"), "region-ids-are-not-dense-from");
    }

    #[test]
    fn barriers_of_the_other_kind_are_one_difference() {
        let record = |event| trace::Record { event, ..trace::Record::default() };
        let told = |events: &[i32]| trace::Trace {
            records: events.iter().map(|e| record(*e)).collect(),
            ..trace::Trace::default()
        };
        let off = |event, count| Off { event, count, wanted: 1..=1 };
        let both = of_counts(vec![off(event::BEGIN_IBAR, 2), off(event::BEGIN_EBAR, 0)], &told(&[]));
        assert_eq!(both.iter().map(|d| d.what.as_str()).collect::<Vec<_>>(), ["kind-of-barrier"]);
        let one = of_counts(vec![off(event::BEGIN_EBAR, 0)], &told(&[event::FORK]));
        assert_eq!(one.iter().map(|d| d.what.as_str()).collect::<Vec<_>>(), ["fewer-EBAR", "unjoined"]);
    }
}
