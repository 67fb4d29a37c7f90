//! Locks, critical sections, atomic updates and ordered regions (OpenMP 5.0, 4.5.2.16, 4.5.2.19 to 4.5.2.23).
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

use super::{BEGIN, END, note_call};
use crate::ompt::mutexes;
use crate::ompt::tools::reports_to_core;
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::c_int;

pub(super) unsafe extern "C-unwind" fn acquire(kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize) {
    if reports_to_core() {
        note_call(code);
        mutexes::acquire(kind, hint, wait_id);
    }
    invoke!(ompt_callback_mutex_acquire, fn(c_int, u32, u32, u64, usize), |_| (
        kind,
        hint,
        implementation,
        wait_id,
        code
    ));
}

pub(super) unsafe extern "C-unwind" fn acquired(kind: c_int, wait_id: u64, code: usize) {
    if reports_to_core() {
        note_call(code);
        mutexes::acquired(kind, wait_id);
    }
    invoke!(ompt_callback_mutex_acquired, fn(c_int, u64, usize), |_| (kind, wait_id, code));
}

pub(super) unsafe extern "C-unwind" fn released(kind: c_int, wait_id: u64, code: usize) {
    invoke!(ompt_callback_mutex_released, fn(c_int, u64, usize), |_| (kind, wait_id, code));
    if reports_to_core() {
        note_call(code);
        mutexes::released(kind, wait_id);
    }
}

pub(super) unsafe extern "C-unwind" fn nest_lock(endpoint: c_int, wait_id: u64, code: usize) {
    if reports_to_core() && endpoint == BEGIN {
        note_call(code);
        mutexes::again(wait_id);
    }
    invoke!(ompt_callback_nest_lock, fn(c_int, u64, usize), |_| (endpoint, wait_id, code));
    if reports_to_core() && endpoint == END {
        note_call(code);
        mutexes::still(wait_id);
    }
}

pub(super) unsafe extern "C-unwind" fn init(kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize) {
    if reports_to_core() {
        note_call(code);
        mutexes::init(kind, hint, wait_id);
    }
    invoke!(ompt_callback_lock_init, fn(c_int, u32, u32, u64, usize), |_| (kind, hint, implementation, wait_id, code));
}

pub(super) unsafe extern "C-unwind" fn destroy(kind: c_int, wait_id: u64, code: usize) {
    invoke!(ompt_callback_lock_destroy, fn(c_int, u64, usize), |_| (kind, wait_id, code));
    if reports_to_core() {
        note_call(code);
        mutexes::destroy(kind, wait_id);
    }
}
