//! Possible answers of the library to an entry.

use serde::Serialize;

use super::layout::{Layout, callback};
use super::names::*;
use super::walk::{Entry, int};

/// State of the collector's session when an entry is processed, as far as the buffer shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Session {
    /// `Some(true)` if a session is open; `None` if the buffer doesn't show it.
    pub(super) open: Option<bool>,
    pub(super) layout: Option<Layout>,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Answer {
    /// The code.
    pub(super) ec: i32,
    /// The size of the result.
    pub(super) rsz: i32,
    /// Its condition, in words; empty: nothing else can come.
    pub(super) when: &'static str,
}

const fn answer(ec: i32, rsz: i32, when: &'static str) -> Answer {
    Answer { ec, rsz, when }
}

/// Every possible answer, the likeliest first.
pub(super) fn answers(entry: &Entry<'_>, session: Session) -> Vec<Answer> {
    if request(entry.r).is_none() {
        return vec![answer(UNKNOWN, 0, "no request has this number")];
    }
    if entry.r == START {
        let mut all = vec![
            answer(OK, 0, "no session is open"),
            answer(SEQUENCE_ERR, 0, "a session is open already"),
            answer(UNSUPPORTED, 0, "ORA_DISABLE=1 is set"),
        ];
        match session.open {
            None => {}
            Some(true) => all.retain(|a| a.ec == SEQUENCE_ERR),
            Some(false) => all.retain(|a| a.ec != SEQUENCE_ERR),
        }
        return all;
    }
    let closed = answer(SEQUENCE_ERR, 0, "no session is open");
    match session.open {
        Some(false) => vec![closed],
        Some(true) => in_session(entry, session),
        None => [in_session(entry, session), vec![closed]].concat(),
    }
}

fn in_session(entry: &Entry<'_>, session: Session) -> Vec<Answer> {
    let room = entry.mem.len();
    match entry.r {
        REGISTER if room < 12 => vec![answer(MEM_TOO_SMALL, 12, "mem has less than 12 bytes")],
        UNREGISTER if room < 4 => vec![answer(MEM_TOO_SMALL, 4, "mem has less than 4 bytes")],
        REGISTER | UNREGISTER => of_event(entry, session),
        STATE => state_answers(room, session),
        CURRENT_PRID | PARENT_PRID if room < 8 => {
            vec![answer(MEM_TOO_SMALL, 8, "mem has less than 8 bytes, and stays untouched")]
        }
        CURRENT_PRID => vec![answer(OK, 8, "")],
        PARENT_PRID => {
            vec![answer(OK, 8, "on a master, and outside of regions"), answer(THREAD_ERR, 0, "on any other thread")]
        }
        TASK_ID | TASK_PID => {
            let unsupported = answer(UNSUPPORTED, 0, "the runtime's tasks can't be seen: so on libgomp");
            let tracked = match room {
                0..4 => answer(MEM_TOO_SMALL, 4, "mem has less than 4 bytes"),
                4..8 => answer(OK, 4, "the runtime's tasks can be seen; the low half"),
                _ => answer(OK, 8, "the runtime's tasks can be seen"),
            };
            vec![unsupported, tracked]
        }
        _ => vec![answer(OK, 0, "")],
    }
}

fn of_event(entry: &Entry<'_>, session: Session) -> Vec<Answer> {
    let number = int(entry.mem, 0).unwrap_or_default();
    if event(number).is_none() {
        return vec![answer(UNKNOWN, 0, "no event has this number")];
    }
    let unsupported = if on_libgomp(number) {
        answer(UNSUPPORTED, 0, "the runtime can't raise the event; libgomp can")
    } else {
        answer(UNSUPPORTED, 0, "the runtime can't raise the event: so on libgomp")
    };
    let address = callback(entry.mem, session.layout).map(|callback| callback.address);
    let served = match (entry.r, address) {
        (UNREGISTER, _) | (_, Some(Some(0))) => vec![answer(OK, 0, "")],
        (_, Some(None)) => vec![answer(ERROR, 0, "the callback can't be the address of code")],
        _ => vec![answer(OK, 0, ""), answer(ERROR, 0, "the callback is not the address of code")],
    };
    if on_libgomp(number) { [served, vec![unsupported]].concat() } else { [vec![unsupported], served].concat() }
}

fn state_answers(room: usize, session: Session) -> Vec<Answer> {
    const WAITING: &str = "in a state that waits: IBAR, EBAR, LKWT, CTWT, ODWT, ATWT";
    const OTHER: &str = "in a state that does not wait";
    match room {
        0..4 => vec![
            answer(MEM_TOO_SMALL, 4, "mem has less than 4 bytes, in a state that does not wait"),
            answer(MEM_TOO_SMALL, 12, "mem has less than 4 bytes, in a state that waits"),
        ],
        4..12 => vec![
            answer(OK, 4, OTHER),
            answer(
                MEM_TOO_SMALL,
                12,
                "in a state that waits: there is no room for the wait id, but the state is written",
            ),
        ],
        12..16 => vec![answer(OK, 4, OTHER), answer(OK, 12, WAITING)],
        _ => {
            let padded =
                answer(OK, 16, "in a state that waits, in a session that is not packed; the wait id is at mem+8");
            let packed = answer(OK, 12, "in a state that waits, in a packed session; the wait id is at mem+4");
            let mut all = vec![answer(OK, 4, OTHER)];
            if session.layout != Some(Layout::Packed) {
                all.push(padded);
            }
            if session.layout != Some(Layout::Padded) {
                all.push(packed);
            }
            all
        }
    }
}

impl Session {
    /// State of the session after the entry, according to its reply if there is one.
    pub(super) fn after(self, entry: &Entry<'_>, reply: Option<i32>) -> Self {
        let open = match (entry.r, reply) {
            (START, Some(UNSUPPORTED)) => self.open,
            // Either the request opens a session, or one was open.
            (START, _) => Some(true),
            (STOP, None | Some(OK)) => Some(false),
            (_, Some(SEQUENCE_ERR)) if request(entry.r).is_some() => Some(false),
            // The request was served, so a session is open.
            (REGISTER..=TASK_PID, Some(OK)) => Some(true),
            _ => self.open,
        };
        let fresh = entry.r == START && reply != Some(SEQUENCE_ERR) && self.open != Some(true);
        let known = if fresh { None } else { self.layout };
        let proof = || callback(entry.mem, known).filter(|found| found.proof).and_then(|found| found.layout);
        let registers = entry.r == REGISTER && self.open != Some(false);
        Self { open, layout: known.or_else(|| if registers { proof() } else { None }) }
    }
}
