//! Threads, from their start to their end. Unsafe: records that are shared with handlers.
//!
//! A thread finds its own record through [`current_thread`]. A pthread key also has it, for the thread's end.
#![allow(unsafe_code)]

mod sessions;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use crate::diagnostics::{Diagnostic, report};
use crate::stack_bounds::Stack;
use crate::thread_record::Thread;
use crate::{alternate_stack, current_thread, disposition, inherited, setting, system};

pub(crate) use sessions::{end_gone, end_session, recorded, stock, wait_for_handlers};

static KEY: AtomicU32 = AtomicU32::new(u32::MAX);
/// Head of a Treiber stack of all records; records are pushed, and never popped.
static ALL: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// Creates the pthread key, once. `end` is called at a thread's end.
pub(crate) fn prepare(end: extern "C" fn(*mut c_void)) -> bool {
    if are_kept() {
        return true;
    }
    let mut key = 0;
    // SAFETY: `key` is writable; this library, and so the function, is never unloaded.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(end)) } == 0;
    if made {
        // Release: pairs with the loads in `are_kept` and `hang_up`; publishes the key.
        KEY.store(key, Release);
    }
    made
}

/// The record that a key's value points to.
pub(crate) fn at(value: *mut c_void) -> Option<&'static Thread> {
    // SAFETY: only `hang_up` sets the value, to a record, which is never freed.
    unsafe { value.cast::<Thread>().as_ref() }
}

/// True if threads can have records.
pub(crate) fn are_kept() -> bool {
    // Acquire: pairs with the store in `prepare`; publishes the key.
    KEY.load(Acquire) != u32::MAX
}

/// Takes a record for a thread that starts, or will start.
pub(crate) fn take() -> Option<&'static Thread> {
    Thread::take_unused().or_else(make).or_else(|| {
        report(Diagnostic::Thread, |text| {
            text.push(b"no memory for a thread's record: threads are missing");
        });
        None
    })
}

/// Takes a record for the calling thread, in a handler. The thread starts later: see [`Thread::is_fresh`].
/// Async-signal-safe.
pub(crate) fn take_in_handler() -> Option<&'static Thread> {
    let thread = Thread::take_unused()?;
    thread.fresh.store(true, Relaxed);
    Some(thread)
}

/// The calling thread's record; creates one for a thread whose creation wasn't seen.
pub(crate) fn present() -> Option<&'static Thread> {
    if inherited::is_open() {
        inherited::leave();
        return None;
    }
    let (thread, is_new) = current_thread::get_or(take)?;
    if is_new {
        begin(thread, Stack::Asked);
    }
    be_hung_up(thread);
    Some(thread)
}

/// Iterates over all records, including those of threads that have ended.
pub(crate) fn all() -> impl Iterator<Item = &'static Thread> {
    // SAFETY: null or a record, which is never freed. Acquire: pairs with the compare-exchange in `make`; publishes
    // the record and its link.
    let first = unsafe { ALL.load(Acquire).as_ref() };
    std::iter::successors(first, |thread| {
        // SAFETY: null or a record: `make` stored it, and records are never unmapped. Acquire: pairs with no store (`make`
        // stores the link Relaxed); the load of `ALL` above has published all of them.
        unsafe { thread.next.load(Acquire).as_ref() }
    })
}

fn make() -> Option<&'static Thread> {
    let place = Thread::map()?;
    // SAFETY: a whole record, which is never freed.
    let thread = unsafe { &*place };
    // Acquire, also on failure below: pairs with the compare-exchange below, of another thread.
    let mut first = ALL.load(Acquire);
    loop {
        thread.next.store(first, Relaxed);
        // Release: pairs with the load in `all`; publishes the record and its link.
        match ALL.compare_exchange_weak(first, place, AcqRel, Acquire) {
            Ok(_) => return Some(thread),
            Err(other) => first = other,
        }
    }
}

