//! Frame record of a task: the runtime's frames that enclose the task's code on its thread's stack (TR2, 4.5; OpenMP
//! 5.0, 4.4.4.27).

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};

/// `ompt_frame_t` of OpenMP 5; its first two words are TR2's `ompt_frame_t`. Written by the owning thread, read also in
/// its signal handlers.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Frame {
    exit: AtomicUsize,
    enter: AtomicUsize,
    exit_flags: AtomicU32,
    enter_flags: AtomicU32,
}

const _: () = assert!(size_of::<Frame>() == 24);

system::zeroed!(Frame { exit, enter, exit_flags, enter_flags });

/// Flags of each frame: it belongs to the runtime, and is given by its canonical frame address (`ompt_frame_runtime
/// ompt_frame_cfa`).
const RUNTIME_CFA: u32 = 0x10;

impl Frame {
    /// Removes both frames.
    #[inline(always)]
    pub(crate) fn clear(&self) {
        self.set_exit(0);
        self.set_enter(0);
    }

    /// Sets the runtime's frame that calls the task's code; 0: none.
    #[inline(always)]
    pub(crate) fn set_exit(&self, frame: usize) {
        self.exit.store(frame, Relaxed);
    }

    /// Sets the runtime's frame that the task's code has called; 0: none.
    #[inline(always)]
    pub(crate) fn set_enter(&self, frame: usize) {
        self.enter.store(frame, Relaxed);
    }

    /// Sets the flags, of null frames as well, as LLVM's runtime does. For a record that a tool is about to get: records
    /// start as zeros.
    #[inline(always)]
    pub(crate) fn with_flags(&self) -> &Self {
        self.exit_flags.store(RUNTIME_CFA, Relaxed);
        self.enter_flags.store(RUNTIME_CFA, Relaxed);
        self
    }

    /// The runtime's frame that calls the task's code, or 0. Async-signal-safe.
    pub fn exit(&self) -> usize {
        self.exit.load(Relaxed)
    }

    /// The word of [`exit`](Self::exit), for the code that calls the task's code.
    #[inline(always)]
    pub fn exit_word(&self) -> *mut usize {
        self.exit.as_ptr()
    }

    /// The runtime's frame that the task's code has called, or 0. Async-signal-safe.
    pub fn enter(&self) -> usize {
        self.enter.load(Relaxed)
    }
}
