//! Target regions and devices (OpenMP 5.0, 4.5.2.24 to 4.5.2.28; 5.1 for the events with `emi`): passed on. The words of the
//! latter's own are the first tool's.
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

use super::{Word, word_of};
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::{c_char, c_int, c_void};

pub(super) unsafe extern "C-unwind" fn target(
    kind: c_int,
    endpoint: c_int,
    device: c_int,
    task: *const Word,
    target: u64,
    code: usize,
) {
    invoke!(ompt_callback_target, fn(c_int, c_int, c_int, *const Word, u64, usize), |tool| (
        kind,
        endpoint,
        device,
        word_of(tool, task),
        target,
        code
    ));
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
    invoke!(ompt_callback_target_emi, fn(c_int, c_int, c_int, *const Word, *const Word, *mut Word, usize), |tool| (
        kind,
        endpoint,
        device,
        word_of(tool, task),
        word_of(tool, target_task),
        target,
        code
    ));
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
    invoke!(
        ompt_callback_target_data_op,
        fn(u64, u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, usize),
        |_| (target, operation, kind, source, source_device, destination, destination_device, bytes, code)
    );
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
    invoke!(
        ompt_callback_target_data_op_emi,
        fn(c_int, *const Word, *mut Word, *mut u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, usize),
        |tool| (
            endpoint,
            word_of(tool, target_task),
            target,
            operation,
            kind,
            source,
            source_device,
            destination,
            destination_device,
            bytes,
            code
        )
    );
}

pub(super) unsafe extern "C-unwind" fn submit(target: u64, operation: u64, teams: u32) {
    invoke!(ompt_callback_target_submit, fn(u64, u64, u32), |_| (target, operation, teams));
}

pub(super) unsafe extern "C-unwind" fn submit_emi(endpoint: c_int, target: *mut Word, operation: *mut u64, teams: u32) {
    invoke!(ompt_callback_target_submit_emi, fn(c_int, *mut Word, *mut u64, u32), |_| (
        endpoint, target, operation, teams
    ));
}

pub(super) unsafe extern "C-unwind" fn map(
    target: u64,
    count: u32,
    host: *mut *mut c_void,
    device: *mut *mut c_void,
    bytes: *mut usize,
    flags: *mut u32,
    code: usize,
) {
    invoke!(
        ompt_callback_target_map,
        fn(u64, u32, *mut *mut c_void, *mut *mut c_void, *mut usize, *mut u32, usize),
        |_| (target, count, host, device, bytes, flags, code)
    );
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
    invoke!(
        ompt_callback_target_map_emi,
        fn(*mut Word, u32, *mut *mut c_void, *mut *mut c_void, *mut usize, *mut u32, usize),
        |_| (target, count, host, device, bytes, flags, code)
    );
}

pub(super) unsafe extern "C-unwind" fn initialize(
    device: c_int,
    kind: *const c_char,
    handle: *mut c_void,
    lookup: usize,
    documentation: *const c_char,
) {
    invoke!(ompt_callback_device_initialize, fn(c_int, *const c_char, *mut c_void, usize, *const c_char), |_| (
        device,
        kind,
        handle,
        lookup,
        documentation
    ));
}

pub(super) unsafe extern "C-unwind" fn finalize(device: c_int) {
    invoke!(ompt_callback_device_finalize, fn(c_int), |_| (device));
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
    invoke!(
        ompt_callback_device_load,
        fn(c_int, *const c_char, i64, *mut c_void, usize, *mut c_void, *mut c_void, u64),
        |_| (device, file, offset, vma, bytes, host, address, module)
    );
}

pub(super) unsafe extern "C-unwind" fn unload(device: c_int, module: u64) {
    invoke!(ompt_callback_device_unload, fn(c_int, u64), |_| (device, module));
}
