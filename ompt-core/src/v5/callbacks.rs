//! Registered callbacks of the tool, by their numbers (OpenMP 5.0, 4.6.1.3 and 4.6.1.4). They can be registered and
//! removed at any time, on any thread, concurrently.
#![allow(unsafe_code)] // an address becomes a function again

use super::types::ompt_callbacks_t::*;
use super::types::ompt_set_result_t::{self, *};
use super::types::*;
use super::{callback_events, places};
use crate::dispatch::{self, Interface};
use crate::event::EventSet;
use crate::subscription::Callback;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// One more than the largest number of a callback.
const COUNT: usize = ompt_callbacks_t::ALL.len() + 1;

static REGISTERED: [Callback; COUNT] = [const { Callback::none() }; COUNT];

/// The numbers of the registered callbacks, one bit each, and the bit [`RAISED`] if they are to be called. The thread
/// that writes the subscription last has seen all registrations.
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// Uses the bit of number 0, which no callback has.
const RAISED: u64 = 1;

/// A callback with its signature.
pub(super) struct Kind<F> {
    number: ompt_callbacks_t,
    signature: PhantomData<F>,
}

/// Defines each callback that is ever called, with the signature that the standard gives it (OpenMP 5.0, 4.5.2).
macro_rules! kinds {
    ($($name:ident: $number:ident, $signature:ident;)*) => {
        $(pub(super) const $name: Kind<$signature> = Kind { number: $number, signature: PhantomData };
        const _: () = assert!(size_of::<$signature>() == size_of::<usize>());)*
    };
}

kinds! {
    THREAD_BEGIN: ompt_callback_thread_begin, ompt_callback_thread_begin_t;
    THREAD_END: ompt_callback_thread_end, ompt_callback_thread_end_t;
    PARALLEL_BEGIN: ompt_callback_parallel_begin, ompt_callback_parallel_begin_t;
    PARALLEL_END: ompt_callback_parallel_end, ompt_callback_parallel_end_t;
    IMPLICIT_TASK: ompt_callback_implicit_task, ompt_callback_implicit_task_t;
    TASK_CREATE: ompt_callback_task_create, ompt_callback_task_create_t;
    TASK_SCHEDULE: ompt_callback_task_schedule, ompt_callback_task_schedule_t;
    DEPENDENCES: ompt_callback_dependences, ompt_callback_dependences_t;
    TASK_DEPENDENCE: ompt_callback_task_dependence, ompt_callback_task_dependence_t;
    WORK: ompt_callback_work, ompt_callback_work_t;
    DISPATCH: ompt_callback_dispatch, ompt_callback_dispatch_t;
    MASKED: ompt_callback_masked, ompt_callback_masked_t;
    SYNC_REGION: ompt_callback_sync_region, ompt_callback_sync_region_t;
    SYNC_REGION_WAIT: ompt_callback_sync_region_wait, ompt_callback_sync_region_t;
    MUTEX_ACQUIRE: ompt_callback_mutex_acquire, ompt_callback_mutex_acquire_t;
    MUTEX_ACQUIRED: ompt_callback_mutex_acquired, ompt_callback_mutex_t;
    MUTEX_RELEASED: ompt_callback_mutex_released, ompt_callback_mutex_t;
    NEST_LOCK: ompt_callback_nest_lock, ompt_callback_nest_lock_t;
    LOCK_INIT: ompt_callback_lock_init, ompt_callback_mutex_acquire_t;
    LOCK_DESTROY: ompt_callback_lock_destroy, ompt_callback_mutex_t;
    CANCEL: ompt_callback_cancel, ompt_callback_cancel_t;
    ERROR: ompt_callback_error, ompt_callback_error_t;
    TARGET: ompt_callback_target, ompt_callback_target_t;
    TARGET_EMI: ompt_callback_target_emi, ompt_callback_target_emi_t;
    TARGET_DATA_OP: ompt_callback_target_data_op, ompt_callback_target_data_op_t;
    TARGET_DATA_OP_EMI: ompt_callback_target_data_op_emi, ompt_callback_target_data_op_emi_t;
    TARGET_SUBMIT: ompt_callback_target_submit, ompt_callback_target_submit_t;
    TARGET_SUBMIT_EMI: ompt_callback_target_submit_emi, ompt_callback_target_submit_emi_t;
    DEVICE_INITIALIZE: ompt_callback_device_initialize, ompt_callback_device_initialize_t;
    DEVICE_FINALIZE: ompt_callback_device_finalize, ompt_callback_device_finalize_t;
    DEVICE_LOAD: ompt_callback_device_load, ompt_callback_device_load_t;
    DEVICE_UNLOAD: ompt_callback_device_unload, ompt_callback_device_unload_t;
    CONTROL_TOOL: ompt_callback_control_tool, ompt_callback_control_tool_t;
}

