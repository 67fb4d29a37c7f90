//! Runtime routines that allocate, free and copy memory of devices, and that associate it with memory of the host.
//!
//! A routine's work on a device is reported where the device's plug-in does it (`plugin`). libgomp itself does the work on the host device,
//! which is reported here. So is an association, which doesn't involve a plug-in. Calls that libgomp refuses are not reported: a number
//! that no device has, and a routine that fails.

use super::call_data::Volume;
use super::device_number::named;
use super::instance::{PendingCall, Target, runtime};
use super::runtime::Runtime;
use ompt_core::device::{self, DataOperation, Operation, Place};
use ompt_core::thread::here;
use ompt_core::tls;
use ompt_core::v5::types::ompt_subvolume_t;
use std::ptr::with_exposed_provenance;

const NOWHERE: Place = Place { address: 0, device: 0 };

/// Calls libgomp, and reports the operation if there is one.
#[inline(always)]
fn report<T: Target<Result: Copy>>(call: PendingCall<'_, T>, data: Option<DataOperation>) -> T::Result {
    let Some((thread, data)) = here().zip(data) else { return call.go_on() };
    let within = tls::call();
    thread.current.enter_runtime(within);
    let result = thread.targets().data_operation(data, || (call.go_on(), 0));
    thread.current.leave_runtime(within);
    result
}

/// Calls libgomp, and reports the operation when it is done: only the result shows whether there was one. `done` returns the address that
/// the operation produced, or 0, if it has not failed.
#[inline(always)]
fn report_done<T: Target<Result: Copy>>(
    call: PendingCall<'_, T>,
    data: Option<DataOperation>,
    done: impl FnOnce(T::Result) -> Option<usize>,
) -> T::Result {
    let within = tls::call();
    let result = call.go_on();
    if let Some((thread, data)) = here().zip(data)
        && let Some(address) = done(result)
    {
        tls::set_call(within);
        thread.current.enter_runtime(within);
        thread.targets().data_operation(data, || ((), address));
        thread.current.leave_runtime(within);
    }
    result
}

/// `omp_target_alloc`: size, device.
#[inline(always)]
pub(super) fn allocate<T: Target<Arguments = (usize, i32), Result = usize>>(call: PendingCall<'_, T>) -> usize {
    let (bytes, device) = call.arguments();
    let host = on_host(runtime(call.instance()), device);
    let destination = host.map(|device| Place { address: 0, device });
    let data = destination.map(|to| DataOperation { bytes, ..of(Operation::Allocate, NOWHERE, to) });
    report_done(call, data, |address| (address != 0).then_some(address))
}

/// `omp_target_free`: address, device.
#[inline(always)]
pub(super) fn free<T: Target<Arguments = (usize, i32), Result = ()>>(call: PendingCall<'_, T>) {
    let (address, device) = call.arguments();
    let host = on_host(runtime(call.instance()), device).filter(|_| address != 0);
    let data = host.map(|device| of(Operation::Delete, Place { address, device }, NOWHERE));
    report(call, data);
}

/// The number of the host, if that is the device.
fn on_host(runtime: &'static Runtime, device: i32) -> Option<i32> {
    named(runtime, device).filter(|device| device.is_host).map(|host| host.device)
}

fn of(operation: Operation, source: Place, destination: Place) -> DataOperation {
    DataOperation { operation, source, destination, bytes: 0, subvolumes: None }
}

/// Destination, source, size, offsets and devices of both.
type Transfer = (usize, usize, usize, usize, usize, i32, i32);

/// The copy that the host device makes itself, if it is one.
#[inline(never)]
fn transfer(runtime: &'static Runtime, transfer: Transfer, operation: Operation) -> Option<DataOperation> {
    let (to, from, bytes, to_offset, from_offset, to_device, from_device) = transfer;
    let destination = Place { address: to.wrapping_add(to_offset), device: on_host(runtime, to_device)? };
    let source = Place { address: from.wrapping_add(from_offset), device: on_host(runtime, from_device)? };
    Some(DataOperation { bytes, ..of(operation, source, destination) })
}

/// `omp_target_memcpy`.
#[inline(always)]
pub(super) fn copy<T: Target<Arguments = Transfer, Result = i32>>(call: PendingCall<'_, T>) -> i32 {
    let data = transfer(runtime(call.instance()), call.arguments(), Operation::ToDevice);
    report(call, data)
}

/// `omp_target_memcpy_async` (gcc 13): the same, number of dependences, dependences. A task makes the copy: the call only begins it.
#[inline(always)]
pub(super) fn copy_async<
    T: Target<Arguments = (usize, usize, usize, usize, usize, i32, i32, i32, usize), Result = i32>,
>(
    call: PendingCall<'_, T>,
) -> i32 {
    let (to, from, bytes, to_offset, from_offset, to_device, from_device, _, _) = call.arguments();
    let arguments = (to, from, bytes, to_offset, from_offset, to_device, from_device);
    let data = transfer(runtime(call.instance()), arguments, Operation::ToDeviceAsync);
    report(call, data)
}

/// The fill operation, if it is on the host's memory.
#[inline(never)]
fn filling(
    runtime: &'static Runtime,
    (address, bytes, device): (usize, usize, i32),
    operation: Operation,
) -> Option<DataOperation> {
    let destination = Place { address, device: on_host(runtime, device)? };
    Some(DataOperation { bytes, ..of(operation, NOWHERE, destination) })
}

