//! A request buffer on its own, outside a log.

use std::fmt::Write;

use serde::Serialize;

use super::answers::Session;
use super::described::{Described, Look};
use super::text;
use super::walk::{Stop, walk};

/// A buffer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Buffer {
    /// Its entries, in order.
    pub(super) entries: Vec<Described>,
    /// The end of the list.
    pub(super) end: End,
    /// Return value of the call: 0 or -1; `null`: the library would read past the bytes that are there.
    pub(super) returns: Option<i32>,
}

/// The end of a list.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct End {
    /// Its place in the buffer.
    pub(super) offset: usize,
    /// True if a closing zero is there.
    pub(super) well_formed: bool,
    /// The same in words.
    pub(super) says: String,
}

impl Buffer {
    /// `replied`: the bytes are those of a buffer that came back.
    pub(super) fn of(bytes: &[u8], replied: bool) -> Self {
        let (found, stop) = walk(bytes);
        let mut session = Session::default();
        let mut entries = Vec::new();
        for entry in found {
            let look = if replied { Look::Answered(entry) } else { Look::Sent(entry) };
            entries.push(Described::of(look, session));
            session = session.after(&entry, replied.then_some(entry.ec));
        }
        let returns = match stop {
            Stop::Zero { .. } => Some(0),
            Stop::Size { .. } => Some(-1),
            Stop::Short { .. } | Stop::End { .. } => None,
        };
        let end = End { offset: stop.offset(), well_formed: stop.is_good(), says: stop.to_string() };
        Self { entries, end, returns }
    }

    pub(super) fn is_good(&self) -> bool {
        self.end.well_formed && !self.entries.iter().any(Described::is_faulty)
    }

    pub(super) fn text(&self) -> String {
        let mut out: String = self.entries.iter().map(text::entry).collect();
        let _ = writeln!(out, "{:>6}  {}", self.end.offset, self.end.says);
        let count = |what: fn(&Described) -> bool| self.entries.iter().filter(|entry| what(entry)).count();
        let (refused, faulty) = (count(Described::is_refused), count(Described::is_faulty));
        let entries = self.entries.len();
        let _ = write!(out, "\n{entries} {}", if entries == 1 { "entry" } else { "entries" });
        out.push_str(match self.returns {
            Some(0) => ", well-formed: the call returns 0",
            Some(_) => " before a malformed one: the call returns -1",
            None => ", then the bytes end too early",
        });
        if refused > 0 {
            let _ = write!(out, "; {refused} can't be answered OMP_ERRCODE_OK");
        }
        if faulty > 0 {
            let _ = write!(out, "; {faulty} with a reply that breaks the protocol");
        }
        out.push('\n');
        out
    }
}
