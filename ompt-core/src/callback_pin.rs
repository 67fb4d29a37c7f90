//! Reader pin of a tool on one thread: while it is set, the thread may be inside a callback, and the tool's code and data must stay loaded.
//! The module `quiescence` waits for it.

#[cfg(not(loom))]
use std::sync::atomic::compiler_fence as light_fence;
#[cfg(loom)]
use system::sync::fence as light_fence;
use system::sync::{AtomicUsize, Ordering::*};

/// The stack address below which the thread is inside a callback, or 0. Only that thread sets it.
#[derive(Debug)]
pub(crate) struct CallbackPin(AtomicUsize);

#[cfg(not(loom))]
system::zeroed!(CallbackPin { 0 });

impl CallbackPin {
    #[cfg(loom)]
    fn unset() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Sets the pin, before the callback is looked up. `stack` is the address of the frame that invokes the callback. False if the thread
    /// is already inside a callback.
    #[inline(always)]
    pub(crate) fn set(&self, stack: usize) -> bool {
        if self.is_inside(stack) {
            return false;
        }
        self.0.store(stack, Relaxed);
        // SeqCst, for the compiler alone: keeps the store before the loads of the callback. Pairs with the barrier on all threads in
        // `wait_for_quiescence`, which orders them for the processor.
        light_fence(SeqCst);
        true
    }

    /// Clears the pin after a callback.
    #[inline(always)]
    pub(crate) fn release(&self) {
        // Release: pairs with the load in `is_set`; what the callback read and wrote comes before the tool's end.
        self.0.store(0, Release);
    }

    /// Clears the pin if no callback has run.
    #[inline(always)]
    pub(crate) fn forgo(&self) {
        self.0.store(0, Relaxed);
    }

    /// True if the calling thread, which has this stack pointer, is inside a callback. A pin whose frame is gone (an
    /// exception, a longjmp) doesn't count.
    #[inline(always)]
    pub(crate) fn is_inside(&self, stack: usize) -> bool {
        self.0.load(Relaxed) > stack
    }

    /// True if the pin is set, asked by another thread.
    pub(crate) fn is_set(&self) -> bool {
        // Acquire: pairs with the store in `release`.
        self.0.load(Acquire) != 0
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::subscription::Callback;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::fence;
    use loom::thread;

    struct Tool {
        pin: CallbackPin,
        callback: Callback,
        data: UnsafeCell<u32>,
    }

    impl Tool {
        /// Like `dispatch::invoke`.
        fn event(&self) {
            assert!(self.pin.set(0x1000));
            if self.callback.get().is_none() {
                return self.pin.forgo();
            }
            self.data.with(|_| ());
            self.pin.release();
        }

        /// Like the end of a session, followed by `wait_for_quiescence`.
        fn end(&self) {
            self.callback.set(0);
            // Replaces the barrier on all threads, which turns each light fence into a full one.
            fence(SeqCst);
            while self.pin.is_set() {
                thread::yield_now();
            }
            self.data.with_mut(|_| ());
        }
    }

    #[test]
    fn no_callback_touches_the_data_of_a_tool_that_has_ended() {
        loom::model(|| {
            let tool =
                Arc::new(Tool { pin: CallbackPin::unset(), callback: Callback::none(), data: UnsafeCell::new(0) });
            tool.callback.set(1);
            let thread = {
                let tool = tool.clone();
                thread::spawn(move || tool.event())
            };
            tool.end();
            thread.join().unwrap();
        });
    }
}
