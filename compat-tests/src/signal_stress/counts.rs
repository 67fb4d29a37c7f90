//! Counts that the stress test's libraries write to a file (`storm/storm.h` has the same lists).

use std::fs;
use std::path::Path;

/// Counted quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Signals delivered.
    Delivered,
    /// Signals delivered plus timer expirations lost in the meantime.
    Asked,
    /// Interrupted an instruction of `libora.so`.
    InOurCode,
    /// Interrupted a thread in a region.
    InRegions,
    /// Interrupted a thread in an explicit task.
    InTasks,
    /// Interrupted a thread in a state with a wait id.
    Waiting,
    /// Samples that are not compared, because the region ended between two queries.
    Moved,
    /// Threads that were interrupted.
    Timers,
    /// Threads without a timer: there were too many.
    NoTimers,
    /// Callbacks invoked.
    Callbacks,
    /// Samples that also query TR2's entry points.
    OfTr2,
    /// Samples that query OpenMP 5's entry points.
    OfFive,
    /// Threads whose system calls during queries are all detected.
    Guarded,
}

const COUNTS: usize = 32;
const VALUES: usize = 24;

/// Rules that the answers must satisfy, as worded in the table.
pub const RULES: [&str; 29] = [
    "an array of queries is walked to its end",
    "no query is refused",
    "ORA: the state is one",
    "ORA: state and region fit",
    "ORA: states that wait have a wait id, and no others",
    "ORA: who waits for a mutex waits for something",
    "ORA: outside of regions there is none around",
    "ORA: the region around a region began before it",
    "ORA: who is idle has no task",
    "ORA: who is in a region has a task",
    "ORA: no task has created itself",
    "TR2: the state is ORA's",
    "TR2: the wait id is ORA's",
    "TR2: the region is ORA's",
    "TR2: the region around is ORA's",
    "TR2: the task is ORA's",
    "TR2: who is in a region is a thread of OpenMP's",
    "TR2: who is in a region is in a team",
    "TR2: a task has frames",
    "5: the state is in the list",
    "5: the state is ORA's",
    "5: the wait id is ORA's",
    "5: the thread's word is one, and what else is said of it",
    "5: words of regions are such, with teams",
    "5: words of tasks are such, with frames, kind and index",
    "5: who is in a region is in a region",
    "no query calls the system",
    "no query asks for memory",
    "no query takes a lock",
];

const NAMES: [&str; 22] = [
    "state", "wait id", "region", "around", "is told", "task", "creator", "TR2", "state", "wait id", "region",
    "around", "task", "around", "thread", "team", "5", "state", "wait id", "region", "task", "team",
];

/// Contents of the file.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    words: Vec<u64>,
}

impl Counts {
    /// Reads the file; all counts are 0 if it doesn't exist.
    pub fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap_or_default();
        let words = bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_ne_bytes));
        Self { words: words.collect() }
    }

    fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Value of a count.
    pub fn of(&self, count: Count) -> u64 {
        self.word(count as usize)
    }

    /// Violated rules: the rule, the number of violations, and the answers of the first one.
    pub fn contradictions(&self) -> Vec<(&'static str, u64, String)> {
        let rules = RULES.iter().enumerate().map(|(rule, words)| (*words, COUNTS + rule * (VALUES + 1)));
        let broken = rules.filter(|(_, at)| self.word(*at) > 0);
        broken.map(|(words, at)| (words, self.word(at), self.answers(at + 1))).collect()
    }

    fn answers(&self, at: usize) -> String {
        let pairs = NAMES.iter().enumerate().map(|(index, name)| format!("{name} {:#x}", self.word(at + index)));
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// Adds another run's counts; the answers of the first violation are kept.
    pub fn add(&mut self, other: &Self) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        for (at, (mine, theirs)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let is_count = at < COUNTS || (at - COUNTS).is_multiple_of(VALUES + 1);
            *mine = if is_count { *mine + theirs } else { *mine };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_those_of_the_storms_header() {
        let header = fs::read_to_string(crate::library::crate_dir().join("storm/storm.h")).unwrap();
        let code =
            header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect::<String>();
        let list = |of: &str| {
            let (body, _) = code.split_once(of).unwrap().1.split_once('}').unwrap();
            // The last enumerator is the number of the others, or their limit.
            body.split(',').filter(|name| !name.trim().is_empty()).count() - 1
        };
        assert_eq!(list("enum storm_count {"), Count::Guarded as usize + 1);
        assert_eq!(list("enum storm_rule {"), RULES.len());
    }

    #[test]
    fn counts_are_added_and_first_answers_stay() {
        let one = |count, answer| {
            let mut words = vec![0; COUNTS + 2 * (VALUES + 1)];
            (words[0], words[COUNTS], words[COUNTS + 1]) = (5, count, answer);
            Counts { words }
        };
        let mut sum = one(1, 7);
        sum.add(&one(2, 9));
        assert_eq!(sum.of(Count::Delivered), 10);
        let contradictions = sum.contradictions();
        assert_eq!((contradictions.len(), contradictions[0].1), (1, 3));
        assert!(contradictions[0].2.starts_with("state 0x7,"));
        let mut sum = Counts::default();
        sum.add(&one(2, 9));
        assert_eq!(sum.contradictions()[0].1, 2);
    }
}
