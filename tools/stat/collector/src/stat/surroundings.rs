//! Enters the surroundings of the process. Unsafe: reads the environment.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use stat_layout::stat::surroundings::Surroundings;

use crate::processor;

/// CPU time of this process that was used by an earlier program in it, or by loading this one.
static EARLIER_NS: AtomicU64 = AtomicU64::new(0);

/// The process starts, or continues as another program.
pub(super) fn begin() {
    EARLIER_NS.store(processor::cpu_ns_of_process(), Relaxed);
}

/// A thread's time starts. The first thread's settings are those of the process: a runtime has read them by then.
pub(super) fn enter_thread(surroundings: &Surroundings) {
    if let Some(mask) = processor::allowed() {
        surroundings.allow(mask);
    }
    if surroundings.is_first() {
        surroundings.enter_settings(|then| each_variable(then));
    }
}

/// The process runs its exit handlers.
pub(super) fn exit(surroundings: &Surroundings) {
    surroundings.exit(processor::cpu_ns_of_process(), EARLIER_NS.load(Relaxed));
}

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// The environment as it is now: a program may have changed it since its start.
fn each_variable(then: &mut dyn FnMut(&[u8])) {
    // SAFETY: read in the same way as by getenv(3), which the runtimes also call in their regions.
    let mut at = unsafe { environ };
    while !at.is_null() {
        // SAFETY: an entry of the array, which a null ends.
        let variable = unsafe { *at };
        if variable.is_null() {
            return;
        }
        // SAFETY: an entry is a string that ends in a zero.
        then(unsafe { CStr::from_ptr(variable) }.to_bytes());
        // SAFETY: the entry was not the null at the array's end.
        at = unsafe { at.add(1) };
    }
}
