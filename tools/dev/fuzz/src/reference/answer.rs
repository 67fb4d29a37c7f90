//! Reference implementation of one entry: the answer to each request.

use super::memory::Bytes;
use super::state::{Capabilities, EVENTS, Here, Layout, Session, WaitId};

const OK: i32 = 0;
const ERROR: i32 = 1;
const UNKNOWN: i32 = 2;
const UNSUPPORTED: i32 = 3;
const SEQUENCE_ERR: i32 = 4;
const THREAD_ERR: i32 = 6;
const MEM_TOO_SMALL: i32 = 7;

/// States with a wait id: IBAR, EBAR, LKWT, CTWT, ODWT, ATWT.
const WAITING: [i32; 6] = [3, 4, 8, 9, 10, 11];

/// An entry's `mem`: `room` bytes, starting at `at`.
pub(super) struct Entry<'a, M> {
    pub(super) memory: &'a mut M,
    pub(super) at: usize,
    pub(super) room: usize,
    pub(super) unseen: &'a mut Vec<usize>,
}

impl<M: Bytes> Entry<'_, M> {
    /// Serves the request `r`; returns the answer's `ec` and `rsz`.
    pub(super) fn serve(
        &mut self,
        r: i32,
        session: &mut Session,
        here: &Here,
        capabilities: &Capabilities,
    ) -> (i32, i32) {
        if !(0..=10).contains(&r) {
            return (UNKNOWN, 0);
        }
        if r == 0 {
            return start(session);
        }
        if !session.started {
            return (SEQUENCE_ERR, 0);
        }
        match r {
            1 => self.register(session, capabilities),
            2 => self.unregister(session, capabilities),
            3 => self.state(session, here),
            4 => self.region(Some(here.region)),
            5 => self.region(here.parent),
            6 => {
                let (disabled, number) = (session.disabled, session.number);
                *session = Session { disabled, number, ..Session::default() };
                (OK, 0)
            }
            7 | 8 => {
                session.paused = r == 7;
                (OK, 0)
            }
            _ if !capabilities.tasks => (UNSUPPORTED, 0),
            9 => self.task(here.task),
            _ => self.task(here.creator),
        }
    }

    /// Number of a supported event, or the answer that rejects it.
    fn event(&self, capabilities: &Capabilities) -> Result<usize, (i32, i32)> {
        let number = self.memory.word(self.at);
        let event = usize::try_from(number).ok().filter(|n| (1..EVENTS).contains(n)).ok_or((UNKNOWN, 0))?;
        if capabilities.events.get(event) == Some(&true) { Ok(event) } else { Err((UNSUPPORTED, 0)) }
    }

    fn register(&mut self, session: &mut Session, capabilities: &Capabilities) -> (i32, i32) {
        if self.room < 12 {
            return (MEM_TOO_SMALL, 12);
        }
        let packed = self.memory.long(self.at + 4);
        let (callback, proof) = if self.room < 16 {
            let fine = packed == 0 || capabilities.is_code(packed);
            (fine.then_some(packed), Some(Layout::Packed))
        } else {
            let padded = self.memory.long(self.at + 8);
            match (capabilities.is_code(packed), capabilities.is_code(padded)) {
                (true, true) if session.layout == Some(Layout::Packed) => (Some(packed), None),
                (true, true) => (Some(padded), None),
                (true, false) => (Some(packed), Some(Layout::Packed)),
                (false, true) => (Some(padded), Some(Layout::Padded)),
                (false, false) if packed == 0 && padded == 0 => (Some(0), None),
                (false, false) => (None, None),
            }
        };
        session.layout = session.layout.or(proof);
        match (self.event(capabilities), callback) {
            (Err(answer), _) => answer,
            (Ok(_), None) => (ERROR, 0),
            (Ok(event), Some(callback)) => set(session, event, callback),
        }
    }

    fn unregister(&mut self, session: &mut Session, capabilities: &Capabilities) -> (i32, i32) {
        if self.room < 4 {
            return (MEM_TOO_SMALL, 4);
        }
        self.event(capabilities).map_or_else(|answer| answer, |event| set(session, event, 0))
    }

    fn state(&mut self, session: &Session, here: &Here) -> (i32, i32) {
        let waits = WAITING.contains(&here.state);
        if self.room < 4 {
            return (MEM_TOO_SMALL, if waits { 12 } else { 4 });
        }
        self.memory.set_word(self.at, here.state);
        if !waits {
            return (OK, 4);
        }
        if self.room < 12 {
            return (MEM_TOO_SMALL, 12);
        }
        let packed = self.room < 16 || session.layout == Some(Layout::Packed);
        let place = self.at + if packed { 4 } else { 8 };
        match here.wait {
            WaitId::Known(id) => self.memory.set_long(place, id),
            WaitId::Unseen => self.unseen.push(place),
        }
        (OK, if packed { 12 } else { 16 })
    }

    fn region(&mut self, id: Option<u64>) -> (i32, i32) {
        if self.room < 8 {
            return (MEM_TOO_SMALL, 8);
        }
        let Some(id) = id else { return (THREAD_ERR, 0) };
        self.memory.set_long(self.at, id);
        (OK, 8)
    }

    fn task(&mut self, id: u64) -> (i32, i32) {
        if self.room < 4 {
            return (MEM_TOO_SMALL, 4);
        }
        let size = if self.room < 8 { 4 } else { 8 };
        for (i, byte) in id.to_le_bytes().into_iter().take(size).enumerate() {
            self.memory.set_byte(self.at + i, byte);
        }
        (OK, if size == 4 { 4 } else { 8 })
    }
}

fn start(session: &mut Session) -> (i32, i32) {
    if session.disabled {
        return (UNSUPPORTED, 0);
    }
    if session.started {
        return (SEQUENCE_ERR, 0);
    }
    *session = Session { started: true, number: session.number + 1, ..Session::default() };
    (OK, 0)
}

fn set(session: &mut Session, event: usize, callback: u64) -> (i32, i32) {
    if let Some(slot) = session.callbacks.get_mut(event) {
        *slot = callback;
    }
    (OK, 0)
}
