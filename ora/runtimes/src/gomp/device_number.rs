//! The device that executes a target construct.

use super::instance::{Instance, runtime};
use super::names::Entry;
use super::routines::{DEFAULT_DEVICE, DEVICES, INITIAL_DEVICE, Question};
use super::runtime::Runtime;
use ompt_core::device;

/// libgomp's number of the default device (gcc's `gomp-constants.h`).
const DEFAULT: i32 = -1;
/// `omp_default_device` (OpenMP 6.1; `omp.h` of gcc 16).
const DEFAULT_BY_NAME: i32 = -5;
/// The flag of a target task that may be deferred.
pub(super) const NOWAIT: usize = 1;

/// A device, by its number.
#[derive(Clone, Copy)]
pub(super) struct Executing {
    pub(super) device: i32,
    /// True for the host device.
    pub(super) is_host: bool,
}

/// The device of a construct, by the number in its call. Asks libgomp for its devices, as libgomp itself does first in
/// such a call.
#[inline(always)]
pub(super) fn executing(instance: impl Instance, device: i32) -> Executing {
    of_runtime(runtime(instance), device)
}

#[inline(never)]
fn of_runtime(runtime: &'static Runtime, device: i32) -> Executing {
    let number = |get: Question| runtime.answer(get).cast_signed();
    let devices = number(DEVICES);
    device::set_devices(devices);
    let device = if device == DEFAULT { number(DEFAULT_DEVICE) } else { resolved(runtime, device) };
    let is_host = device < 0 || device >= devices;
    Executing { device: if is_host { devices } else { device }, is_host }
}

/// The default device's number in place of its name.
fn resolved(runtime: &'static Runtime, device: i32) -> i32 {
    // The library of gcc 16, which knows the name, also introduced this routine.
    let is_default = device == DEFAULT_BY_NAME && runtime.has(Entry::omp_target_memset);
    if is_default { runtime.answer(DEFAULT_DEVICE).cast_signed() } else { device }
}

/// The device of a runtime routine, by the number that the program passes; `None` if no device has that number.
#[inline(never)]
pub(super) fn named(runtime: &'static Runtime, device: i32) -> Option<Executing> {
    /// `omp_initial_device` (OpenMP 5.2).
    const INITIAL: i32 = -1;
    let [devices, initial] = [DEVICES, INITIAL_DEVICE].map(|get| runtime.answer(get).cast_signed());
    device::set_devices(devices);
    let device = resolved(runtime, device);
    // libgomp supports that constant since gcc 13, which also introduced this routine.
    let is_host = device == initial || device == INITIAL && runtime.has(Entry::omp_target_memcpy_async);
    let is_there = is_host || (0..devices).contains(&device);
    is_there.then_some(Executing { device: if is_host { devices } else { device }, is_host })
}