/// `omp_target_memset` (gcc 16): address, byte, size, device.
#[inline(always)]
pub(super) fn fill<T: Target<Arguments = (usize, i32, usize, i32), Result = usize>>(call: PendingCall<'_, T>) -> usize {
    let (address, _, bytes, device) = call.arguments();
    let data = filling(runtime(call.instance()), (address, bytes, device), Operation::Fill);
    report(call, data)
}

/// `omp_target_memset_async` (gcc 16): the same, number of dependences, dependences. The call only begins the
/// operation.
#[inline(always)]
pub(super) fn fill_async<T: Target<Arguments = (usize, i32, usize, i32, i32, usize), Result = usize>>(
    call: PendingCall<'_, T>,
) -> usize {
    let (address, _, bytes, device, _, _) = call.arguments();
    let data = filling(runtime(call.instance()), (address, bytes, device), Operation::FillAsync);
    report(call, data)
}

/// Destination, source, size of an element, number of dimensions, their sizes, offsets and dimensions of both, devices.
type Rectangle = (usize, usize, usize, i32, Volume, usize, usize, usize, usize, i32, i32);

/// Reports a copy of a part of an array that the host device makes itself, if it is one.
#[inline(always)]
fn report_rectangle<T: Target<Result: Copy>>(
    call: PendingCall<'_, T>,
    copy: Rectangle,
    operation: Operation,
) -> T::Result {
    let subvolumes = subvolumes(copy);
    let data = rectangle(runtime(call.instance()), copy, operation);
    let addresses = subvolumes.each_ref().map(|subvolume| std::ptr::from_ref(subvolume).expose_provenance());
    report(call, data.map(|data| DataOperation { subvolumes: Some(addresses), ..data }))
}

/// Source, destination and size of a copy.
fn subvolumes(copy: Rectangle) -> [ompt_subvolume_t; 2] {
    let (to, from, element, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes, _, _) = copy;
    [(from, from_offsets, from_sizes), (to, to_offsets, to_sizes)].map(|(base, offsets, sizes)| ompt_subvolume_t {
        base: with_exposed_provenance(base),
        size: element as u64,
        num_dims: u64::try_from(dimensions).unwrap_or(0),
        volume: volume.address(),
        offsets: with_exposed_provenance(offsets),
        dimensions: with_exposed_provenance(sizes),
    })
}

#[inline(never)]
fn rectangle(runtime: &'static Runtime, rectangle: Rectangle, operation: Operation) -> Option<DataOperation> {
    let (to, from, element, dimensions, volume, _, _, _, _, to_device, from_device) = rectangle;
    // Without addresses, the routine returns how many dimensions it can copy.
    if to == 0 || from == 0 {
        return None;
    }
    let destination = Place { address: to, device: on_host(runtime, to_device)? };
    let source = Place { address: from, device: on_host(runtime, from_device)? };
    let bytes = volume.elements(dimensions)?.checked_mul(element)?;
    Some(DataOperation { bytes, ..of(operation, source, destination) })
}

/// `omp_target_memcpy_rect`.
#[inline(always)]
pub(super) fn copy_rectangle<T: Target<Arguments = Rectangle, Result = i32>>(call: PendingCall<'_, T>) -> i32 {
    let arguments = call.arguments();
    report_rectangle(call, arguments, Operation::ToDevice)
}

/// The arguments of [`Rectangle`], number of dependences, dependences.
type RectangleAsync = (usize, usize, usize, i32, Volume, usize, usize, usize, usize, i32, i32, i32, usize);

/// `omp_target_memcpy_rect_async` (gcc 13): the call only begins the copy.
#[inline(always)]
pub(super) fn copy_rectangle_async<T: Target<Arguments = RectangleAsync, Result = i32>>(
    call: PendingCall<'_, T>,
) -> i32 {
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
    report_rectangle(call, arguments, Operation::ToDeviceAsync)
}

/// The device of an association, if it is not the host: memory of the host can't be associated.
fn associated(runtime: &'static Runtime, device: i32) -> Option<i32> {
    named(runtime, device).filter(|device| !device.is_host).map(|device| device.device)
}

/// `omp_target_associate_ptr`: address on the host, address on the device, size, offset there, device.
#[inline(always)]
pub(super) fn associate<T: Target<Arguments = (usize, usize, usize, usize, i32), Result = i32>>(
    call: PendingCall<'_, T>,
) -> i32 {
    let (host, on_device, bytes, offset, device) = call.arguments();
    let data = associated(runtime(call.instance()), device).map(|device| {
        let source = Place { address: host, device: device::devices() };
        let destination = Place { address: on_device.wrapping_add(offset), device };
        DataOperation { bytes, ..of(Operation::Associate, source, destination) }
    });
    report_done(call, data, |error| (error == 0).then_some(0))
}

/// `omp_target_disassociate_ptr`: address on the host, device.
#[inline(always)]
pub(super) fn disassociate<T: Target<Arguments = (usize, i32), Result = i32>>(call: PendingCall<'_, T>) -> i32 {
    let (address, device) = call.arguments();
    let device = associated(runtime(call.instance()), device);
    let data = device.map(|device| of(Operation::Disassociate, Place { address, device }, NOWHERE));
    report_done(call, data, |error| (error == 0).then_some(0))
}
