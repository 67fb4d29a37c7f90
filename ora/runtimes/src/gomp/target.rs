//! Target regions that the host device executes: `GOMP_target` and `GOMP_target_ext`, where no other device does.
//!
//! libgomp then calls the program's function on a thread that it has removed from its team; for a target task that may be
//! another thread, later. So libgomp gets a function of ours, and the program's function as the first of the mapped addresses.
//! Devices know functions by their addresses, so calls that may reach a device are passed on unchanged and unreported.
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::arguments::TargetFunction;
use super::instance::{Call, Instance, Target, go_on_with, runtime};
use super::own_team::want_team;
use super::routines::{DEFAULT_DEVICE, DEVICES, Question};
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::mem::{MaybeUninit, transmute};
use std::sync::atomic::Ordering::*;
use system::arch::stack_pointer;
use system::warning;

/// libgomp's numbers (gcc's `gomp-constants.h`): the default device; a target task that may be deferred.
const DEFAULT: i32 = -1;
const NOWAIT: usize = 1;

type Function = unsafe extern "C-unwind" fn(*mut usize);
/// Device, function, nothing, number of addresses, addresses, sizes, kinds.
type Old = (i32, TargetFunction, usize, usize, usize, usize, usize);
/// Device, function, number of addresses, addresses, sizes, kinds, flags, dependences, arguments.
type Region = (i32, TargetFunction, usize, usize, usize, usize, usize, usize, usize);

/// `GOMP_target`, of gcc 4.9: kinds of mapping have one byte.
#[inline(always)]
pub(super) fn old<T: Target<Arguments = Old, Result = ()>, const OMPT: bool>(this: Call<'_, T>) {
    let (device, TargetFunction(function), unused, count, addresses, sizes, kinds) = this.arguments();
    let arrays = [(addresses, 8), (sizes, 8), (kinds, 1)];
    let call = |function, count, [addresses, sizes, kinds]: [usize; 3]| {
        // SAFETY: libgomp gets the arguments of the program's call, with `body` in place of its function and arrays of `count`
        // elements by `copies`, or all as it was; `body` finds the program's function in the first of the addresses.
        unsafe {
            go_on_with(this.target(), (device, TargetFunction(function), unused, count, addresses, sizes, kinds))
        };
    };
    // SAFETY: the program's call (`T`) passes arrays of `count` elements, of 8, 8 and 1 bytes (libgomp_g.h).
    unsafe { pass_on::<_, OMPT>(this.instance(), device, function, count, arrays, call) };
}

/// `GOMP_target_ext`: kinds of mapping have two bytes.
#[inline(always)]
pub(super) fn region<T: Target<Arguments = Region, Result = ()>, const OMPT: bool>(this: Call<'_, T>) {
    let (device, TargetFunction(function), count, addresses, sizes, kinds, flags, depend, arguments) = this.arguments();
    if flags & NOWAIT != 0 {
        here().inspect(|thread| want_team(thread)).inspect(|thread| thread.note_queued());
    }
    let arrays = [(addresses, 8), (sizes, 8), (kinds, 2)];
    let call = |function, count, [addresses, sizes, kinds]: [usize; 3]| {
        // SAFETY: libgomp gets the arguments of the program's call, with `body` in place of its function and arrays of `count`
        // elements by `copies`, or all as it was; `body` finds the program's function in the first of the addresses.
        unsafe {
            go_on_with(
                this.target(),
                (device, TargetFunction(function), count, addresses, sizes, kinds, flags, depend, arguments),
            )
        };
    };
    // SAFETY: the program's call (`T`) passes arrays of `count` elements, of 8, 8 and 2 bytes (libgomp_g.h).
    unsafe { pass_on::<_, OMPT>(this.instance(), device, function, count, arrays, call) };
}

/// Calls libgomp with our function and one address more, if the host device will execute the region.
///
/// # Safety
/// The arrays have `count` elements of so many bytes each.
unsafe fn pass_on<I: Instance, const OMPT: bool>(
    instance: I,
    device: i32,
    function: usize,
    count: usize,
    arrays: [(usize, usize); 3],
    call: impl Fn(usize, usize, [usize; 3]),
) {
    /// Number of elements that fit on the stack.
    const FEW: usize = 16;
    let as_it_is = || call(function, count, arrays.map(|(array, _)| array));
    let Some(thread) = here().filter(|_| is_host(instance, device)) else { return as_it_is() };
    let within = tls::call();
    thread.enter_runtime(within);
    let before = thread.overhead();
    let ours = if OMPT { ompt_body as *const () } else { body::<false> as *const () } as usize;
    if count < FEW {
        let mut block = [const { MaybeUninit::<u64>::uninit() }; 3 * FEW];
        // SAFETY: by this function's `# Safety` the arrays have `count` elements; `count` is less than `FEW`, so that one more
        // of each has room.
        call(ours, count + 1, unsafe { copies(block.as_mut_ptr().cast(), function, count, arrays) });
    } else {
        // SAFETY: by this function's `# Safety` the arrays have `count` elements of so many bytes, at most 8.
        unsafe { pass_on_many(function, count, arrays, |block| call(ours, count + 1, block), as_it_is) };
    }
    thread.resume(before);
    tls::set_call(within);
    thread.leave_runtime(within);
}

