//! Target regions: `GOMP_target` and `GOMP_target_ext`.
//!
//! For the host device libgomp calls the program's function on a thread that it has removed from its team; for a target task that may be
//! another thread, later. So libgomp gets a function of ours, and the program's function as the first of the mapped addresses. Devices know
//! functions by their addresses, so calls that reach a device are passed on unchanged: the construct's start and end are reported, and the
//! operations of its plug-in (`plugin`).
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::arguments::TargetFunction;
use super::call_data::{Dependences, RequestedTeams};
use super::device_number::{Executing, NOWAIT, executing};
use super::instance::{Instance, PendingCall, Target, go_on_with};
use super::own_team::want_team;
use super::target_task::{self, Clauses, Deferred, Included};
use super::task_wait;
use ompt_core::device::{self, Construct};
use ompt_core::target_construct;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::ffi::c_void;
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use system::arch::stack_pointer;
use system::warning;

type Function = unsafe extern "C-unwind" fn(*mut usize);
/// Device, function, unused, number of addresses, addresses, sizes, kinds.
type Old = (i32, TargetFunction, usize, usize, usize, usize, usize);
/// Device, function, number of addresses, addresses, sizes, kinds, flags, dependences, arguments.
type Region = (i32, TargetFunction, usize, usize, usize, usize, usize, usize, RequestedTeams);

/// A program's call for a target region.
#[derive(Clone, Copy)]
struct Launch<'call> {
    clauses: Clauses<'call>,
    /// The number of teams that it requests; 0: any number.
    teams: u32,
    /// The number of addresses, and the arrays of addresses, sizes and kinds, each with the size of its elements in
    /// bytes.
    count: usize,
    arrays: [(usize, usize); 3],
}

/// The words that our function gets before the program's addresses: the program's function, the return address of a call
/// whose construct our function reports (otherwise 0), the number of teams, and the record of a deferred task (otherwise 0).
const OURS: usize = 4;

/// `GOMP_target` of gcc 4.9: kinds of mapping have one byte.
#[inline(always)]
pub(super) fn old<T: Target<Arguments = Old, Result = ()>, const OMPT: bool>(this: PendingCall<'_, T>) {
    let (device, TargetFunction(function), unused, count, addresses, sizes, kinds) = this.arguments();
    let arrays = [(addresses, 8), (sizes, 8), (kinds, 1)];
    let call = |function, count, [addresses, sizes, kinds]: [usize; 3]| {
        // SAFETY: libgomp gets the arguments of the program's call, with `body` in place of its function and arrays of `count` elements
        // made by `copies`, or all of them unchanged; `body` finds the program's function in the first of the addresses.
        unsafe {
            go_on_with(this.target(), (device, TargetFunction(function), unused, count, addresses, sizes, kinds))
        };
    };
    let clauses = Clauses { nowait: false, depend: None, function };
    let region = Launch { clauses, teams: 1, count, arrays };
    // SAFETY: the program's call (`T`) passes arrays of `count` elements, of 8, 8 and 1 bytes (libgomp_g.h).
    unsafe { pass_on::<OMPT>(this.instance(), executing(this.instance(), device), region, call) };
}

/// `GOMP_target_ext`: kinds of mapping have two bytes.
#[inline(always)]
pub(super) fn region<T: Target<Arguments = Region, Result = ()>, const OMPT: bool>(this: PendingCall<'_, T>) {
    let (device, TargetFunction(function), count, addresses, sizes, kinds, flags, depend, arguments) = this.arguments();
    if flags & NOWAIT != 0 {
        here().inspect(|thread| want_team(thread)).inspect(|thread| thread.fast_tasks().note_queued());
    }
    let arrays = [(addresses, 8), (sizes, 8), (kinds, 2)];
    let call = |function, count, [addresses, sizes, kinds]: [usize; 3]| {
        // SAFETY: libgomp gets the arguments of the program's call, with `body` in place of its function and arrays of `count` elements
        // made by `copies`, or all of them unchanged; `body` finds the program's function in the first of the addresses.
        unsafe {
            go_on_with(
                this.target(),
                (device, TargetFunction(function), count, addresses, sizes, kinds, flags, depend, arguments),
            )
        };
    };
    let teams = if OMPT && target_construct::is_subscribed() { arguments.read() } else { 0 };
    // SAFETY: the program's call (`T`) passes a list of dependences or null (libgomp_g.h).
    let dependences = unsafe { Dependences::at(depend) };
    let clauses = Clauses { nowait: flags & NOWAIT != 0, depend: dependences.any(), function };
    let region = Launch { clauses, teams, count, arrays };
    // SAFETY: the program's call (`T`) passes arrays of `count` elements, of 8, 8 and 2 bytes (libgomp_g.h).
    unsafe { pass_on::<OMPT>(this.instance(), executing(this.instance(), device), region, call) };
}

