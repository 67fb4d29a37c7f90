//! Parallel regions: `GOMP_parallel` and its variants, and the pairs of calls that gcc up to 4.8 emits. Also the function that libgomp runs
//! in every member of a team instead of the program's.
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::LATE;
use super::arguments::{Nest, RegionFunction, RegionWords};
use super::instance::{First, Instance, Other, PendingCall, Target, bound, go_on_with, numbered, runtime};
use super::names::Entry;
use super::region_fields::Fields;
use super::routines::{MAX_THREADS, TEAM_SIZE, THREAD_NUMBER};
use super::schedule;
use super::work::{self, Shape};
use ompt_core::detail::Work;
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::thread::{Thread, here, here_as_worker};
use ompt_core::tls;
use std::ptr;
use std::sync::atomic::Ordering::*;
use system::arch::{call_with_frame, stack_pointer};
use system::stack::frame_of_caller;

type Function = unsafe extern "C-unwind" fn(*mut usize);
/// `GOMP_parallel` and `GOMP_parallel_reductions`: a region by one call with four arguments. `OMPT`, here and below: OMPT tools are
/// attached, so frames and call sites are also recorded.
#[inline(always)]
pub(super) fn call<T: Target<Arguments = (RegionFunction, usize, usize, usize), Result = usize>, const OMPT: bool>(
    this: PendingCall<'_, T>,
) -> usize {
    let (RegionFunction(function), data, threads, flags) = this.arguments();
    let Some((thread, region)) = enter::<_, OMPT>(this.instance(), Form::Call, function, data, threads, None) else {
        return this.go_on();
    };
    if this.target().entry() == Entry::GOMP_parallel_reductions as usize {
        // SAFETY: the data of `GOMP_parallel_reductions` begin with the address of the array of reductions (libgomp's
        // parallel.c).
        Fields::of(region).mirror.store(unsafe { *(data as *const usize) }, Relaxed);
    }
    let member = member_address::<T::Instance, OMPT>();
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Regions::encounter`).
    let result =
        unsafe { go_on_with(this.target(), (RegionFunction(member), ptr::from_ref(region) as usize, threads, flags)) };
    thread.regions().end(region);
    result
}

/// A region by one call, with a loop or sections to share.
#[inline(always)]
pub(super) fn call_with_work<T: Target<Arguments: RegionWords, Result = ()>, const OMPT: bool>(
    this: PendingCall<'_, T>,
) {
    let arguments = this.arguments();
    let work = Some(shared(&this, arguments));
    let Some((thread, region)) = enter_with::<_, OMPT>(&this, Form::Call, arguments, work) else {
        return this.go_on();
    };
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Regions::encounter`).
    unsafe {
        go_on_with(this.target(), arguments.with(member_address::<T::Instance, OMPT>(), ptr::from_ref(region) as usize))
    };
    thread.regions().end(region);
}

