//! Target constructs that map or copy data: target data, enter data, exit data and update.

use super::call_data::Dependences;
use super::device_number::{NOWAIT, executing};
use super::instance::{PendingCall, Target};
use super::target;
use super::target_task::{Clauses, Included};
use ompt_core::device::{self, Construct};
use ompt_core::thread::here;
use ompt_core::tls;

/// The flag of target exit data (gcc's `gomp-constants.h`).
const EXIT: usize = 2;

/// Device, number of addresses, addresses, sizes, kinds.
type Data = (i32, usize, usize, usize, usize);
/// [`Data`] of gcc 4.9, with an unused argument after the device.
type Old = (i32, usize, usize, usize, usize, usize);
/// Device, number of addresses, addresses, sizes, kinds, flags, dependences.
type WithFlags<'call> = (i32, usize, usize, usize, usize, usize, Dependences<'call>);

/// `GOMP_target_data_ext`: the start of a target data region.
#[inline(always)]
pub(super) fn begin<T: Target<Arguments = Data, Result = ()>>(call: PendingCall<'_, T>) {
    let (device, ..) = call.arguments();
    open(call, device);
}

/// `GOMP_target_data`.
#[inline(always)]
pub(super) fn begin_old<T: Target<Arguments = Old, Result = ()>>(call: PendingCall<'_, T>) {
    let (device, ..) = call.arguments();
    open(call, device);
}

fn open<T: Target<Result = ()>>(call: PendingCall<'_, T>, device: i32) {
    let number = executing(call.instance(), device).device;
    here().inspect(|thread| thread.targets().open_data(number));
    report(call, Construct::EnterData, Clauses::NONE, device);
}

/// `GOMP_target_end_data`: the end of the innermost target data region.
#[inline(always)]
pub(super) fn end<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let device = here().and_then(|thread| thread.targets().close_data()).unwrap_or(i32::MAX);
    report(call, Construct::ExitData, Clauses::NONE, device);
}

/// `GOMP_target_update`.
#[inline(always)]
pub(super) fn update_old<T: Target<Arguments = Old, Result = ()>>(call: PendingCall<'_, T>) {
    let (device, ..) = call.arguments();
    report(call, Construct::Update, Clauses::NONE, device);
}

/// `GOMP_target_update_ext`.
#[inline(always)]
pub(super) fn update<'call, T: Target<Arguments = WithFlags<'call>, Result = ()>>(call: PendingCall<'_, T>) {
    let (device, .., flags, depend) = call.arguments();
    report(call, Construct::Update, Clauses { nowait: flags & NOWAIT != 0, depend: depend.any(), function: 0 }, device);
}

/// `GOMP_target_enter_exit_data`.
#[inline(always)]
pub(super) fn enter_or_exit<'call, T: Target<Arguments = WithFlags<'call>, Result = ()>>(call: PendingCall<'_, T>) {
    let (device, .., flags, depend) = call.arguments();
    let construct = if flags & EXIT == 0 { Construct::EnterData } else { Construct::ExitData };
    report(call, construct, Clauses { nowait: flags & NOWAIT != 0, depend: depend.any(), function: 0 }, device);
}

/// Reports start and end of a construct around libgomp's call. A deferred construct ends later, inside libgomp.
fn report<T: Target<Result = ()>>(call: PendingCall<'_, T>, construct: Construct, clauses: Clauses<'_>, device: i32) {
    let Some(thread) = here() else { return call.go_on() };
    let instance = call.instance();
    let device = executing(instance, device).device;
    let within = tls::call();
    let included = target::included(thread, instance, clauses);
    target::enter_runtime(thread, within, included.as_ref());
    let task = included.as_ref().map(Included::words);
    let target = device::Target { construct, nowait: clauses.nowait, device, task };
    let hidden = thread.targets().begin(target);
    let before = thread.activity.overhead();
    call.go_on();
    thread.activity.resume(before);
    tls::set_call(within);
    thread.targets().end(target, hidden);
    included.into_iter().for_each(|included| target::leave_included(thread, included));
    thread.current.leave_runtime(within);
}
