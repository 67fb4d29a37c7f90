//! Locks, critical sections, atomic updates and ordered regions (OpenMP 5.0, 4.5.2.16, 4.5.2.19 to 4.5.2.23).
#![allow(unsafe_code)] // calls tools

use super::{BEGIN, END, note_call};
use crate::ompt::mutexes;
use crate::ompt::tools::{each, tells_core};
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::c_int;
use std::mem::transmute;

type Acquire = unsafe extern "C-unwind" fn(c_int, u32, u32, u64, usize);
type Mutex = unsafe extern "C-unwind" fn(c_int, u64, usize);

pub(super) unsafe extern "C-unwind" fn acquire(kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize) {
    if tells_core() {
        note_call(code);
        mutexes::acquire(kind, hint, wait_id);
    }
    each::<{ ompt_callback_mutex_acquire as usize }>(|_, callback| {
        // SAFETY: the tool's callback for this event, with what the runtime gave, here and below.
        unsafe { transmute::<_, Acquire>(callback)(kind, hint, implementation, wait_id, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn acquired(kind: c_int, wait_id: u64, code: usize) {
    if tells_core() {
        note_call(code);
        mutexes::acquired(kind, wait_id);
    }
    each::<{ ompt_callback_mutex_acquired as usize }>(|_, callback| {
        // SAFETY: as above.
        unsafe { transmute::<_, Mutex>(callback)(kind, wait_id, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn released(kind: c_int, wait_id: u64, code: usize) {
    each::<{ ompt_callback_mutex_released as usize }>(|_, callback| {
        // SAFETY: as above.
        unsafe { transmute::<_, Mutex>(callback)(kind, wait_id, code) };
    });
    if tells_core() {
        note_call(code);
        mutexes::released(kind, wait_id);
    }
}

pub(super) unsafe extern "C-unwind" fn nest_lock(endpoint: c_int, wait_id: u64, code: usize) {
    if tells_core() && endpoint == BEGIN {
        note_call(code);
        mutexes::again(wait_id);
    }
    each::<{ ompt_callback_nest_lock as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, u64, usize);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(endpoint, wait_id, code) };
    });
    if tells_core() && endpoint == END {
        note_call(code);
        mutexes::still(wait_id);
    }
}

pub(super) unsafe extern "C-unwind" fn init(kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize) {
    if tells_core() {
        note_call(code);
        mutexes::init(kind, hint, wait_id);
    }
    each::<{ ompt_callback_lock_init as usize }>(|_, callback| {
        // SAFETY: as above.
        unsafe { transmute::<_, Acquire>(callback)(kind, hint, implementation, wait_id, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn destroy(kind: c_int, wait_id: u64, code: usize) {
    each::<{ ompt_callback_lock_destroy as usize }>(|_, callback| {
        // SAFETY: as above.
        unsafe { transmute::<_, Mutex>(callback)(kind, wait_id, code) };
    });
    if tells_core() {
        note_call(code);
        mutexes::destroy(kind, wait_id);
    }
}
