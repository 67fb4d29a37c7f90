//! OMPT callbacks of this library, one for each event: the runtimes invoke them once words and callbacks are ours. Each finds the block for
//! a word, reports to the core, and invokes the callbacks of the program's tools, each with the address of its own word. The core gets
//! starts before the tools do, and ends after them. So a query of the core in a tool's callback sees the thread in the same state as the
//! tool.
//!
//! The table below has the arguments of each event (OpenMP 5.0, 4.5.2; 5.1 for those with `emi`, and for reductions), and the
//! function that handles it.
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

mod mutexes;
mod regions;
mod syncs;
mod tasks;
mod threads;

use super::blocks;
use super::runtime::{Function, Registration, Word, WordAt, there};
use super::tools::{self, EVENTS, each};
use ompt_core::frame::Frame;
use ompt_core::tls;
use ompt_core::v5::types::ompt_callbacks_t::{self, *};
use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::transmute;
use std::sync::atomic::AtomicU64;
use threads::{NewThread, OldThread};

/// `ompt_scope_endpoint_t`
const BEGIN: c_int = 1;
const END: c_int = 2;
const BEGIN_AND_END: c_int = 3;

/// An argument of an event, as passed to a tool.
trait ForTool: Copy {
    #[inline(always)]
    fn for_tool(self, _tool: usize) -> Self {
        self
    }
}

macro_rules! as_they_are {
    ($($type:ty)*) => {
        $(impl ForTool for $type {})*
    };
}

as_they_are!(c_int i64 u32 u64 usize);
impl<T> ForTool for *const T {}
impl<T> ForTool for *mut T {}
impl ForTool for Option<&Frame> {}

/// The word of a region or task: each tool has its own.
impl ForTool for WordAt<'_> {
    #[inline(always)]
    fn for_tool(self, tool: usize) -> Self {
        match blocks::of(self) {
            Some(block) => block.words.get(tool).map_or(self, WordAt::of),
            None if tool == 0 || there(self).is_none() => self,
            None => nothing(),
        }
    }
}

/// A word for objects without one. Values that tools write to it are not used.
pub(super) fn nothing() -> WordAt<'static> {
    static NOTHING: AtomicU64 = AtomicU64::new(0);
    WordAt::of(&NOTHING)
}

/// `EVENT = ITS NAME(ARGUMENTS) => HANDLER;`.
macro_rules! events {
    ($($event:ident = $callback:ident($($name:ident: $type:ty),*) => $handler:path;)*) => {
        /// Events. Each value is created where the runtime reports the event, and lives no longer than that call.
        mod reported {
            use super::*;

            $(
            pub(in super::super) struct $event<'a> {
                $(pub(super) $name: $type,)*
                during: PhantomData<(&'a (), *const ())>,
            }

            impl<'a> $event<'a> {
                /// The event with these arguments.
                ///
                /// # Safety
                /// The runtime reports it, with these arguments, by a call that lasts longer than the result is used. This is the only
                /// value for that call.
                #[allow(clippy::too_many_arguments)] // the standard's
                #[inline(always)]
                pub(super) unsafe fn new($($name: $type),*) -> Self {
                    Self { $($name,)* during: PhantomData }
                }

                /// Invokes the callback of each tool that has one.
                #[inline(always)]
                pub(super) fn invoke(self) {
                    each::<{ $callback as usize }>(|tool, callback| {
                        type Call<'a> = unsafe extern "C-unwind" fn($($type),*);
                        // SAFETY: the tool registered it for this event, so it has the event's type (OpenMP 5.0, 4.6.1.3, 4.5.2).
                        let callback = unsafe { transmute::<Function, Call<'_>>(callback) };
                        // SAFETY: the runtime passed these arguments for this event; a word is replaced by the tool's own.
                        unsafe { callback($(self.$name.for_tool(tool)),*) };
                    });
                }
            }
            )*
        }
        use reported::*;

        /// Our callback for the event of this number; `None` for an unknown event.
        pub(super) fn of(event: usize) -> Option<Registration> {
            let number = u32::try_from(event).ok().filter(|_| event < EVENTS)?;
            let address = match ompt_callbacks_t::from_raw(number)? {
                $($callback => {
                    #[allow(clippy::extra_unused_lifetimes)] // events without words
                    unsafe extern "C-unwind" fn report<'a>($($name: $type),*) {
                        // SAFETY: the runtime calls it for the event that it is registered for.
                        $handler(unsafe { $event::new($($name),*) });
                    }
                    report as *const ()
                })*
                ompt_callback_control_tool => control_tool as *const (),
            };
            // SAFETY: a function above, not null.
            let callback = unsafe { transmute::<*const (), Function>(address) };
            // SAFETY: it has the type of the event (the table; OpenMP 5.0, 4.5.2).
            Some(unsafe { Registration::new(c_int::try_from(number).ok()?, Some(callback)) })
        }
    };
}

