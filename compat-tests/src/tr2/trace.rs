//! Parser of the traces of `tr2/trace.c`.

use std::collections::BTreeMap;

use super::numbers::event_name;

/// Callback, with the results of the entry points that it called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tr2Record {
    /// Place in the order of all records of the process.
    pub seq: u64,
    /// The system's id of the thread.
    pub tid: i32,
    /// The event.
    pub event: i32,
    /// The callback's arguments, followed by zeros.
    pub arguments: [u64; 5],
    /// `ompt_get_thread_id`
    pub thread: u64,
    /// `ompt_get_state`
    pub state: i32,
    /// Wait id returned with the state.
    pub wait: u64,
    /// `ompt_get_parallel_id` of levels 0 and 1
    pub regions: [u64; 2],
    /// `ompt_get_parallel_team_size(0)`
    pub size: i32,
    /// `ompt_get_task_id` of depths 0 and 1
    pub tasks: [u64; 2],
    /// `ompt_get_task_frame(0)`
    pub frame: u64,
    /// Exit frame of that task.
    pub exit: u64,
    /// Reenter frame of that task.
    pub reenter: u64,
    /// `ompt_get_idle_frame`
    pub idle: u64,
}

/// All records of a process, by `seq`.
#[derive(Clone, Debug, Default)]
pub struct Tr2Trace {
    /// Number of calls of `ompt_initialize`.
    pub calls: u32,
    /// The version of the interface.
    pub interface: u32,
    /// Result of `ompt_set_callback` outside of `ompt_initialize`.
    pub too_late: i32,
    /// The runtime's version.
    pub version: String,
    /// Number of samples, and for each rule of the sampler the number of its violations.
    pub samples: (u64, Vec<u64>),
    /// Results of `ompt_set_callback` and `ompt_get_callback`, by event.
    pub answers: BTreeMap<i32, (i32, i32)>,
    /// States that `ompt_enumerate_state` returned.
    pub states: Vec<(i32, String)>,
    /// Callbacks.
    pub records: Vec<Tr2Record>,
}

impl Tr2Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// The first malformed line, or the tool's own error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut trace = Self::default();
        for (at, line) in text.lines().enumerate() {
            trace.add(line).map_err(|e| format!("line {}: {line:?}: {e}", at + 1))?;
        }
        Ok(trace)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["#", "calls", count] => self.calls = number(count)?,
            ["#", "interface", version] => self.interface = number(version)?,
            ["#", "too_late", answer] => self.too_late = number(answer)?,
            ["#", "version", version @ ..] => self.version = version.join(" "),
            ["#", "lost", "0"] => {}
            ["#", "samples", count, "torn", torn @ ..] => {
                self.samples = (number(count)?, torn.iter().map(|word| number(word)).collect::<Result<_, _>>()?);
            }
            ["#", "state", state, name] => self.states.push((number(state)?, (*name).to_owned())),
            ["#", "answer", event, set, get] => drop(self.answers.insert(number(event)?, (number(set)?, number(get)?))),
            [
                seq,
                tid,
                event,
                a,
                b,
                c,
                d,
                e,
                thread,
                state,
                wait,
                region,
                around,
                size,
                task,
                below,
                frame,
                exit,
                reenter,
                idle,
            ] => {
                self.records.push(Tr2Record {
                    seq: number(seq)?,
                    tid: number(tid)?,
                    event: number(event)?,
                    arguments: [number(a)?, number(b)?, number(c)?, number(d)?, number(e)?],
                    thread: number(thread)?,
                    state: number(state)?,
                    wait: number(wait)?,
                    regions: [number(region)?, number(around)?],
                    size: number(size)?,
                    tasks: [number(task)?, number(below)?],
                    frame: number(frame)?,
                    exit: number(exit)?,
                    reenter: number(reenter)?,
                    idle: number(idle)?,
                });
            }
            _ => return Err("no line of a trace".to_owned()),
        }
        Ok(())
    }

    /// The callbacks of each thread.
    pub fn threads(&self) -> BTreeMap<i32, Vec<&Tr2Record>> {
        let mut threads: BTreeMap<i32, Vec<&Tr2Record>> = BTreeMap::new();
        self.records.iter().for_each(|r| threads.entry(r.tid).or_default().push(r));
        threads
    }

    /// Number of reports of an event.
    pub fn count(&self, event: &str) -> usize {
        self.of(event).count()
    }

    /// The records of an event.
    pub fn of(&self, event: &str) -> impl Iterator<Item = &Tr2Record> {
        let event = super::numbers::event(event);
        self.records.iter().filter(move |r| r.event == event)
    }
}

impl Tr2Record {
    /// The event's name, without its prefix.
    pub fn name(&self) -> &'static str {
        event_name(self.event)
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word:?} is no such number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_back_word_for_word() {
        let text = "# calls 1\n# interface 1\n# version a b\n# lost 0\n# state 0 serial\n# answer 3 4 1\n\
            7 10 1 2 3 4 5 6 1 32 8 9 0 -1 11 0 12 0 13 18446744073709551615\n";
        let trace = Tr2Trace::parse(text).unwrap();
        assert_eq!((trace.calls, trace.version.as_str(), trace.answers[&3]), (1, "a b", (4, 1)));
        let r = trace.records[0];
        assert_eq!((r.seq, r.tid, r.name(), r.arguments), (7, 10, "parallel_begin", [2, 3, 4, 5, 6]));
        assert_eq!((r.state, r.wait, r.regions, r.size, r.tasks), (32, 8, [9, 0], -1, [11, 0]));
        assert_eq!((r.frame, r.exit, r.reenter, r.idle), (12, 0, 13, u64::MAX));
    }

    #[test]
    fn a_trace_with_lost_records_or_odd_lines_is_refused() {
        assert!(Tr2Trace::parse("# lost 1\n").is_err());
        assert!(Tr2Trace::parse("7 10 1 2 3\n").is_err());
        assert!(Tr2Trace::parse("x 10 1 2 3 4 5 6 1 32 8 9 0 -1 11 0 12 0 13 0\n").is_err());
    }
}