impl<F: Copy + Default> Kind<F> {
    /// The tool's function, if it has registered one; otherwise null. A process has at most one session of this
    /// interface, so the function can't belong to another one.
    #[inline(always)]
    pub(super) fn get(&self) -> F {
        match REGISTERED.get(self.number as usize).and_then(Callback::get) {
            // SAFETY: `F` is an optional function pointer, as large as an address (checked above), and the address is
            // that of a function with this signature: the tool has to ensure that (OpenMP 5.0, 4.6.1.3, constraints).
            Some(address) => unsafe { std::mem::transmute_copy::<usize, F>(&address) },
            None => F::default(),
        }
    }
}

/// Registers a callback by its address, or removes it (0). Returns the answer to the tool. A callback that is never
/// called is also stored.
pub(super) fn register(callback: ompt_callbacks_t, address: usize) -> ompt_set_result_t {
    let Some(slot) = REGISTERED.get(callback as usize) else { return ompt_set_error };
    let number = 1 << callback as u32;
    if address == 0 {
        // SeqCst: pairs with the load in `apply`, also of a thread that registers at the same time.
        NUMBERS.fetch_and(!number, SeqCst);
        apply();
        // Not before the events stop: a thread that is reporting one finds either value.
        slot.set(0);
        return ompt_set_always;
    }
    slot.set(address);
    // SeqCst: pairs with the load in `apply`, also of a thread that registers at the same time; publishes the slot's
    // address.
    NUMBERS.fetch_or(number, SeqCst);
    apply();
    callback_events::answer(callback)
}

/// The address of the registered callback, or 0.
pub(super) fn registered(callback: ompt_callbacks_t) -> usize {
    REGISTERED.get(callback as usize).and_then(Callback::get).unwrap_or(0)
}

/// Starts the calls of registered callbacks.
pub(super) fn raise() {
    // SeqCst: pairs with the load in `apply`, also of a thread that registers at the same time.
    NUMBERS.fetch_or(RAISED, SeqCst);
    apply();
}

/// Removes all callbacks.
pub(super) fn clear() {
    // SeqCst: pairs with the load in `apply`, also of a thread that registers at the same time.
    NUMBERS.store(0, SeqCst);
    apply();
    REGISTERED.iter().for_each(|slot| slot.set(0));
}

/// Updates the interface's subscription. Two threads may do this at the same time.
fn apply() {
    // SeqCst: pairs with the changes of `NUMBERS` in `register`, `raise` and `clear`: the last caller in
    // `Subscriptions::subscribe` sees them all.
    dispatch::subscribe_as(Interface::V5, || wanted(NUMBERS.load(SeqCst)));
}

fn wanted(numbers: u64) -> EventSet {
    if numbers & RAISED == 0 {
        return EventSet::NONE;
    }
    let registered = ompt_callbacks_t::ALL.into_iter().filter(|callback| numbers >> *callback as u32 & 1 != 0);
    registered.fold(places::wanted(), |set, callback| set.union(callback_events::events(callback)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Span};

    #[test]
    fn only_what_is_registered_is_wanted_and_only_once_the_tool_has_started() {
        let barriers = 1 << ompt_callback_sync_region_wait as u32;
        assert_eq!(wanted(barriers), EventSet::NONE);
        let set = wanted(barriers | RAISED);
        assert!(set.covers(Span::EXPLICIT_BARRIER.events()) && set.covers(Span::TASK_WAIT.events()));
        assert!(!set.has(Event::TaskgroupBegin) && !set.has(Event::ParallelBegin) && !set.has(Event::LockWaitBegin));
    }
}
