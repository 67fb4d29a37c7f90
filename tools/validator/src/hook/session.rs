//! What the validator keeps of this process. Unsafe: a pointer that a forked child replaces.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::sync::{Mutex, PoisonError};

use crate::engine::{Around, Engine};
use crate::event::Event;
use crate::trace::Line;

/// The engine, and where its findings go.
#[derive(Debug)]
pub(super) struct Session {
    engine: Engine,
    trace: Option<File>,
}

static SESSION: AtomicPtr<Mutex<Session>> = AtomicPtr::new(ptr::null_mut());

impl Session {
    pub(super) fn new(engine: Engine, trace: Option<File>) -> Self {
        Self { engine, trace }
    }

    /// Takes one event; what its new data word is to hold.
    pub(super) fn take(&mut self, event: &Event, around: &Around) -> Option<u64> {
        if let Some(trace) = &mut self.trace {
            // A trace that can't be written is not worth a program.
            let _ = writeln!(trace, "{}", Line(event, around));
        }
        let mark = self.engine.take(event, around);
        self.publish();
        mark
    }

    pub(super) fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    pub(super) fn publish(&mut self) {
        for finding in self.engine.fresh() {
            if let Some(trace) = &mut self.trace {
                let _ = writeln!(trace, "!! {} {}", finding.rule, finding.text);
            }
        }
    }

    pub(super) fn finalize(&mut self) {
        self.engine.finalize();
        self.publish();
    }
}

/// Begins; replaces what there was (in a forked child, whose copy another thread may have locked).
pub(super) fn begin(session: Session) {
    // Never freed: other threads may still be in it. Release: who sees the pointer sees the session.
    SESSION.store(Box::into_raw(Box::new(Mutex::new(session))), Release);
}

/// Does something with the session, if there is one.
pub(super) fn with<T>(what: impl FnOnce(&mut Session) -> T) -> Option<T> {
    // Acquire: pairs with `begin`.
    let session = SESSION.load(Acquire);
    // SAFETY: null, or made in `begin` and never freed.
    let session = unsafe { session.as_ref() }?;
    Some(what(&mut session.lock().unwrap_or_else(PoisonError::into_inner)))
}