/// Assigns the record to the calling thread, and starts the thread's clock.
pub(crate) fn begin(thread: &'static Thread, stack: Stack) {
    thread.number.store(NEXT_NUMBER.fetch_add(1, Relaxed), Relaxed);
    thread.took_cpu_ns.store(0, Relaxed);
    for counter in [
        &thread.delivered,
        &thread.lost,
        &thread.wait_ns,
        &thread.ended_ns,
        &thread.wait_region,
        &thread.looked_ns,
        &thread.unknown_region,
    ] {
        counter.store(0, Relaxed);
    }
    thread.rounds.store(0, Relaxed);
    thread.written.store(0, Relaxed);
    thread.busy.store(false, Relaxed);
    thread.tid.store(system::thread(), Relaxed);
    thread.stack.find(stack);
    let (now_ns, cpu_ns) = (system::monotonic_ns(), system::cpu_ns());
    // A thread that was interrupted has run for a period since its timer was set.
    let before_ns = if matches!(stack, Stack::Interrupted(_)) { period_ns().min(cpu_ns) } else { 0 };
    thread.begun_ns.store(now_ns - before_ns, Relaxed);
    if !matches!(stack, Stack::Long(_)) {
        thread.routine.store(0, Relaxed);
        thread.account.forget(period_ns());
    }
    thread.account.begin(now_ns - before_ns, cpu_ns - before_ns);
    thread.late.begin(cpu_ns);
    thread.short.forget();
    thread.serial.begin(now_ns);
    if setting::get().is_some_and(|setting| setting.attached) {
        thread.serial.forget_waits(thread.tid.load(Relaxed), now_ns);
    }
    // Release: pairs with the swap in `session::end`; publishes the account and the thread's numbers.
    thread.live.store(true, Release);
    current_thread::set(Some(thread));
    thread.hung_up.store(false, Relaxed);
    if !matches!(stack, Stack::Interrupted(_)) {
        hang_up(thread);
    }
    thread.write();
    let is_cramped = alternate_stack::is_too_small();
    thread.cramped.store(is_cramped, Relaxed);
    if !is_cramped && !keeps_signals(stack) {
        thread.clock.begin(&thread.account, thread.tid.load(Relaxed), now_ns);
    }
}

/// True if signals of a clock would stay pending for the calling thread, which blocks them, and the program might fetch them: an attached
/// library can't replace the functions that do so.
fn keeps_signals(stack: Stack) -> bool {
    let attached = setting::get().filter(|setting| setting.attached && !matches!(stack, Stack::Interrupted(_)));
    attached.is_some_and(|setting| disposition::is_blocked(setting.signal))
}

/// Sets the key's value, so that the thread's end is reported. May allocate.
#[inline(never)]
fn hang_up(thread: &Thread) {
    // SAFETY: the key was made before any record, and is never deleted. Acquire: pairs with the store in `prepare`.
    unsafe { libc::pthread_setspecific(KEY.load(Acquire), ptr::from_ref(thread).cast()) };
    thread.hung_up.store(true, Relaxed);
}

/// Like [`hang_up`], once.
fn be_hung_up(thread: &Thread) {
    if !thread.hung_up.load(Relaxed) {
        hang_up(thread);
    }
}

/// Counts a round of destructors at a thread's end; returns true in the last one. Other destructors may run later and
/// still execute the program's code: the first round requests another one.
pub(crate) fn last_round(thread: &Thread) -> bool {
    let last = thread.rounds.fetch_add(1, Relaxed) > 0;
    if !last {
        hang_up(thread);
    }
    last
}

/// Writes that the thread is no longer sampled.
pub(crate) fn write_end(thread: &Thread, now_ns: u64, cpu_ns: u64) {
    thread.write_rest(now_ns, thread.account.rest(now_ns, cpu_ns, period_ns()));
}

/// Ends the thread's use of the record.
pub(crate) fn end(thread: &'static Thread) {
    // Release: pairs with the swap in `session::end`.
    thread.live.store(false, Release);
    thread.clock.stop();
    let (now_ns, cpu_ns) = (system::monotonic_ns(), system::cpu_ns());
    thread.write_rest(now_ns, thread.account.pass_on(now_ns, cpu_ns, period_ns()));
    current_thread::set(None);
    thread.give_back();
}

fn period_ns() -> u64 {
    setting::get().map_or(1, setting::Setting::period_ns)
}

/// Stops the clocks of all threads.
pub(crate) fn stop_clocks() {
    all().for_each(|thread| thread.clock.stop());
}

/// Resets all records in a forked child: its only thread starts again, the others don't exist.
pub(crate) fn forget(go_on: bool) {
    NEXT_NUMBER.store(0, Relaxed);
    let me = current_thread::me();
    for thread in all() {
        thread.live.store(false, Relaxed);
        thread.clock.forget();
        thread.account.forget(period_ns());
        if !me.is_some_and(|me| ptr::eq(me, thread)) {
            thread.give_back();
        }
    }
    if let Some(me) = me.filter(|_| go_on) {
        // Nothing may be allocated here: the allocator's own fork handler may run later.
        begin(me, Stack::AsBefore);
    }
}
