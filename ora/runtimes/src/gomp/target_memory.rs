//! Runtime routines that allocate, free and copy memory of devices, and those that associate it with memory of the host.
//!
//! The work of a routine on a device is reported where its plug-in does it (`plugin`). On the host device libgomp does it itself:
//! that is reported here, and so is an association, of which no plug-in knows.

use super::call_data::Volume;
use super::device_number::named;
use super::instance::{Call, Target, runtime};
use super::runtime::Runtime;
use ompt_core::device::{DataOperation, Operation, Place};
use ompt_core::thread::here;
use ompt_core::tls;

const NOWHERE: Place = Place { address: 0, device: 0 };

/// Calls libgomp, and reports the operation if there is one.
#[inline(always)]
fn report<T: Target<Result: Copy>>(
    call: Call<'_, T>,
    data: Option<DataOperation>,
    address: impl FnOnce(T::Result) -> usize,
) -> T::Result {
    let Some((thread, data)) = here().zip(data) else { return call.go_on() };
    let within = tls::call();
    thread.current.enter_runtime(within);
    let result = thread.targets().data_operation(data, || {
        let result = call.go_on();
        (result, address(result))
    });
    thread.current.leave_runtime(within);
    result
}

/// `omp_target_alloc`: size, device.
#[inline(always)]
pub(super) fn allocate<T: Target<Arguments = (usize, i32), Result = usize>>(call: Call<'_, T>) -> usize {
    let (bytes, device) = call.arguments();
    let at = named(runtime(call.instance()), device);
    let destination = Place { address: 0, device: at.device };
    let data = DataOperation { operation: Operation::Allocate, source: NOWHERE, destination, bytes };
    report(call, at.is_host.then_some(data), |address| address)
}

/// `omp_target_free`: address, device.
#[inline(always)]
pub(super) fn free<T: Target<Arguments = (usize, i32), Result = ()>>(call: Call<'_, T>) {
    let (address, device) = call.arguments();
    let at = named(runtime(call.instance()), device);
    let source = Place { address, device: at.device };
    let data = DataOperation { operation: Operation::Delete, source, destination: NOWHERE, bytes: 0 };
    report(call, (at.is_host && address != 0).then_some(data), |()| 0);
}

/// Destination, source, size, offsets and devices of both.
type Transfer = (usize, usize, usize, usize, usize, i32, i32);

/// The copy that the host device makes itself, if it is one.
#[inline(never)]
fn transfer(runtime: &'static Runtime, transfer: Transfer, operation: Operation) -> Option<DataOperation> {
    let (to, from, bytes, to_offset, from_offset, to_device, from_device) = transfer;
    let [to_device, from_device] = [to_device, from_device].map(|device| named(runtime, device));
    let destination = Place { address: to.wrapping_add(to_offset), device: to_device.device };
    let source = Place { address: from.wrapping_add(from_offset), device: from_device.device };
    (to_device.is_host && from_device.is_host).then_some(DataOperation { operation, source, destination, bytes })
}

/// `omp_target_memcpy`.
#[inline(always)]
pub(super) fn copy<T: Target<Arguments = Transfer, Result = i32>>(call: Call<'_, T>) -> i32 {
    let data = transfer(runtime(call.instance()), call.arguments(), Operation::ToDevice);
    report(call, data, |_| 0)
}

/// `omp_target_memcpy_async` (gcc 13): the same, number of dependences, dependences. A task makes the copy: the call begins it.
#[inline(always)]
pub(super) fn copy_async<
    T: Target<Arguments = (usize, usize, usize, usize, usize, i32, i32, i32, usize), Result = i32>,
>(
    call: Call<'_, T>,
) -> i32 {
    let (to, from, bytes, to_offset, from_offset, to_device, from_device, _, _) = call.arguments();
    let arguments = (to, from, bytes, to_offset, from_offset, to_device, from_device);
    let data = transfer(runtime(call.instance()), arguments, Operation::ToDeviceAsync);
    report(call, data, |_| 0)
}

/// Destination, source, size of an element, number of dimensions, their sizes, offsets and dimensions of both, devices.
type Rectangle = (usize, usize, usize, i32, Volume, usize, usize, usize, usize, i32, i32);

/// The copy that the host device makes itself, if it is one.
#[inline(never)]
fn rectangle(runtime: &'static Runtime, rectangle: Rectangle, operation: Operation) -> Option<DataOperation> {
    let (to, from, element, dimensions, volume, _, _, _, _, to_device, from_device) = rectangle;
    let [to_device, from_device] = [to_device, from_device].map(|device| named(runtime, device));
    let destination = Place { address: to, device: to_device.device };
    let source = Place { address: from, device: from_device.device };
    let bytes = element.wrapping_mul(volume.elements(dimensions));
    // Without addresses the routine answers how many dimensions it can copy.
    let copies = to != 0 && from != 0 && to_device.is_host && from_device.is_host;
    copies.then_some(DataOperation { operation, source, destination, bytes })
}

/// `omp_target_memcpy_rect`.
#[inline(always)]
pub(super) fn copy_rectangle<T: Target<Arguments = Rectangle, Result = i32>>(call: Call<'_, T>) -> i32 {
    let data = rectangle(runtime(call.instance()), call.arguments(), Operation::ToDevice);
    report(call, data, |_| 0)
}

/// The same, number of dependences, dependences.
type RectangleAsync = (usize, usize, usize, i32, Volume, usize, usize, usize, usize, i32, i32, i32, usize);

/// `omp_target_memcpy_rect_async` (gcc 13): the call begins the copy.
#[inline(always)]
pub(super) fn copy_rectangle_async<T: Target<Arguments = RectangleAsync, Result = i32>>(call: Call<'_, T>) -> i32 {
    let (
        to,
        from,
        element,
        count,
        volume,
        to_offsets,
        from_offsets,
        to_sizes,
        from_sizes,
        to_device,
        from_device,
        _,
        _,
    ) = call.arguments();
    let arguments =
        (to, from, element, count, volume, to_offsets, from_offsets, to_sizes, from_sizes, to_device, from_device);
    let data = rectangle(runtime(call.instance()), arguments, Operation::ToDeviceAsync);
    report(call, data, |_| 0)
}

/// `omp_target_associate_ptr`: address on the host, address on the device, size, offset there, device.
#[inline(always)]
pub(super) fn associate<T: Target<Arguments = (usize, usize, usize, usize, i32), Result = i32>>(
    call: Call<'_, T>,
) -> i32 {
    let (host, on_device, bytes, offset, device) = call.arguments();
    let source = Place { address: host, device: named(runtime(call.instance()), i32::MAX).device };
    let destination =
        Place { address: on_device.wrapping_add(offset), device: named(runtime(call.instance()), device).device };
    report(call, Some(DataOperation { operation: Operation::Associate, source, destination, bytes }), |_| 0)
}

/// `omp_target_disassociate_ptr`: address on the host, device.
#[inline(always)]
pub(super) fn disassociate<T: Target<Arguments = (usize, i32), Result = i32>>(call: Call<'_, T>) -> i32 {
    let (address, device) = call.arguments();
    let source = Place { address, device: named(runtime(call.instance()), device).device };
    let operation = Operation::Disassociate;
    report(call, Some(DataOperation { operation, source, destination: NOWHERE, bytes: 0 }), |_| 0)
}