/// Calls libgomp as [`pass_on`] does, for more elements than fit on the stack.
///
/// # Safety
/// As for [`copies`].
#[cold]
#[inline(never)]
unsafe fn pass_on_many(
    function: usize,
    count: usize,
    arrays: [(usize, usize); 3],
    call: impl Fn([usize; 3]),
    as_it_is: impl Fn(),
) {
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let block = unsafe { libc::malloc((count + 1) * 3 * 8) };
    if block.is_null() {
        warning::of_refused_memory();
        return as_it_is();
    }
    // SAFETY: by this function's `# Safety` the arrays have `count` elements; the block has room for one more of each at 8
    // bytes.
    call(unsafe { copies(block.cast(), function, count, arrays) });
    // SAFETY: `block` came from `malloc` above; libgomp has executed the region, or copied the arrays for a target task
    // (libgomp's `gomp_create_target_task`).
    unsafe { libc::free(block) };
}

/// True if the host device executes a target region for that device. Asks libgomp for its devices, as it does itself first of
/// all.
fn is_host(instance: impl Instance, device: i32) -> bool {
    let number = |get: Question| runtime(instance).answer(get).cast_signed();
    let devices = number(DEVICES);
    let device = if device == DEFAULT { number(DEFAULT_DEVICE) } else { device };
    device < 0 || device >= devices
}

/// Copies the arrays of addresses, sizes and kinds into a block, one behind the other. Each gets one element before the others:
/// the program's function, of size 0, mapped in the plainest way.
///
/// # Safety
/// The arrays have `count` elements of so many bytes, at most 8; the block has room for one more of each at 8 bytes.
unsafe fn copies(block: *mut u8, function: usize, count: usize, arrays: [(usize, usize); 3]) -> [usize; 3] {
    let mut place = block;
    let mut first = function;
    arrays.map(|(array, size)| {
        let start = place;
        place = place.wrapping_add((count + 1) * 8);
        // SAFETY: by this function's `# Safety` the block has room for three arrays of `count + 1` words; `malloc` and the
        // array of `u64` align it to 8 bytes.
        unsafe { start.cast::<usize>().write(first) };
        first = 0;
        if count != 0 {
            let rest = start.wrapping_add(size);
            // SAFETY: by this function's `# Safety` `array` has `count` elements of `size` bytes, and the room at `start` is
            // one element larger; the program's arrays do not overlap the block, which is ours.
            unsafe { rest.copy_from_nonoverlapping(array as *const u8, count * size) };
        }
        start.addr()
    })
}

system::record_and_jump! {
    /// As [`body`], and records its frame.
    fn ompt_body(), "ora_thread", 16, body::<true>
}

/// Function that libgomp calls in place of the program's.
///
/// # Safety
/// `addresses` are those of [`copies`].
unsafe extern "C-unwind" fn body<const OMPT: bool>(addresses: *mut usize) {
    let frame = if OMPT { tls::call().frame } else { 0 };
    // SAFETY: by this function's `# Safety` the first of the addresses is a word of `copies`.
    let address = unsafe { addresses.read() };
    // SAFETY: that word is the program's function (`copies`), of type `void (void *)` (libgomp_g.h).
    let function: Function = unsafe { transmute(address) };
    let arguments = addresses.wrapping_add(1);
    let entered = here().and_then(|thread| enter(thread, stack_pointer(), address, frame));
    // SAFETY: the function takes the program's own addresses, which follow the first one; libgomp would make the same call.
    unsafe { function(arguments) };
    if let Some((thread, region, creating)) = entered {
        thread.leave_target(region);
        thread.creating().store(creating, Relaxed);
    }
}

type Entered = (&'static Thread, &'static ompt_core::region::Region, usize);

/// Begins a target region on the thread, outside of all calls that create tasks.
fn enter(thread: &'static Thread, stack: usize, function: usize, frame: usize) -> Option<Entered> {
    let region = thread.enter_target(stack, function, frame)?;
    Some((thread, region, thread.creating().swap(0, Relaxed)))
}