/// Calls libgomp for a target region, with our function and more addresses if the host device will execute the region.
///
/// # Safety
/// The arrays have `count` elements, each with the given number of bytes.
unsafe fn pass_on<const OMPT: bool>(
    instance: impl Instance,
    executing: Executing,
    region: Launch<'_>,
    call: impl Fn(usize, usize, [usize; 3]),
) {
    let Launch { clauses, count, arrays, .. } = region;
    let Some(thread) = here().filter(|_| OMPT || executing.is_host) else {
        return call(clauses.function, count, arrays.map(|(array, _)| array));
    };
    let within = tls::call();
    // The host device executes a target task later, and `body` reports it then.
    let later = executing.is_host && clauses.nowait;
    let record = if OMPT && later { create(thread, clauses) } else { 0 };
    let included = if OMPT && !later { included(thread, instance, clauses) } else { None };
    enter_runtime(thread, within, included.as_ref());
    let task = included.as_ref().map(Included::words);
    let target =
        device::Target { construct: Construct::Region, nowait: clauses.nowait, device: executing.device, task };
    let hidden = if OMPT && !later { thread.targets().begin(target) } else { None };
    let before = thread.activity.overhead();
    if executing.is_host {
        let ours = if OMPT { ompt_body as *const () } else { body::<false> as *const () } as usize;
        let reported_by_body = if OMPT && later { within.return_address } else { 0 };
        let words = [clauses.function, reported_by_body, region.teams as usize, record];
        let as_it_is = || call(clauses.function, count, arrays.map(|(array, _)| array));
        // SAFETY: by this function's `# Safety` the arrays have `count` elements with the given number of bytes.
        unsafe { pass_on_to_host(words, region, |count, arrays| call(ours, count, arrays), as_it_is) };
    } else {
        call(clauses.function, count, arrays.map(|(array, _)| array));
    }
    thread.activity.resume(before);
    tls::set_call(within);
    thread.targets().end(target, hidden);
    included.into_iter().for_each(|included| leave_included(thread, included));
    thread.current.leave_runtime(within);
}

/// Marks the program's call as the current task's, unless that is a target task.
pub(super) fn enter_runtime(thread: &'static Thread, call: tls::CallSite, included: Option<&Included>) {
    if included.is_none() {
        thread.current.enter_runtime(call);
    }
}

/// Reports the creation of a deferred region's task. Returns the address of its record, which `body` gets; 0 without memory: the
/// task then goes unreported.
#[inline(never)]
fn create(thread: &'static Thread, clauses: Clauses<'_>) -> usize {
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let place = unsafe { libc::malloc(size_of::<Deferred>()) }.cast::<Deferred>();
    if !place.is_null() {
        let creation = thread.tasks().begin_unreported_creation(stack_pointer());
        // SAFETY: `malloc` gave memory of this size and any alignment.
        unsafe { place.write(Deferred::new(thread)) };
        // SAFETY: written above; `body` frees it when the task has ended.
        unsafe { &*place }.create(thread, clauses);
        thread.tasks().end_unreported_creation(creation);
    }
    place.addr()
}

/// Begins the target task of a construct that is over when its call returns, if it has one.
#[inline(always)]
pub(super) fn included(thread: &'static Thread, instance: impl Instance, clauses: Clauses<'_>) -> Option<Included> {
    let depend = clauses.depend?;
    if !clauses.nowait {
        task_wait::before_undeferred(instance, thread, depend);
    }
    begin_included(thread, clauses)
}

#[inline(never)]
fn begin_included(thread: &'static Thread, clauses: Clauses<'_>) -> Option<Included> {
    thread.current.task()?;
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let place = unsafe { libc::malloc(size_of::<Task>()) }.cast::<Task>();
    if place.is_null() {
        return None;
    }
    // SAFETY: `malloc` gave memory of this size and any alignment.
    unsafe { place.write(target_task::new(thread, clauses.nowait)) };
    // SAFETY: written above; `leave_included` frees it when the task has ended.
    target_task::begin_included(thread, unsafe { &*place }, clauses)
}

/// Ends the task that [`included`] began.
#[inline(never)]
pub(super) fn leave_included(thread: &'static Thread, included: Included) {
    let task = included.end(thread);
    // SAFETY: the task came from `malloc` (`included`), and nobody uses it from now on.
    unsafe { libc::free(ptr::from_ref(task).cast_mut().cast()) };
}

/// Calls libgomp with copies of the arrays that start with our words.
///
/// # Safety
/// As for [`pass_on`].
unsafe fn pass_on_to_host(
    words: [usize; OURS],
    region: Launch<'_>,
    call: impl Fn(usize, [usize; 3]),
    as_it_is: impl Fn(),
) {
    /// Number of elements that fit on the stack.
    const STACK_ELEMENTS: usize = 16;
    let Launch { count, arrays, .. } = region;
    if count + OURS <= STACK_ELEMENTS {
        let mut block = [const { MaybeUninit::<u64>::uninit() }; 3 * STACK_ELEMENTS];
        // SAFETY: by this function's `# Safety` the arrays have `count` elements; the block has room for `OURS` more of each.
        return call(count + OURS, unsafe { copies(block.as_mut_ptr().cast(), words, count, arrays) });
    }
    // SAFETY: by this function's `# Safety` the arrays have `count` elements with the given number of bytes.
    unsafe { pass_on_many(words, region, call, as_it_is) };
}

