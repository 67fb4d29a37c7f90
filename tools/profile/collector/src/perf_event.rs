//! Events of the kernel that count a thread's CPU time (perf_event_open(2)). Unsafe: system calls.
//!
//! They come when a period is over, not at the kernel's tick, at which threads that share a processor are switched.
//! Only user code is counted: a signal that is sent while the thread is in the kernel would interrupt a call that is
//! about to wait (EINTR); a signal that is sent from user code doesn't. So time in the kernel belongs to the next
//! sample.
//!
//! The descriptor is closed immediately, since programs count and close descriptors. A page of the event's memory
//! stays mapped and keeps the event alive. A forked child has neither the event nor the page.
//!
//! The kernel queues each such signal, if it is a real-time one. When the queue is full it sends SIGIO, which ends the
//! program. And a signal that is pending while a process execs would reach the new program, whose default action may be
//! to end. So the signal must be one that doesn't queue and that is ignored by default: only
//! [`variable::HARMLESS_SIGNAL`] is.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release};

use profile_format::variable;

use crate::filter;
use crate::system::{self, Descriptor};
use ::system::memory::page_size;

const TYPE_SOFTWARE: u32 = 1;
const COUNT_TASK_CLOCK: u64 = 1;
/// Bit `exclude_kernel` of `perf_event_attr`.
const EXCLUDE_KERNEL: u64 = 1 << 5;
/// `POLL_IN`: the `si_code` of a signal that reports input (siginfo.h).
const POLL_IN: c_int = 1;
const CLOSE_ON_EXEC: c_long = 8;

/// `struct perf_event_attr` in its first version.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sampled: u64,
    read: u64,
    bits: u64,
    wakeup_events: u32,
    breakpoint: u32,
    more: u64,
}

const _: () = assert!(size_of::<Attributes>() == 64);

/// A thread's event, represented by its mapped page; null: none.
#[derive(Debug)]
pub(crate) struct Page(AtomicPtr<u8>);

impl Page {
    /// Drops the page in a forked child, where it isn't mapped.
    pub(crate) fn forget(&self) {
        // Release: pairs with the swap in `stop`.
        self.0.store(ptr::null_mut(), Release);
    }

    /// True if the thread has an event.
    pub(crate) fn is_there(&self) -> bool {
        !self.0.load(Relaxed).is_null()
    }

    /// Starts an event that sends signals to the calling thread; otherwise returns the error number.
    pub(crate) fn start(&self, signal: c_int, tid: u32, period_ns: u64) -> Result<(), c_int> {
        let event = open(period_ns).ok_or_else(system::errno)?;
        let page = event.map_shared(0, page_size()).ok_or_else(system::errno)?;
        // Stored before a signal can come. Release: pairs with the swap in `stop`; publishes the mapping.
        self.0.store(page, Release);
        event.send_signals(tid, signal).inspect_err(|_| self.stop())
    }

    /// Ends the event, if there is one. Only for the process that started it.
    pub(crate) fn stop(&self) {
        // Acquire: pairs with the store in `start`; publishes the mapping.
        let page = self.0.swap(ptr::null_mut(), AcqRel);
        if !page.is_null() {
            // SAFETY: `start` has mapped it, no thread reads it, and the swap lets one caller unmap it.
            unsafe { system::unmap(page, page_size()) };
        }
    }
}

/// Tries to open an event with this signal and period; `Err` has the error number, or 0 if events can't have the
/// signal.
pub(crate) fn try_out(signal: c_int, period_ns: u64) -> Result<(), c_int> {
    if signal != variable::HARMLESS_SIGNAL {
        return Err(0);
    }
    try_period(period_ns)
}

/// Tries to open an event with this period, regardless of the signal.
pub(crate) fn try_period(period_ns: u64) -> Result<(), c_int> {
    let event = open(period_ns).ok_or_else(system::errno)?;
    let page = event.map_shared(0, page_size()).ok_or_else(system::errno)?;
    // SAFETY: mapped just now by `map_shared`, and no other code has its address.
    unsafe { system::unmap(page, page_size()) };
    Ok(())
}

/// True if an event of this kind sent the signal.
pub(crate) fn sent(info: &libc::siginfo_t) -> bool {
    info.si_signo == variable::HARMLESS_SIGNAL && info.si_code == POLL_IN
}

fn open(period_ns: u64) -> Option<Descriptor> {
    if filter::kills() {
        system::set_errno(libc::EPERM);
        return None;
    }
    let attributes = Attributes {
        kind: TYPE_SOFTWARE,
        size: 64,
        config: COUNT_TASK_CLOCK,
        period: period_ns,
        bits: EXCLUDE_KERNEL,
        wakeup_events: 1,
        ..Attributes::default()
    };
    let (this_thread, any_processor, no_group) = (0_i64, -1_i64, -1_i64);
    // SAFETY: the attributes are readable, and contain their own length.
    let event = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            this_thread,
            any_processor,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    Descriptor::answered(event)
}
