//! Target regions and devices (OpenMP 5.0, 4.5.2.24 to 4.5.2.28; 5.1 for those with `emi`): passed on. The words that the
//! latter have of their own are the first tool's.
#![allow(unsafe_code)] // calls tools

use super::{Word, word_of};
use crate::ompt::tools::each;
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

pub(super) unsafe extern "C-unwind" fn target(
    kind: c_int,
    endpoint: c_int,
    device: c_int,
    task: *const Word,
    target: u64,
    code: usize,
) {
    each::<{ ompt_callback_target as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, c_int, c_int, *const Word, u64, usize);
        // SAFETY: the tool's callback for this event, with what the runtime gave, here and below.
        unsafe { transmute::<_, Call>(callback)(kind, endpoint, device, word_of(tool, task), target, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn target_emi(
    kind: c_int,
    endpoint: c_int,
    device: c_int,
    task: *const Word,
    target_task: *const Word,
    target: *mut Word,
    code: usize,
) {
    each::<{ ompt_callback_target_emi as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, c_int, c_int, *const Word, *const Word, *mut Word, usize);
        let call = unsafe { transmute::<_, Call>(callback) };
        // SAFETY: as above.
        unsafe { call(kind, endpoint, device, word_of(tool, task), word_of(tool, target_task), target, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn data_op(
    target: u64,
    operation: u64,
    kind: c_int,
    source: *mut c_void,
    source_device: c_int,
    destination: *mut c_void,
    destination_device: c_int,
    bytes: usize,
    code: usize,
) {
    each::<{ ompt_callback_target_data_op as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(u64, u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, usize);
        let call = unsafe { transmute::<_, Call>(callback) };
        // SAFETY: as above.
        unsafe { call(target, operation, kind, source, source_device, destination, destination_device, bytes, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn data_op_emi(
    endpoint: c_int,
    target_task: *const Word,
    target: *mut Word,
    operation: *mut u64,
    kind: c_int,
    source: *mut c_void,
    source_device: c_int,
    destination: *mut c_void,
    destination_device: c_int,
    bytes: usize,
    code: usize,
) {
    each::<{ ompt_callback_target_data_op_emi as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(
            c_int,
            *const Word,
            *mut Word,
            *mut u64,
            c_int,
            *mut c_void,
            c_int,
            *mut c_void,
            c_int,
            usize,
            usize,
        );
        let (call, task) = (unsafe { transmute::<_, Call>(callback) }, word_of(tool, target_task));
        let (from, to) = ((source, source_device), (destination, destination_device));
        // SAFETY: as above.
        unsafe { call(endpoint, task, target, operation, kind, from.0, from.1, to.0, to.1, bytes, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn submit(target: u64, operation: u64, teams: u32) {
    each::<{ ompt_callback_target_submit as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(u64, u64, u32);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(target, operation, teams) };
    });
}

pub(super) unsafe extern "C-unwind" fn submit_emi(endpoint: c_int, target: *mut Word, operation: *mut u64, teams: u32) {
    each::<{ ompt_callback_target_submit_emi as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, *mut Word, *mut u64, u32);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(endpoint, target, operation, teams) };
    });
}

/// What is mapped: addresses on host and device, sizes, flags.
type Items = (*mut *mut c_void, *mut *mut c_void, *mut usize, *mut u32);

pub(super) unsafe extern "C-unwind" fn map(
    target: u64,
    count: u32,
    host: *mut *mut c_void,
    device: *mut *mut c_void,
    bytes: *mut usize,
    flags: *mut u32,
    code: usize,
) {
    let items: Items = (host, device, bytes, flags);
    each::<{ ompt_callback_target_map as usize }>(|_, callback| {
        type Call =
            unsafe extern "C-unwind" fn(u64, u32, *mut *mut c_void, *mut *mut c_void, *mut usize, *mut u32, usize);
        let call = unsafe { transmute::<_, Call>(callback) };
        // SAFETY: as above.
        unsafe { call(target, count, items.0, items.1, items.2, items.3, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn map_emi(
    target: *mut Word,
    count: u32,
    host: *mut *mut c_void,
    device: *mut *mut c_void,
    bytes: *mut usize,
    flags: *mut u32,
    code: usize,
) {
    let items: Items = (host, device, bytes, flags);
    each::<{ ompt_callback_target_map_emi as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(
            *mut Word,
            u32,
            *mut *mut c_void,
            *mut *mut c_void,
            *mut usize,
            *mut u32,
            usize,
        );
        let call = unsafe { transmute::<_, Call>(callback) };
        // SAFETY: as above.
        unsafe { call(target, count, items.0, items.1, items.2, items.3, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn initialize(
    device: c_int,
    kind: *const c_char,
    handle: *mut c_void,
    lookup: usize,
    documentation: *const c_char,
) {
    each::<{ ompt_callback_device_initialize as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, *const c_char, *mut c_void, usize, *const c_char);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(device, kind, handle, lookup, documentation) };
    });
}

pub(super) unsafe extern "C-unwind" fn finalize(device: c_int) {
    each::<{ ompt_callback_device_finalize as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(device) };
    });
}

pub(super) unsafe extern "C-unwind" fn load(
    device: c_int,
    file: *const c_char,
    offset: i64,
    vma: *mut c_void,
    bytes: usize,
    host: *mut c_void,
    address: *mut c_void,
    module: u64,
) {
    each::<{ ompt_callback_device_load as usize }>(|_, callback| {
        type Call =
            unsafe extern "C-unwind" fn(c_int, *const c_char, i64, *mut c_void, usize, *mut c_void, *mut c_void, u64);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(device, file, offset, vma, bytes, host, address, module) };
    });
}

pub(super) unsafe extern "C-unwind" fn unload(device: c_int, module: u64) {
    each::<{ ompt_callback_device_unload as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(c_int, u64);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(device, module) };
    });
}
