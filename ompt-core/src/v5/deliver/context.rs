//! Context of an event: the arguments that most callbacks share.

use crate::frame::Frame;
use crate::task::Task;
use crate::thread::Thread;
use crate::tls;
use crate::v5::own_code;
use crate::v5::types::{ompt_data_t, ompt_frame_t, ompt_scope_endpoint_t};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicU64;

const _: () = assert!(size_of::<ompt_data_t>() == size_of::<AtomicU64>());
const _: () =
    assert!(size_of::<ompt_frame_t>() == size_of::<Frame>() && align_of::<ompt_frame_t>() == align_of::<Frame>());

/// Context of an event: the thread on which it happens.
#[derive(Clone, Copy)]
pub(super) struct EventContext {
    /// The calling thread.
    pub(super) thread: &'static Thread,
}

/// Endpoint that a callback reports (`ompt_scope_endpoint_t`).
#[derive(Clone, Copy)]
pub(super) enum End {
    Begin,
    End,
}

impl From<End> for ompt_scope_endpoint_t {
    #[inline(always)]
    fn from(end: End) -> Self {
        match end {
            End::Begin => Self::ompt_scope_begin,
            End::End => Self::ompt_scope_end,
        }
    }
}

impl EventContext {
    /// The task that the thread executes. If no adapter tracks tasks: the thread's initial task.
    #[inline(always)]
    pub(super) fn task(self) -> &'static Task {
        self.thread.current.task().unwrap_or(&self.thread.own_task().task)
    }

    /// The `ompt_data_t` word of the task that the thread executes.
    #[inline(always)]
    pub(super) fn task_data(self) -> *mut ompt_data_t {
        word(self.task().data())
    }

    /// The `ompt_data_t` word of the region that the thread executes; outside of all regions, that of the implicit
    /// region around them.
    #[inline(always)]
    pub(super) fn parallel_data(self) -> *mut ompt_data_t {
        word(self.thread.current.region().map_or(self.thread.identity.outside(), |region| region.data()))
    }

    /// The return address of the call that the event belongs to (`codeptr_ra`; OpenMP 5.0, 4.5.2); null if it is not
    /// known. If a function of the program jumped to the runtime, so that the call doesn't return there, an address in
    /// that function.
    #[inline(always)]
    pub(super) fn code(self) -> *const c_void {
        let address = tls::return_address();
        ptr::without_provenance(if own_code::has(address) { self.address_in_function() } else { address })
    }

    /// An address in the function that the implicit or initial task executes, as if the first instruction were a call;
    /// or 0. Inlined, though rarely needed: a call would make the compiler spill all other values at each event.
    #[inline(always)]
    fn address_in_function(self) -> usize {
        if self.task().is_created() {
            return 0;
        }
        let region = self.thread.reporting.region_of_task(self.thread.current.region());
        let function = region.map_or(0, |region| region.function());
        if function == 0 { 0 } else { function + 1 }
    }
}

/// A word of a record as the tool sees it: the tool may write it at any time, ora only clears it.
#[inline(always)]
pub(in crate::v5) fn word(word: &'static AtomicU64) -> *mut ompt_data_t {
    word.as_ptr().cast()
}

/// A task's frames as the tool sees them.
#[inline(always)]
pub(in crate::v5) fn frame(task: &'static Task) -> *mut ompt_frame_t {
    ptr::from_ref(task.frame_with_flags()).cast_mut().cast()
}