/// `GOMP_parallel_start` and its variants: the first half of a pair. The caller itself executes the program's function between the two
/// calls.
#[inline(always)]
pub(super) fn start<T: Target<Arguments: RegionWords, Result = ()>, const OMPT: bool>(this: PendingCall<'_, T>) {
    let arguments = this.arguments();
    let work = (this.target().entry() != Entry::GOMP_parallel_start as usize).then(|| shared(&this, arguments));
    let Some((thread, region)) = enter_with::<_, OMPT>(&this, Form::Pair, arguments, work) else {
        return this.go_on();
    };
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Regions::encounter`).
    unsafe {
        go_on_with(this.target(), arguments.with(member_address::<T::Instance, OMPT>(), ptr::from_ref(region) as usize))
    };
    let frame = if OMPT { region.call().frame } else { 0 };
    if OMPT {
        take_place(this.instance(), thread, region, frame);
    }
    thread.team().start_work(frame);
    if OMPT {
        expect_work(thread, region);
    }
}

/// Work of an entry that starts a region with a loop or sections: its shape and kind, and the arguments with the amount.
type Shared = (Shape, Work, [usize; 3]);

#[inline(always)]
fn shared(call: &PendingCall<'_, impl Target>, arguments: impl RegionWords) -> Shared {
    let amount = arguments.amount();
    if call.target().facts().is_of_sections {
        (Shape::Sections, Work::Sections, amount)
    } else {
        (Shape::Loop, schedule::of(call, &amount), amount)
    }
}

/// `GOMP_parallel_end`: the second half of a pair. A region whose first half was not seen ends unreported.
#[inline(always)]
pub(super) fn end<T: Target<Result = ()>>(this: PendingCall<'_, T>) {
    let mine = here().and_then(|t| Some((t, t.current.region().filter(|r| r.is_primary(t) && r.is_pair())?)));
    if let Some((thread, region)) = mine {
        thread.team().begin_last_barrier();
        // SAFETY: the calling thread is the primary one, at the end of its body; libgomp runs `member` in the others, which also call
        // `meet`.
        unsafe { wait_at_extra_barrier(this.instance(), region) };
        this.go_on();
        thread.regions().end(region);
    } else {
        this.go_on();
    }
}

/// Creates and announces a region of the calling thread. `None` if the system refuses memory: the region is then not
/// reported.
#[inline(never)]
fn enter<I: Instance, const OMPT: bool>(
    instance: I,
    form: Form,
    function: usize,
    data: usize,
    threads: usize,
    work: Option<Shared>,
) -> Option<(&'static Thread, &'static Region)> {
    /// Events that a worker can report in time only if it passes a barrier that this library sees.
    const LATE_EVENTS: EventSet = EventSet::of(&[Event::RegionBarrierWaitEnd, Event::IdleBegin]);
    let thread = here()?;
    let (call, requested) =
        if OMPT { (tls::call(), requested(instance, threads)) } else { (tls::CallSite::default(), 0) };
    let region = thread.regions().encounter(form, Encounter { call, function, requested })?;
    let fields = Fields::of(region);
    fields.data.store(data, Relaxed);
    if OMPT {
        let (kind, bounds) = match work {
            Some((Shape::Sections, kind, [count, ..])) => (kind, [0, count, 0]),
            Some((_, kind, bounds)) => (kind, bounds),
            None => (Work::Loop, [0; 3]),
        };
        fields.set_runtime(runtime(instance).number(), kind);
        fields.bounds.iter().zip(bounds).for_each(|(field, it)| field.store(it, Relaxed));
    }
    // Cancellation lets members skip barriers: an extra one would hang.
    let split = armed(LATE_EVENTS) && !LATE.load(Relaxed) && !runtime(instance).cancels();
    fields.set_split(split, if I::IS_FIRST { 0 } else { runtime(instance).number() });
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
    Some((thread, region))
}

/// Creates and announces a region, for an entry whose first arguments are function, data and number of threads.
#[inline(always)]
fn enter_with<T: Target<Arguments: RegionWords>, const OMPT: bool>(
    this: &PendingCall<'_, T>,
    form: Form,
    arguments: T::Arguments,
    work: Option<Shared>,
) -> Option<(&'static Thread, &'static Region)> {
    let [function, data, threads] = arguments.region();
    enter::<_, OMPT>(this.instance(), form, function, data, threads, work)
}

/// Number of threads that a construct requests: the number in its call or, for 0, the runtime's default.
fn requested(instance: impl Instance, threads: usize) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // the argument is an unsigned int
    match threads as u32 {
        0 => runtime(instance).answer(MAX_THREADS),
        threads => threads,
    }
}

/// Address of the function that libgomp runs in each member of the team.
fn member_address<I: Instance, const OMPT: bool>() -> usize {
    let member = match (OMPT, I::IS_FIRST) {
        (false, _) => member::<I, false> as *const (),
        (true, true) => ompt_member as *const (),
        (true, false) => ompt_member_of_other as *const (),
    };
    member as usize
}

system::record_and_jump! {
    /// Like [`member`], but also records its frame.
    fn ompt_member(), "ora_thread", 16, member::<First, true>
}

system::record_and_jump! {
    /// Like [`ompt_member`], for other libgomps.
    fn ompt_member_of_other(), "ora_thread", 16, member::<Other, true>
}

/// Sets the thread's number in the team, and the team's size.
fn take_place(instance: impl Instance, thread: &'static Thread, region: &'static Region, frame: usize) {
    let [number, size] = [THREAD_NUMBER, TEAM_SIZE].map(|get| runtime(instance).answer(get));
    thread.team().take_place(region, number, size, frame);
}

/// Opens the work that the region has from the start, on the thread.
#[inline(always)]
fn expect_work(thread: &'static Thread, region: &'static Region) {
    let fields = Fields::of(region);
    let bounds = fields.bounds.map(|field| field.load(Relaxed));
    match bounds {
        [_, 0, 0] => {}
        [_, count, 0] => thread.constructs().expect_sections(region, work::number(count)),
        bounds => thread.constructs().expect_loop(fields.kind(), Shape::Loop.iterations(&bounds, Nest::NONE)),
    }
}

/// Waits for the team at the extra barrier, in a region that has one. The region's primary thread decided on it before the team started,
/// and every member follows.
///
/// # Safety
/// Called by every member of the team, at the end of its body.
unsafe fn wait_at_extra_barrier(instance: impl Instance, region: &Region) {
    if !Fields::of(region).is_split() {
        return;
    }
    // SAFETY: the routine is `int omp_get_num_threads (void)` (omp.h), and bound: `Runtime::needed` lists it.
    let team_size: extern "C" fn() -> i32 = unsafe { bound::<{ Entry::omp_get_num_threads as usize }, _>(instance) };
    if team_size() > 1 {
        // SAFETY: the entry is `void GOMP_barrier (void)` (libgomp_g.h), and bound: `Runtime::needed` lists it.
        let barrier: unsafe extern "C-unwind" fn() = unsafe { bound::<{ Entry::GOMP_barrier as usize }, _>(instance) };
        // SAFETY: by this function's `# Safety` every member of the team gets here: none is missing at the barrier.
        unsafe { barrier() };
    }
}

