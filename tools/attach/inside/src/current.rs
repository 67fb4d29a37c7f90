//! The session of a collector in this process: none, or the newest. A collector that is attached to a running process may have
//! several sessions in turn.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};

/// A session, and its number among those of this process, from 0.
#[derive(Debug)]
pub struct Numbered<S> {
    /// Number of the session. A thread's record with another number belongs to an earlier session.
    pub number: u32,
    /// The session itself.
    pub session: S,
}

/// The newest session, while it is open.
#[derive(Debug)]
pub struct Current<S: 'static> {
    newest: AtomicPtr<Numbered<S>>,
    /// Memory of the first session. Later ones are allocated, on one of this library's own threads.
    first: OnceLock<Numbered<S>>,
    count: AtomicU32,
}

impl<S: Send + Sync + 'static> Current<S> {
    /// No session yet.
    pub const fn none() -> Self {
        Self { newest: AtomicPtr::new(ptr::null_mut()), first: OnceLock::new(), count: AtomicU32::new(0) }
    }

    /// The open session. Async-signal-safe.
    #[inline(always)]
    pub fn get(&self) -> Option<&'static Numbered<S>> {
        // Acquire: pairs with the store in `open`; publishes the session.
        let newest = self.newest.load(Acquire);
        // SAFETY: null, or what `open` stored: it is never freed.
        #[allow(unsafe_code)]
        unsafe {
            newest.as_ref()
        }
    }

    /// Opens a session. To be called by one thread at a time.
    pub fn open(&'static self, session: S) -> Option<&'static S> {
        let number = self.count.fetch_add(1, Relaxed);
        let numbered = Numbered { number, session };
        let opened = match self.first.set(numbered) {
            Ok(()) => self.first.get()?,
            // Threads may keep a reference for as long as they run, so it is never freed.
            Err(later) => &*Box::leak(Box::new(later)),
        };
        // Release: pairs with the load in `get`; publishes the session.
        self.newest.store(ptr::from_ref(opened).cast_mut(), Release);
        Some(&opened.session)
    }

    /// Closes the session: from now on there is none.
    pub fn close(&self) {
        self.newest.store(ptr::null_mut(), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_follow_one_another_and_are_numbered() {
        static SESSIONS: Current<u8> = Current::none();
        let now = || SESSIONS.get().map(|opened| (opened.number, opened.session));
        assert_eq!(now(), None);
        SESSIONS.open(7);
        assert_eq!(now(), Some((0, 7)));
        SESSIONS.close();
        assert_eq!(now(), None);
        SESSIONS.open(8);
        assert_eq!(now(), Some((1, 8)));
    }
}