/// Calls libgomp like [`pass_on_to_host`], for more elements than fit on the stack.
///
/// # Safety
/// As for [`pass_on`].
#[cold]
#[inline(never)]
unsafe fn pass_on_many(
    words: [usize; OURS],
    region: Launch<'_>,
    call: impl Fn(usize, [usize; 3]),
    as_it_is: impl Fn(),
) {
    let Launch { count, arrays, .. } = region;
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let block = unsafe { libc::malloc((count + OURS) * 3 * 8) };
    if block.is_null() {
        warning::of_refused_memory();
        return as_it_is();
    }
    // SAFETY: by this function's `# Safety` the arrays have `count` elements; the block has room for `OURS` more of each at 8
    // bytes.
    call(count + OURS, unsafe { copies(block.cast(), words, count, arrays) });
    // SAFETY: `block` came from `malloc` above; libgomp has executed the region, or copied the arrays for a target task
    // (libgomp's `gomp_create_target_task`).
    unsafe { libc::free(block) };
}

/// Copies the arrays of addresses, sizes and kinds into a block, one after the other. Each gets elements before the others: our words, of
/// size 0, mapped in the simplest way.
///
/// # Safety
/// The arrays have `count` elements, each with the given number of bytes, at most 8; the block has room for `OURS` more
/// of each at 8 bytes.
unsafe fn copies(block: *mut u8, words: [usize; OURS], count: usize, arrays: [(usize, usize); 3]) -> [usize; 3] {
    let mut place = block;
    let mut first = words;
    arrays.map(|(array, size)| {
        let start = place;
        place = place.wrapping_add((count + OURS) * 8);
        // SAFETY: by this function's `# Safety` the block has room for three arrays of `count + OURS` words; `malloc` and the
        // array of `u64` align it to 8 bytes.
        unsafe { start.cast::<[usize; OURS]>().write(first) };
        first = [0; OURS];
        if count != 0 {
            let rest = start.wrapping_add(OURS * size);
            // SAFETY: by this function's `# Safety` `array` has `count` elements of `size` bytes, and the room at `start` is
            // `OURS` elements larger; the program's arrays do not overlap the block, which is ours.
            unsafe { rest.copy_from_nonoverlapping(array as *const u8, count * size) };
        }
        start.addr()
    })
}

system::record_and_jump! {
    /// Like [`body`], but also records its frame.
    fn ompt_body(), "ora_thread", 16, body::<true>
}

/// Function that libgomp calls instead of the program's.
///
/// # Safety
/// `addresses` are those that [`copies`] made.
unsafe extern "C-unwind" fn body<const OMPT: bool>(addresses: *mut usize) {
    let frame = if OMPT { tls::call().frame } else { 0 };
    // SAFETY: by this function's `# Safety` the addresses begin with the words of `copies`.
    let [address, return_address, teams, record] = unsafe { addresses.cast::<[usize; OURS]>().read() };
    // SAFETY: the first word is the program's function (`copies`), of type `void (void *)` (libgomp_g.h).
    let function: Function = unsafe { transmute(address) };
    let arguments = addresses.wrapping_add(OURS);
    let thread = here();
    let mut target =
        device::Target { construct: Construct::Region, nowait: true, device: device::devices(), task: None };
    let (mut hidden, mut before) = (None, None);
    if OMPT && let Some(thread) = thread {
        // SAFETY: the word is from `pass_on`: 0, or the address of the record that `create` made for this execution.
        if let Some(record) = unsafe { (record as *const Deferred).as_ref() } {
            let (task, suspended) = record.begin(thread, frame);
            (target.task, before) = (Some(task), Some((record, suspended)));
        }
        if return_address != 0 {
            tls::set_call(tls::CallSite { return_address, frame: 0 });
            hidden = thread.targets().begin(target);
        }
        thread.targets().submit(u32::try_from(teams).unwrap_or(0), || ());
    }
    let entered = thread.and_then(|thread| enter(thread, stack_pointer(), address, frame));
    // SAFETY: the function takes the program's own addresses, which follow our words; libgomp would make the same call.
    unsafe { function(arguments) };
    if let Some((thread, region, creating)) = entered {
        thread.regions().leave_target(region);
        thread.current.set_creating(creating);
    }
    if OMPT && let Some(thread) = thread.filter(|_| return_address != 0) {
        tls::set_call(tls::CallSite { return_address, frame: 0 });
        thread.targets().end(target, hidden);
        if let Some((task, before)) = before {
            task.end(thread, before);
            // SAFETY: the record came from `malloc` (`create`), and nobody uses it from now on.
            unsafe { libc::free(record as *mut c_void) };
        }
    }
}

type Entered = (&'static Thread, &'static ompt_core::region::Region, usize);

/// Begins a target region on the thread, outside of all calls that create tasks.
fn enter(thread: &'static Thread, stack: usize, function: usize, frame: usize) -> Option<Entered> {
    let region = thread.regions().enter_target(stack, function, frame)?;
    Some((thread, region, thread.current.take_creating()))
}
