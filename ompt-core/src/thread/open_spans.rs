//! Tokens of the spans that a thread itself has open: a wait, or a worker's time in the thread pool.

use crate::interface::Token;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A thread's open spans, in case no adapter ends them.
#[repr(C)]
pub(crate) struct OpenSpans {
    wait: AtomicU64,
    idle: AtomicU64,
}

system::zeroed!(OpenSpans { wait, idle });

impl OpenSpans {
    /// Reinitialises the record for another thread.
    pub(super) fn renew(&self) {
        self.idle.store(0, Relaxed);
        self.wait.store(0, Relaxed);
    }

    /// The sessions that were notified of the wait that the thread is in.
    #[inline(always)]
    pub(crate) fn wait(&self) -> Token {
        Token::from_bits(self.wait.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_wait(&self, token: Token) {
        self.wait.store(token.bits(), Relaxed);
    }

    /// Takes the token of the wait, which ends.
    #[inline(always)]
    pub(crate) fn take_wait(&self) -> Token {
        Token::from_bits(self.wait.swap(0, Relaxed))
    }

    /// The sessions that were notified of the worker's idle span.
    #[inline(always)]
    pub(crate) fn idle(&self) -> Token {
        Token::from_bits(self.idle.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_idle(&self, token: Token) {
        self.idle.store(token.bits(), Relaxed);
    }

    /// Takes the token of the idle span, which ends.
    #[inline(always)]
    pub(crate) fn take_idle(&self) -> Token {
        Token::from_bits(self.idle.swap(0, Relaxed))
    }
}
