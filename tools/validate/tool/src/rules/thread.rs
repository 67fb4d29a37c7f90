//! Rules of threads: start, end, and their data word (OpenMP 5.0, 4.5.2.1, 4.5.2.2, 4.5.2.17).

use validate_layout::event::{Event, Word};
use validate_layout::rule::Rule;

use crate::constants::status;
use crate::data_word::{Kind, Shown, kind};
use crate::engine::Engine;

/// Range of `ompt_thread_t`: initial, worker, other, unknown.
const KINDS: std::ops::RangeInclusive<i32> = 1..=4;

impl Engine {
    /// Checks that a callback is called between the start and the end of its thread.
    pub(crate) fn check_thread_lives(&mut self, thread: u64, event: &Event) {
        if matches!(event, Event::ThreadBegin { .. }) {
            return;
        }
        // Any thread may fulfill an event, even one that doesn't use OpenMP.
        let foreign = matches!(event, Event::TaskSchedule { status, .. } if status::is_fulfillment(*status));
        let known = self.model.thread(thread);
        if foreign && !known.begun {
            return;
        }
        let (begun, ended) = (known.begun, known.word != 0 && !known.begun);
        if ended {
            self.findings.check(Rule::ThreadLast, false, || "called after thread_end".to_owned());
        } else {
            self.findings.check(Rule::ThreadFirst, begun, || "called before thread_begin".to_owned());
            self.findings.check(Rule::ThreadLast, true, String::new);
        }
    }

    pub(crate) fn thread_begin(&mut self, thread: u64, kind: i32, word: Option<Word>) -> Option<u64> {
        self.findings.check(Rule::ThreadKind, KINDS.contains(&kind), || format!("kind {kind}"));
        self.check_new(Rule::ThreadNew, word);
        let again = self.model.thread(thread).begun;
        self.findings.check(Rule::ThreadOnce, !again, || "thread_begin for a thread that has begun".to_owned());
        let mark = self.model.next(Kind::Thread);
        let known = self.model.thread(thread);
        (known.begun, known.word) = (true, mark);
        Some(mark)
    }

    pub(crate) fn thread_end(&mut self, thread: u64, word: Option<Word>) {
        self.check_thread_word(thread, word);
        let known = self.model.thread(thread);
        known.begun = false;
        let (regions, left) = (std::mem::take(&mut known.regions), known.current.take());
        // A thread that libomp no longer needs doesn't leave the last barrier of a region that is over for all
        // others.
        let late = left.is_some_and(|current| self.model.region_of(current).is_some_and(|(_, r)| r.ended));
        let clean = regions.is_empty() && left.is_none();
        self.findings.check_or_let_pass(Rule::ThreadClean, clean, regions.is_empty() && late, || {
            match regions.last() {
                Some(region) => format!("{} has not ended", Shown(Some(*region))),
                None => format!("{} has not ended", Shown(left)),
            }
        });
        if let Some(left) = left.and_then(|left| self.model.end_task(left)).and_then(|task| task.region) {
            self.leave_region(left, false);
        }
    }

    /// Checks the data word that a callback passes as the thread's.
    pub(crate) fn check_thread_word(&mut self, thread: u64, word: Option<Word>) {
        let expected = self.model.thread(thread).word;
        let value = word.map(|word| word.value);
        let same = value == Some(expected) && value.and_then(kind) == Some(Kind::Thread);
        self.findings
            .check(Rule::ThreadKept, same, || format!("{} in place of {}", Shown(value), Shown(Some(expected))));
    }
}
