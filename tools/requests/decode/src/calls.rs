//! A log's calls, each with the buffer before and after the call.

use std::collections::HashMap;
use std::fmt::Write;

use request_format::end;
use serde::Serialize;
use terminal::printable::Shown as _;

use super::answers::Session;
use super::described::{Described, Look, Named};
use super::names;
use super::records::{Damage, Item, Log, Record};
use super::text;
use super::walk::{Entry, Stop, walk};

/// A log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Calls {
    /// The items, in the order in which they began.
    pub(super) items: Vec<Shown>,
    /// Bytes that are no whole record.
    pub(super) damage: Vec<Damage>,
    /// Number of records that could not be written.
    pub(super) lost_records: u64,
}

/// An item.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Shown {
    /// `"run"`: the start of a program by `ora run`.
    Run {
        /// The program and its arguments.
        command: Vec<String>,
    },
    /// `"program"`: a process begins with this program, or executes it.
    Program {
        /// Number of the process.
        pid: u32,
        /// The file that answers its calls; empty: none, every call returns -1.
        library: String,
        /// Its own file.
        program: String,
    },
    /// `"call"`: a call of `__omp_collector_api`.
    Call(Call),
    /// `"end"`: the end of a call whose beginning is not in the log, or in another process.
    End {
        /// Number of the process.
        pid: u32,
        /// The thread.
        tid: u32,
        /// The call's number in the log.
        call: u64,
        /// Its return value.
        result: i32,
    },
}

/// A call.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Call {
    /// Its number in the log.
    pub(super) call: u64,
    /// Number of the process.
    pub(super) pid: u32,
    /// The thread.
    pub(super) tid: u32,
    /// Its beginning on the monotonic clock.
    pub(super) time_ns: u64,
    /// The same since the log's first call.
    pub(super) since_first_ns: u64,
    /// Its duration, recording included; `null`: it has not returned.
    pub(super) took_ns: Option<u64>,
    /// Its return value; `null`: it has not returned.
    pub(super) result: Option<i32>,
    /// Address of its buffer.
    pub(super) address: String,
    /// The number of the call that the same thread was in: this one came from a callback or a signal handler.
    pub(super) within: Option<u64>,
    /// The entries of its buffer.
    pub(super) entries: Vec<Described>,
    /// Place of the end of the list; `null`: no byte could be read.
    pub(super) end_offset: Option<usize>,
    /// The end, in words.
    pub(super) end: String,
    /// True if it ends well or goes on past what a record holds.
    pub(super) well_formed: bool,
    /// Faults of the call as a whole, in words.
    pub(super) faults: Vec<String>,
}

impl Calls {
    pub(super) fn of(log: Log<'_>) -> Self {
        let mut sessions: HashMap<u32, Session> = HashMap::new();
        let mut first = None;
        let items = log.items.into_iter().map(|item| match item {
            Item::Log(command) => Shown::Run { command },
            Item::Program { pid, library, program } => {
                sessions.insert(pid, Session { open: Some(false), layout: None });
                Shown::Program { pid, library, program }
            }
            Item::Call { call, end, within } => {
                let first = *first.get_or_insert(call.head.time_ns);
                let session = sessions.entry(call.head.pid).or_default();
                Shown::Call(Call { within, ..one(call, end, first, session) })
            }
            Item::End(Record { head, .. }) => {
                Shown::End { pid: head.pid, tid: head.tid, call: head.call, result: head.result }
            }
        });
        Self { items: items.collect(), damage: log.damage, lost_records: log.lost }
    }

    pub(super) fn is_good(&self) -> bool {
        self.calls().all(Call::is_good)
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.items.iter().filter_map(|item| if let Shown::Call(call) = item { Some(call) } else { None })
    }

    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for item in &self.items {
            let _ = match item {
                Shown::Run { command } => writeln!(out, "run: {}", command.join(" ").shown()),
                Shown::Program { pid, library, program } if library.is_empty() => {
                    writeln!(out, "process {pid}: {}; NO LIBRARY answers there: every call returns -1", program.shown())
                }
                Shown::Program { pid, library, program } => {
                    writeln!(out, "process {pid}: {}; {} answers", program.shown(), library.shown())
                }
                Shown::Call(call) => write!(out, "\n{}", call.text()),
                Shown::End { pid, tid, call, result } => {
                    writeln!(out, "\n#{call} returned {result} in process {pid}, thread {tid}: it was called elsewhere")
                }
            };
        }
        for damage in &self.damage {
            let _ = writeln!(
                out,
                "\nthe {} bytes at offset {} of the log are not a whole record",
                damage.bytes, damage.offset
            );
        }
        let (all, bad) = (self.calls().count(), self.calls().filter(|call| !call.is_good()).count());
        let open = self.calls().filter(|call| call.result.is_none()).count();
        let _ = write!(out, "\n{all} {}", if all == 1 { "call" } else { "calls" });
        for (count, what) in [(open, "without an end"), (bad, "malformed or breaking the protocol")] {
            if count > 0 {
                let _ = write!(out, ", {count} {what}");
            }
        }
        if self.lost_records > 0 {
            let _ = write!(out, "; {} records could not be written", self.lost_records);
        }
        out.push('\n');
        out
    }
}