/// Function that libgomp runs in each member of the team.
unsafe extern "C-unwind" fn member<I: Instance, const OMPT: bool>(region: *const Region) {
    // SAFETY: `call`, `call_with_work` and `start` pass the address of a region, and regions are valid for ever
    // (`Regions::encounter`).
    let region: &'static Region = unsafe { &*region };
    let instance = numbered::<I>(|| Fields::of(region).runtime_of_members());
    let frame = if OMPT { tls::call().frame } else { 0 };
    // SAFETY: `enter` stored the outlined function that compiled code passed, of type `void (void *)` (libgomp_g.h).
    let function: Function = unsafe { std::mem::transmute(region.function()) };
    let data = Fields::of(region).data.load(Relaxed) as *mut usize;
    // The primary thread already has a record.
    let Some(thread) = here_as_worker() else {
        // SAFETY: compiled code passed the function with these data (`enter` stored both); libgomp would make the same call.
        unsafe { function(data) };
        // SAFETY: the calling thread is a member of the team at the end of its body, as all others will be.
        return unsafe { wait_at_extra_barrier(instance, region) };
    };
    let worker = !region.is_primary(thread);
    if worker {
        if OMPT {
            // Set even if only the exit from the pool is reported.
            region.set_size(runtime(instance).answer(TEAM_SIZE));
            if thread.adapter.idle_frame() == 0 {
                thread.adapter.set_idle_frame(frame_of_caller(frame));
            }
        }
        thread.team().enter(region, stack_pointer());
    }
    if OMPT {
        take_place(instance, thread, region, frame);
    }
    thread.team().start_work(frame);
    if OMPT {
        expect_work(thread, region);
    }
    match thread.current.task().filter(|_| OMPT) {
        // SAFETY: compiled code passed the function with these data (`enter` stored both); libgomp would make the same call.
        Some(task) => unsafe { call_with_frame(data, function, task.frame().exit_word()) },
        // SAFETY: as above.
        None => unsafe { function(data) },
    }
    thread.team().begin_last_barrier();
    // SAFETY: the calling thread is a member of the team at the end of its body, as all others will be.
    unsafe { wait_at_extra_barrier(instance, region) };
    if worker {
        if Fields::of(region).is_split() {
            thread.team().return_to_pool();
        } else {
            thread.team().leave_body();
        }
    }
}
