//! One entry in words, as both the text and the JSON show it.

use serde::Serialize;

use super::answers::{Answer, Session, answers};
use super::layout::callback;
use super::names::{self, REGISTER, UNREGISTER};
use super::replies::{self, Value};
use super::walk::{Entry, int};

/// A number with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Named {
    /// The number.
    pub(super) number: i32,
    /// Its name; `null`: none has this number.
    pub(super) name: Option<&'static str>,
}

/// A callback.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Callback {
    /// Its address; `"0x0"`: NULL, which takes the registration back; `null`: nothing that could be code.
    pub(super) address: Option<String>,
    /// `"packed"` or `"padded"`.
    pub(super) layout: Option<&'static str>,
    /// Sign by which the layout is known, in words.
    pub(super) known_by: &'static str,
}

/// A reply.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Reply {
    /// Its code.
    pub(super) ec: Named,
    /// Bytes of result, or bytes needed.
    pub(super) rsz: i32,
    /// Values of the result.
    pub(super) values: Vec<Value>,
    /// True if the entry before the call is known.
    #[serde(skip)]
    pub(super) compared: bool,
    /// In a log, if bytes of `mem` changed; else the key is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changed: Option<Change>,
    /// Breaches of the protocol, in words.
    pub(super) faults: Vec<String>,
}

/// A change.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Change {
    /// First byte that changed, counted from the beginning of `mem`.
    pub(super) first: usize,
    /// Last byte that changed.
    pub(super) last: usize,
    /// The bytes before.
    pub(super) from: String,
    /// The bytes after.
    pub(super) to: String,
}

/// An entry.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Described {
    /// Its distance from the beginning of the buffer, in bytes.
    pub(super) offset: usize,
    /// Its first word: its length, with the 16 bytes of the head.
    pub(super) sz: i32,
    /// Number of bytes after the head.
    pub(super) mem_bytes: usize,
    /// These bytes.
    pub(super) mem: String,
    /// The request.
    pub(super) request: Named,
    /// Of REGISTER and UNREGISTER with room for one: the event.
    pub(super) event: Option<Named>,
    /// Of REGISTER with room for one: the callback.
    pub(super) callback: Option<Callback>,
    /// Code before the call; in a buffer that came back (`--reply`), the reply's.
    pub(super) ec_in: i32,
    /// Size of the result before the call; in a buffer that came back, the reply's.
    pub(super) rsz_in: i32,
    /// If there is no reply: the replies that the library may give, the likeliest first.
    pub(super) answers: Vec<Answer>,
    /// The reply; `null` where nothing is known of it.
    pub(super) reply: Option<Reply>,
}

/// An entry before the call, after it, or both.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look<'a> {
    /// The entry as a collector is about to send it.
    Sent(Entry<'a>),
    /// The entry as the collector found it after the call.
    Answered(Entry<'a>),
    /// The entry before and after the call.
    Both(Entry<'a>, Entry<'a>),
}

impl Described {
    pub(super) fn of(look: Look<'_>, session: Session) -> Self {
        let (entry, reply, before) = match look {
            Look::Sent(entry) => (entry, None, None),
            Look::Answered(entry) => (entry, Some(entry), None),
            Look::Both(entry, reply) => (entry, Some(reply), Some(entry)),
        };
        let event = match entry.r {
            REGISTER | UNREGISTER => int(entry.mem, 0).map(|number| Named { number, name: names::event(number) }),
            _ => None,
        };
        let callback = (entry.r == REGISTER).then(|| callback(entry.mem, session.layout)).flatten();
        Self {
            offset: entry.offset,
            sz: entry.sz,
            mem_bytes: entry.mem.len(),
            mem: hex(entry.mem),
            request: Named { number: entry.r, name: names::request(entry.r) },
            event,
            callback: callback.map(|found| Callback {
                address: found.address.map(|address| format!("{address:#x}")),
                layout: found.layout.map(super::layout::Layout::word),
                known_by: found.known,
            }),
            ec_in: entry.ec,
            rsz_in: entry.rsz,
            answers: if reply.is_none() { answers(&entry, session) } else { Vec::new() },
            reply: reply.map(|reply| Reply {
                ec: Named { number: reply.ec, name: names::code(reply.ec) },
                rsz: reply.rsz,
                compared: before.is_some(),
                values: replies::values(&reply),
                changed: before.and_then(|before| change(&before, &reply)),
                faults: replies::faults(&reply, before.as_ref()),
            }),
        }
    }

    /// True if the reply breaks the protocol.
    pub(super) fn is_faulty(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| !reply.faults.is_empty())
    }

    /// True if the library refuses the entry in every session.
    pub(super) fn is_refused(&self) -> bool {
        self.reply.is_none() && self.answers.iter().all(|answer| answer.ec != names::OK)
    }
}

fn change(before: &Entry<'_>, after: &Entry<'_>) -> Option<Change> {
    let changed: Vec<usize> = replies::changed(before, after).collect();
    let (first, last) = (*changed.first()?, *changed.last()?);
    let part = |entry: &Entry<'_>| entry.mem.get(first..=last).map(hex).unwrap_or_default();
    Some(Change { first, last, from: part(before), to: part(after) })
}

/// At most 64 bytes, followed by dots if there are more.
pub(super) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
    let dots = if bytes.len() > 64 { " ..." } else { "" };
    shown.chunks(4).map(<[String]>::concat).collect::<Vec<_>>().join(" ") + dots
}