events! {
    ThreadBegin = ompt_callback_thread_begin(kind: c_int, thread: NewThread<'a>) => threads::begin;
    ThreadEnd = ompt_callback_thread_end(thread: OldThread<'a>) => threads::end;
    ParallelBegin = ompt_callback_parallel_begin(
        task: WordAt<'a>, frame: Option<&'a Frame>, parallel: WordAt<'a>, requested: u32, flags: c_int, code: usize
    ) => regions::begin;
    ParallelEnd = ompt_callback_parallel_end(parallel: WordAt<'a>, task: WordAt<'a>, flags: c_int, code: usize) => regions::end;
    ImplicitTask = ompt_callback_implicit_task(
        endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, size: u32, index: u32, flags: c_int
    ) => regions::implicit_task;
    Work = ompt_callback_work(
        kind: c_int, endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, count: u64, code: usize
    ) => regions::work;
    Masked = ompt_callback_masked(endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, code: usize) => regions::masked;
    TaskCreate = ompt_callback_task_create(
        creator: WordAt<'a>, frame: Option<&'a Frame>, task: WordAt<'a>, flags: c_int, depends: c_int, code: usize
    ) => tasks::create;
    TaskSchedule = ompt_callback_task_schedule(prior: WordAt<'a>, status: c_int, next: WordAt<'a>) => tasks::schedule;
    SyncRegion = ompt_callback_sync_region(
        kind: c_int, endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, code: usize
    ) => syncs::region;
    SyncRegionWait = ompt_callback_sync_region_wait(
        kind: c_int, endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, code: usize
    ) => syncs::wait;
    Reduction = ompt_callback_reduction(
        kind: c_int, endpoint: c_int, parallel: WordAt<'a>, task: WordAt<'a>, code: usize
    ) => syncs::reduction;
    MutexAcquire = ompt_callback_mutex_acquire(
        kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize
    ) => mutexes::acquire;
    MutexAcquired = ompt_callback_mutex_acquired(kind: c_int, wait_id: u64, code: usize) => mutexes::acquired;
    MutexReleased = ompt_callback_mutex_released(kind: c_int, wait_id: u64, code: usize) => mutexes::released;
    NestLock = ompt_callback_nest_lock(endpoint: c_int, wait_id: u64, code: usize) => mutexes::nest_lock;
    LockInit = ompt_callback_lock_init(
        kind: c_int, hint: u32, implementation: u32, wait_id: u64, code: usize
    ) => mutexes::init;
    LockDestroy = ompt_callback_lock_destroy(kind: c_int, wait_id: u64, code: usize) => mutexes::destroy;
    // These are passed on. The words that events with `emi` have of their own belong to the first tool.
    Flush = ompt_callback_flush(thread: NewThread<'a>, code: usize) => Flush::invoke;
    Error = ompt_callback_error(severity: c_int, message: *const c_char, length: usize, code: usize) => Error::invoke;
    Dispatch = ompt_callback_dispatch(
        parallel: WordAt<'a>, task: WordAt<'a>, kind: c_int, instance: u64
    ) => Dispatch::invoke;
    Dependences = ompt_callback_dependences(task: WordAt<'a>, list: *const c_void, count: c_int) => Dependences::invoke;
    Dependence = ompt_callback_task_dependence(source: WordAt<'a>, sink: WordAt<'a>) => Dependence::invoke;
    Cancel = ompt_callback_cancel(task: WordAt<'a>, flags: c_int, code: usize) => Cancel::invoke;
    Target = ompt_callback_target(
        kind: c_int, endpoint: c_int, device: c_int, task: WordAt<'a>, target: u64, code: usize
    ) => Target::invoke;
    TargetEmi = ompt_callback_target_emi(
        kind: c_int, endpoint: c_int, device: c_int, task: WordAt<'a>, target_task: WordAt<'a>, target: *mut Word, code: usize
    ) => TargetEmi::invoke;
    DataOp = ompt_callback_target_data_op(
        target: u64, operation: u64, kind: c_int, source: *mut c_void, source_device: c_int, destination: *mut c_void,
        destination_device: c_int, bytes: usize, code: usize
    ) => DataOp::invoke;
    DataOpEmi = ompt_callback_target_data_op_emi(
        endpoint: c_int, target_task: WordAt<'a>, target: *mut Word, operation: *mut u64, kind: c_int, source: *mut c_void,
        source_device: c_int, destination: *mut c_void, destination_device: c_int, bytes: usize, code: usize
    ) => DataOpEmi::invoke;
    Submit = ompt_callback_target_submit(target: u64, operation: u64, teams: u32) => Submit::invoke;
    SubmitEmi = ompt_callback_target_submit_emi(
        endpoint: c_int, target: *mut Word, operation: *mut u64, teams: u32
    ) => SubmitEmi::invoke;
    Map = ompt_callback_target_map(
        target: u64, count: u32, host: *mut *mut c_void, device: *mut *mut c_void, bytes: *mut usize, flags: *mut u32,
        code: usize
    ) => Map::invoke;
    MapEmi = ompt_callback_target_map_emi(
        target: *mut Word, count: u32, host: *mut *mut c_void, device: *mut *mut c_void, bytes: *mut usize, flags: *mut u32,
        code: usize
    ) => MapEmi::invoke;
    DeviceInitialize = ompt_callback_device_initialize(
        device: c_int, kind: *const c_char, handle: *mut c_void, lookup: usize, documentation: *const c_char
    ) => DeviceInitialize::invoke;
    DeviceFinalize = ompt_callback_device_finalize(device: c_int) => DeviceFinalize::invoke;
    DeviceLoad = ompt_callback_device_load(
        device: c_int, file: *const c_char, offset: i64, vma: *mut c_void, bytes: usize, host: *mut c_void,
        address: *mut c_void, module: u64
    ) => DeviceLoad::invoke;
    DeviceUnload = ompt_callback_device_unload(device: c_int, module: u64) => DeviceUnload::invoke;
}

/// Returns the first tool's result to the program; without a tool, the result of a runtime that has found none.
unsafe extern "C-unwind" fn control_tool(command: u64, modifier: u64, argument: *mut c_void, code: usize) -> c_int {
    const NO_TOOL: c_int = -2;
    const NO_CALLBACK: c_int = -1;
    let mut answer = None;
    each::<{ ompt_callback_control_tool as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(u64, u64, *mut c_void, usize) -> c_int;
        // SAFETY: the tool registered it for this event, so it has this type (OpenMP 5.0, 4.5.2.29).
        let callback = unsafe { transmute::<Function, Call>(callback) };
        // SAFETY: the runtime passed these arguments for this event, from the program's call of `omp_control_tool`.
        let its = unsafe { callback(command, modifier, argument, code) };
        answer = answer.or(Some(its));
    });
    answer.unwrap_or(if tools::are_there() { NO_CALLBACK } else { NO_TOOL })
}

/// Callbacks that the core needs.
pub(super) const FOR_CORE: [usize; 18] = [
    ompt_callback_thread_begin as usize,
    ompt_callback_thread_end as usize,
    ompt_callback_parallel_begin as usize,
    ompt_callback_parallel_end as usize,
    ompt_callback_implicit_task as usize,
    ompt_callback_task_create as usize,
    ompt_callback_task_schedule as usize,
    ompt_callback_sync_region as usize,
    ompt_callback_sync_region_wait as usize,
    ompt_callback_mutex_acquire as usize,
    ompt_callback_mutex_acquired as usize,
    ompt_callback_mutex_released as usize,
    ompt_callback_nest_lock as usize,
    ompt_callback_lock_init as usize,
    ompt_callback_lock_destroy as usize,
    ompt_callback_work as usize,
    ompt_callback_masked as usize,
    ompt_callback_reduction as usize,
];

/// True if the event has words of its own, for one tool only.
pub(super) fn is_for_one(event: c_int) -> bool {
    matches!(
        ompt_callbacks_t::from_raw(event.cast_unsigned()),
        Some(
            ompt_callback_target_emi
                | ompt_callback_target_data_op_emi
                | ompt_callback_target_submit_emi
                | ompt_callback_target_map_emi
        )
    )
}

/// Records the call site for the core.
#[inline(always)]
fn note_call(code: usize) {
    tls::set_call(tls::CallSite { return_address: code, frame: system::arch::stack_pointer() });
}
