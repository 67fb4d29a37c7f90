//! Parser of the collectors' traces: a line for each record, in the order of one atomic counter.

use std::collections::{BTreeMap, BTreeSet};

use crate::numbers::event;

/// Callback or sample taken in a signal handler, with the answers to its queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Place in the order of all records of the process.
    pub seq: u64,
    /// The thread.
    pub tid: i32,
    /// Event number; 0 for a sample.
    pub event: i32,
    /// Answer to STATE.
    pub state: i32,
    /// Error code of STATE.
    pub state_ec: i32,
    /// Wait id returned with the state.
    pub wait: u64,
    /// Answer to CURRENT_PRID.
    pub prid: u64,
    /// Error code of CURRENT_PRID.
    pub prid_ec: i32,
    /// Answer to PARENT_PRID; in a sample, a second CURRENT_PRID taken after STATE.
    pub parent: u64,
    /// Error code of PARENT_PRID.
    pub parent_ec: i32,
    /// Answer to TASK_ID.
    pub task: u64,
    /// Answer to TASK_PID.
    pub creator: u64,
}

/// All records of a process, by `seq`.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Name of the collector that wrote it.
    pub habit: String,
    /// The initial thread.
    pub main: i32,
    /// Answers to REGISTER, by event; only some collectors record them.
    pub answers: BTreeMap<i32, i32>,
    /// Threads that still existed when the process exited.
    pub alive: BTreeSet<i32>,
    /// Callbacks and samples.
    pub records: Vec<Record>,
}

impl Trace {
    /// Parses the text of `collectors/trace.c`.
    ///
    /// # Errors
    /// The first malformed line, or the writer's own error (records lost for lack of space).
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut trace = Self::default();
        for (number, line) in text.lines().enumerate() {
            let bad = || format!("line {}: {line:?} is no line of a trace", number + 1);
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["#", "habit", habit] => trace.habit = (*habit).to_owned(),
                ["#", "main", tid] => trace.main = tid.parse().map_err(|_| bad())?,
                ["#", "alive", tid] => drop(trace.alive.insert(tid.parse().map_err(|_| bad())?)),
                ["#", "answer", event, ec] => {
                    trace.answers.insert(event.parse().map_err(|_| bad())?, ec.parse().map_err(|_| bad())?);
                }
                ["#", "lost", "0"] => (),
                ["#", "lost", count] => return Err(format!("the collector had no room for {count} records")),
                ["#", "complaint", ..] => return Err(format!("the collector complains: {line}")),
                [seq, tid, event, state, state_ec, wait, prid, prid_ec, parent, parent_ec, task, creator] => {
                    let small = |word: &str| word.parse::<i32>().map_err(|_| bad());
                    let large = |word: &str| word.parse::<u64>().map_err(|_| bad());
                    trace.records.push(Record {
                        seq: large(seq)?,
                        tid: small(tid)?,
                        event: small(event)?,
                        state: small(state)?,
                        state_ec: small(state_ec)?,
                        wait: large(wait)?,
                        prid: large(prid)?,
                        prid_ec: small(prid_ec)?,
                        parent: large(parent)?,
                        parent_ec: small(parent_ec)?,
                        task: large(task)?,
                        creator: large(creator)?,
                    });
                }
                _ => return Err(bad()),
            }
        }
        Ok(trace)
    }

    /// The callbacks, without samples.
    pub fn events(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|r| r.event != event::SAMPLE)
    }

    /// The samples.
    pub fn samples(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|r| r.event == event::SAMPLE)
    }

    /// Number of events of a kind.
    pub fn count(&self, event: i32) -> usize {
        self.events().filter(|r| r.event == event).count()
    }

    /// The callbacks of each thread.
    pub fn threads(&self) -> BTreeMap<i32, Vec<&Record>> {
        let mut threads: BTreeMap<i32, Vec<&Record>> = BTreeMap::new();
        self.events().for_each(|r| threads.entry(r.tid).or_default().push(r));
        threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_back_word_for_word() {
        let text = "# habit packed\n# main 7\n# answer 15 3\n# lost 0\n0 7 1 1 0 0 18446744073709551615 0 4 6 9 8\n";
        let trace = Trace::parse(text).unwrap();
        assert_eq!((trace.habit.as_str(), trace.main, trace.answers[&15]), ("packed", 7, 3));
        assert_eq!(trace.records[0].prid, u64::MAX);
        assert_eq!((trace.records[0].parent, trace.records[0].parent_ec), (4, 6));
    }

    #[test]
    fn a_trace_with_lost_records_or_odd_lines_is_refused() {
        assert!(Trace::parse("# lost 3\n").is_err());
        assert!(Trace::parse("# complaint callback inside callback\n").is_err());
        assert!(Trace::parse("0 7 1 1 0 0 1 0 4\n").is_err());
    }
}
