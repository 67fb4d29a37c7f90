//! OMPT callbacks of this library, one for each event: the runtimes invoke them once words and callbacks are ours. Each finds
//! the block behind a word, reports to the core, and invokes the callbacks of the tools behind us, each with the address of its
//! own word. The core gets begins before the tools and ends after them. So a query of the core in a tool's callback sees the
//! thread in the same state as the tool.
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

/// Invokes each tool's callback for the event, if it has one: a function of this type, with these arguments.
macro_rules! invoke {
    ($event:ident, fn($($type:ty),*), |$tool:pat_param| ($($argument:expr),*)) => {
        $crate::ompt::tools::each::<{ $event as usize }>(|$tool, callback| {
            type Call = unsafe extern "C-unwind" fn($($type),*);
            // SAFETY: the tool registered it for this event, so it has the event's type (OpenMP 5.0, 4.6.1.3 and 4.5.2).
            let callback = unsafe { std::mem::transmute::<$crate::ompt::runtime::Function, Call>(callback) };
            // SAFETY: the runtime passed these arguments for this event; a word is replaced by the tool's own (`word_of`).
            unsafe { callback($($argument),*) };
        })
    };
}

mod devices;
mod mutexes;
mod regions;
mod syncs;
mod tasks;
mod threads;

use super::blocks::{self, Word};
use super::runtime::Function;
use super::tools::EVENTS;
use ompt_core::tls;
use ompt_core::v5::types::ompt_callbacks_t::{self, *};
use std::ffi::c_int;
use std::mem::transmute;
use std::sync::atomic::AtomicU64;

/// `ompt_scope_endpoint_t`
const BEGIN: c_int = 1;
const END: c_int = 2;
const BEGIN_AND_END: c_int = 3;

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

/// Our callback for the event of this number; `None` for an unknown event.
pub(super) fn of(event: usize) -> Option<Function> {
    let number = u32::try_from(event).ok().filter(|_| event < EVENTS)?;
    let address = match ompt_callbacks_t::from_raw(number)? {
        ompt_callback_thread_begin => threads::begin as *const (),
        ompt_callback_thread_end => threads::end as *const (),
        ompt_callback_flush => threads::flush as *const (),
        ompt_callback_control_tool => threads::control_tool as *const (),
        ompt_callback_error => threads::error as *const (),
        ompt_callback_parallel_begin => regions::begin as *const (),
        ompt_callback_parallel_end => regions::end as *const (),
        ompt_callback_implicit_task => regions::implicit_task as *const (),
        ompt_callback_work => regions::work as *const (),
        ompt_callback_dispatch => regions::dispatch as *const (),
        ompt_callback_masked => regions::masked as *const (),
        ompt_callback_task_create => tasks::create as *const (),
        ompt_callback_task_schedule => tasks::schedule as *const (),
        ompt_callback_dependences => tasks::dependences as *const (),
        ompt_callback_task_dependence => tasks::dependence as *const (),
        ompt_callback_cancel => tasks::cancel as *const (),
        ompt_callback_sync_region => syncs::region as *const (),
        ompt_callback_sync_region_wait => syncs::wait as *const (),
        ompt_callback_reduction => syncs::reduction as *const (),
        ompt_callback_mutex_acquire => mutexes::acquire as *const (),
        ompt_callback_mutex_acquired => mutexes::acquired as *const (),
        ompt_callback_mutex_released => mutexes::released as *const (),
        ompt_callback_nest_lock => mutexes::nest_lock as *const (),
        ompt_callback_lock_init => mutexes::init as *const (),
        ompt_callback_lock_destroy => mutexes::destroy as *const (),
        ompt_callback_target => devices::target as *const (),
        ompt_callback_target_emi => devices::target_emi as *const (),
        ompt_callback_target_data_op => devices::data_op as *const (),
        ompt_callback_target_data_op_emi => devices::data_op_emi as *const (),
        ompt_callback_target_submit => devices::submit as *const (),
        ompt_callback_target_submit_emi => devices::submit_emi as *const (),
        ompt_callback_target_map => devices::map as *const (),
        ompt_callback_target_map_emi => devices::map_emi as *const (),
        ompt_callback_device_initialize => devices::initialize as *const (),
        ompt_callback_device_finalize => devices::finalize as *const (),
        ompt_callback_device_load => devices::load as *const (),
        ompt_callback_device_unload => devices::unload as *const (),
    };
    // SAFETY: a function above, not null, of the type that its event has (OpenMP 5.0, 4.5.2): the runtime that it is registered
    // with calls it by that type.
    Some(unsafe { transmute::<*const (), Function>(address) })
}

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

/// Address of a tool's own word for a region or task.
#[inline(always)]
fn word_of(tool: usize, word: *const Word) -> *const Word {
    match blocks::of(word) {
        Some(block) => block.words.get(tool).map_or(word, std::ptr::from_ref),
        None if tool == 0 || blocks::there(word).is_none() => word,
        None => nothing(),
    }
}

/// A word for objects without one. Values that tools write there are not used.
pub(super) fn nothing() -> *const Word {
    static NOTHING: AtomicU64 = AtomicU64::new(0);
    &raw const NOTHING
}

/// Records the call site for the core.
#[inline(always)]
fn note_call(code: usize) {
    tls::set_call(tls::Call { return_address: code, frame: system::arch::stack_pointer() });
}
