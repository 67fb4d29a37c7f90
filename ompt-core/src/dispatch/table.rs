//! Dispatch table of an interface.

use crate::detail::Detail;
use crate::event::Event;
use crate::interface::{Interface, Token};
use crate::thread::Thread;

/// Dispatches one event on the calling thread, by [`invoke`](super::invoke). Returns the session that could be notified of a span's
/// start.
pub type Invoke = fn(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) -> Token;

/// Dispatch table of an interface: one function for each event, so that none has to test which event it is.
#[derive(Debug)]
pub struct Callbacks {
    of: [Invoke; Event::COUNT],
    /// The position of the interface's epoch in a token.
    pub(super) shift: usize,
}

impl Callbacks {
    /// The table of an interface without callbacks.
    pub const fn none(interface: Interface) -> Self {
        Self { of: [|_, _, _, _| Token::NONE; Event::COUNT], shift: interface.shift() }
    }

    /// The table with this function for that event.
    #[must_use]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub const fn with(mut self, event: Event, invoke: Invoke) -> Self {
        self.of[event as usize & (Event::COUNT - 1)] = invoke;
        self
    }

    /// The function of that event.
    #[inline(always)]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub(super) fn of(&self, event: Event) -> Invoke {
        self.of[event as usize & (Event::COUNT - 1)]
    }

    /// The interface's epoch in that token.
    #[inline(always)]
    pub(super) fn epoch_in(&self, token: Token) -> u32 {
        token.at(self.shift)
    }
}

/// A [`Callbacks`] table: for each event the expression that prepares the call of the tool's callback, of the type
/// `Option<impl FnOnce()>`, from thread, detail and epoch. `None` if the tool has not registered a callback. An
/// expression only reads, since errno is not kept around it.
#[macro_export]
macro_rules! callbacks {
    ($interface:expr, |$thread:pat_param, $detail:pat_param, $epoch:pat_param|: $($event:ident => $prepare:expr;)*) => {
        $crate::dispatch::Callbacks::none($interface)$(.with($crate::event::Event::$event, |thread, _, detail, epoch| {
            let ($thread, $detail, $epoch) = (thread, detail, epoch);
            $crate::dispatch::invoke($interface, $crate::event::Event::$event, thread, epoch, || $prepare)
        }))*
    };
}
