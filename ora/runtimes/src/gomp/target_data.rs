//! Target constructs that map or copy data: target data, enter data, exit data and update.

use super::device_number::{NOWAIT, executing};
use super::instance::{Call, Target};
use ompt_core::device::{self, Construct};
use ompt_core::thread::here;
use ompt_core::tls;

/// The flag of target exit data (gcc's `gomp-constants.h`).
const EXIT: usize = 2;

/// Device, number of addresses, addresses, sizes, kinds.
type Data = (i32, usize, usize, usize, usize);
/// The same for gcc 4.9, with an unused argument after the device.
type Old = (i32, usize, usize, usize, usize, usize);
/// Device, number of addresses, addresses, sizes, kinds, flags, dependences.
type WithFlags = (i32, usize, usize, usize, usize, usize, usize);

/// `GOMP_target_data_ext`: the start of a target data region.
#[inline(always)]
pub(super) fn begin<T: Target<Arguments = Data, Result = ()>>(call: Call<'_, T>) {
    let (device, ..) = call.arguments();
    open(call, device);
}

/// `GOMP_target_data`.
#[inline(always)]
pub(super) fn begin_old<T: Target<Arguments = Old, Result = ()>>(call: Call<'_, T>) {
    let (device, ..) = call.arguments();
    open(call, device);
}

fn open<T: Target<Result = ()>>(call: Call<'_, T>, device: i32) {
    let number = executing(call.instance(), device).device;
    here().inspect(|thread| thread.targets().open_data(number));
    report(call, Construct::EnterData, false, device);
}

/// `GOMP_target_end_data`: the end of the innermost target data region.
#[inline(always)]
pub(super) fn end<T: Target<Result = ()>>(call: Call<'_, T>) {
    let device = here().and_then(|thread| thread.targets().close_data()).unwrap_or(i32::MAX);
    report(call, Construct::ExitData, false, device);
}

/// `GOMP_target_update`.
#[inline(always)]
pub(super) fn update_old<T: Target<Arguments = Old, Result = ()>>(call: Call<'_, T>) {
    let (device, ..) = call.arguments();
    report(call, Construct::Update, false, device);
}

/// `GOMP_target_update_ext`.
#[inline(always)]
pub(super) fn update<T: Target<Arguments = WithFlags, Result = ()>>(call: Call<'_, T>) {
    let (device, .., flags, _) = call.arguments();
    report(call, Construct::Update, flags & NOWAIT != 0, device);
}

/// `GOMP_target_enter_exit_data`.
#[inline(always)]
pub(super) fn enter_or_exit<T: Target<Arguments = WithFlags, Result = ()>>(call: Call<'_, T>) {
    let (device, .., flags, _) = call.arguments();
    let construct = if flags & EXIT == 0 { Construct::EnterData } else { Construct::ExitData };
    report(call, construct, flags & NOWAIT != 0, device);
}

/// Reports start and end of a construct around libgomp's call. A deferred construct ends later, inside libgomp.
fn report<T: Target<Result = ()>>(call: Call<'_, T>, construct: Construct, nowait: bool, device: i32) {
    let Some(thread) = here() else { return call.go_on() };
    let target = device::Target { construct, nowait, device: executing(call.instance(), device).device };
    let within = tls::call();
    thread.current.enter_runtime(within);
    let hidden = thread.targets().begin(target);
    let before = thread.activity.overhead();
    call.go_on();
    thread.activity.resume(before);
    tls::set_call(within);
    thread.targets().end(target, hidden);
    thread.current.leave_runtime(within);
}
