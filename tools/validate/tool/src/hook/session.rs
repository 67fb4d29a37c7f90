//! State of the validator in this process. Unsafe: a pointer that a forked child replaces.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::sync::{Mutex, PoisonError};

use validate_layout::event::Event;
use validate_layout::process_table::{Process, flag};

use super::code_map::CodeMap;
use crate::engine::{Engine, EventContext};
use crate::memory;
use crate::trace::Line;

/// The engine, and the destinations of its findings.
#[derive(Debug)]
pub(super) struct Session {
    /// The engine; `None` if events are only counted.
    engine: Option<Engine>,
    process: &'static Process,
    trace: Option<File>,
    code: CodeMap,
}

static SESSION: AtomicPtr<Mutex<Session>> = AtomicPtr::new(ptr::null_mut());

impl Session {
    pub(super) fn new(engine: Option<Engine>, process: &'static Process, trace: Option<File>, code: CodeMap) -> Self {
        Self { engine, process, trace, code }
    }

    /// Processes one event; returns the new value of its data word.
    pub(super) fn take(&mut self, event: &Event, mut around: EventContext) -> Option<u64> {
        if let Some(count) = self.process.events.get(event.callback() as usize) {
            count.fetch_add(1, Relaxed);
        }
        if let Some(trace) = &mut self.trace {
            // If the trace can't be written, the program continues nevertheless.
            let _ = writeln!(trace, "{}", Line(event, &around));
        }
        let has_room = self.engine.as_mut().is_none_or(|engine| engine.make_room().is_ok());
        if (memory::is_of_reserve() || !has_room) && self.engine.take().is_some() {
            self.process.raise(flag::SHORT);
        }
        let engine = self.engine.as_mut()?;
        around.place = event.code().filter(|code| *code != 0).map(|code| self.code.place(code)).unwrap_or_default();
        let mark = engine.take(event, &around);
        self.publish();
        mark
    }

    /// Calls the engine, and stores its new findings.
    pub(super) fn engine<T>(&mut self, what: impl FnOnce(&mut Engine) -> T) -> Option<T> {
        let done = self.engine.as_mut().map(what);
        self.publish();
        done
    }

    /// Entry of this process in the process table.
    pub(super) fn process(&self) -> &'static Process {
        self.process
    }

    fn publish(&mut self) {
        for finding in self.engine.as_mut().map(Engine::fresh).unwrap_or_default() {
            if let Some(trace) = &mut self.trace {
                let _ = writeln!(trace, "!! {}: {}", finding.rule, finding.text);
            }
            self.process.enter(&finding, self.code.origin(finding.code));
        }
    }

    pub(super) fn finalize(&mut self) {
        self.process.raise(flag::FINALIZED);
        self.engine(Engine::finalize);
    }
}

/// True if the session checks events, so that the runtime may be queried.
pub(super) fn checks() -> bool {
    with(|session| session.engine.is_some()).unwrap_or_default()
}

/// Installs a session, replacing the previous one: in a forked child another thread may have locked its copy.
pub(super) fn begin(session: Session) {
    // Never freed: other threads may still be using it. Release: pairs with the load in `with`; publishes the
    // session.
    SESSION.store(Box::into_raw(Box::new(Mutex::new(session))), Release);
}

/// Calls `what` with the session, if there is one.
pub(super) fn with<T>(what: impl FnOnce(&mut Session) -> T) -> Option<T> {
    // Acquire: pairs with the store in `begin`.
    let session = SESSION.load(Acquire);
    // SAFETY: null, or allocated in `begin` and never freed.
    let session = unsafe { session.as_ref() }?;
    Some(what(&mut session.lock().unwrap_or_else(PoisonError::into_inner)))
}