fn one(call: Record<'_>, back: Option<Record<'_>>, first: u64, session: &mut Session) -> Call {
    let head = call.head;
    let (found, stop) = walk(call.bytes);
    let cut = matches!(head.end, end::CUT);
    let whole = back.filter(|back| back.bytes.len() == call.bytes.len());
    let mut entries = Vec::new();
    for entry in &found {
        let reply = whole.and_then(|back| Entry::at(back.bytes, entry.offset, entry.mem.len() + super::walk::HEAD));
        let look = reply.map_or(Look::Sent(*entry), |reply| Look::Both(*entry, reply));
        entries.push(Described::of(look, *session));
        *session = session.after(entry, reply.map(|reply| reply.ec));
    }
    let mut faults = Vec::new();
    if let Some(back) = back {
        let wanted = if matches!(head.end, end::ZERO) { 0 } else { -1 };
        if !cut && head.end != end::UNREADABLE && back.head.result != wanted {
            faults.push(format!("the call returned {} in place of {wanted}", back.head.result));
        }
        let behind = (call.bytes.get(stop.offset()..), back.bytes.get(stop.offset()..));
        if !cut && whole.is_some() && behind.0 != behind.1 {
            faults.push(format!("the bytes at offset {}, where the list ends, have changed", stop.offset()));
        }
    }
    Call {
        call: head.call,
        pid: head.pid,
        tid: head.tid,
        time_ns: head.time_ns,
        since_first_ns: head.time_ns.saturating_sub(first),
        took_ns: back.map(|back| back.head.time_ns.saturating_sub(head.time_ns)),
        result: back.map(|back| back.head.result),
        address: format!("{:#x}", head.address),
        within: None,
        entries,
        end_offset: (!call.bytes.is_empty()).then(|| stop.offset()),
        end: ending(head.end, stop),
        well_formed: matches!(head.end, end::ZERO | end::CUT),
        faults,
    }
}

/// Text for the end of the buffer. If the buffer was recorded whole, the walk provides it.
fn ending(end: u32, stop: Stop) -> String {
    match end {
        end::NULL => "MALFORMED: the pointer is NULL. The call returns -1".to_owned(),
        end::ALIGNMENT => "MALFORMED: the buffer does not start at a multiple of 4. The call returns -1".to_owned(),
        end::CUT => match stop {
            Stop::Short { sz, r, .. } => {
                let request = Named { number: r.unwrap_or(-1), name: r.and_then(names::request) }.say("request");
                format!("{request}, sz {sz}: the buffer is longer than a record, which ends with this head")
            }
            _ => "the buffer is longer than a record, which ends here".to_owned(),
        },
        end::UNREADABLE => "the buffer could not be read".to_owned(),
        _ => stop.to_string(),
    }
}

impl Call {
    fn is_good(&self) -> bool {
        self.well_formed && self.faults.is_empty() && !self.entries.iter().any(Described::is_faulty)
    }

    fn text(&self) -> String {
        let seconds = self.since_first_ns as f64 / 1e9;
        let mut out = format!("#{}  process {}, thread {}, at {seconds:.6} s", self.call, self.pid, self.tid);
        if let Some(within) = self.within {
            let _ = write!(out, ", within #{within}");
        }
        let _ = match (self.took_ns, self.result) {
            (Some(took), Some(result)) => writeln!(out, ": returned {result} after {:.1} us", took as f64 / 1e3),
            _ => writeln!(out, ": HAS NOT RETURNED (its thread or process ended, or something was thrown through it)"),
        };
        let _ = writeln!(out, "        buffer {}", self.address);
        for entry in &self.entries {
            out.push_str(&text::entry(entry));
        }
        match self.end_offset {
            Some(offset) => {
                let _ = writeln!(out, "{offset:>6}  {}", self.end);
            }
            None => {
                let _ = writeln!(out, "        {}", self.end);
            }
        }
        for fault in &self.faults {
            let _ = writeln!(out, "        BREAKS THE PROTOCOL: {fault}");
        }
        out
    }
}
