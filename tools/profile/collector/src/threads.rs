//! Threads and what is kept of each. Unsafe: records that are shared with handlers.
//!
//! A record is zeros from the system, is never given back, and serves one thread after the other. A thread finds its own by
//! [`current_thread`]. A pthread key has it, too, for the thread's end.
#![allow(unsafe_code)]

mod sessions;

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use profile_format::Record;

use crate::account::{Account, Rest};
use crate::diagnostics::{Diagnostic, report};
use crate::file::FILE;
use crate::scratch::Scratch;
use crate::stack_bounds::{Stack, StackBounds};
use crate::{clock, current_thread, forks, serial_time, setting, stacks, system, waits};

pub(crate) use sessions::{end_gone, end_session, has_record, stock, wait_for_handlers};

static KEY: AtomicU32 = AtomicU32::new(u32::MAX);
/// Head of a Treiber stack of all records; records are pushed, and never popped.
static ALL: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// Record of a thread. All zeros are valid, but for the scratch's context.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Thread {
    next: AtomicPtr<Thread>,
    /// True while a thread uses this record.
    taken: AtomicBool,
    /// True while the thread may be sampled.
    pub(crate) live: AtomicBool,
    /// True while the thread walks its own stack; a handler that interrupts it must not.
    busy: AtomicBool,
    rounds: AtomicU32,
    number: AtomicU32,
    pub(crate) tid: AtomicU32,
    /// True if the key's value is this record: the thread's end will be reported.
    hung_up: AtomicBool,
    /// True from the taking in a handler to the begin.
    fresh: AtomicBool,
    /// True while the thread is in the signal handler.
    in_handler: AtomicBool,
    /// Generation of the file that the thread's record was written to.
    written: AtomicU32,
    begun_ns: AtomicU64,
    /// The thread's time that no sample represents yet.
    pub(crate) account: Account,
    /// CPU time at its last sample, and the CPU time that taking it cost.
    sampled_cpu_ns: AtomicU64,
    took_cpu_ns: AtomicU64,
    pub(crate) delivered: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) clock: clock::Place,
    stack: StackBounds,
    /// Begin of the wait that the thread is in; 0: none.
    pub(crate) wait_ns: AtomicU64,
    pub(crate) wait_event: AtomicU32,
    /// Time at which its last wait was over, if that was an implicit barrier and no other wait has begun; 0 else.
    pub(crate) ended_ns: AtomicU64,
    pub(crate) wait_region: AtomicU64,
    /// State of its time outside of OpenMP.
    pub(crate) serial: serial_time::Place,
    /// Time of the last check whether the thread had slept in a region.
    pub(crate) looked_ns: AtomicU64,
    /// Waits that were too short for a sample of their own.
    pub(crate) short: waits::Short,
    /// A region with a sample that wasn't known then: perhaps its fork has not been reported yet.
    pub(crate) unknown_region: AtomicU64,
    /// The region that the thread has forked last.
    pub(crate) last_fork: forks::Place,
    /// Start routine of a new thread (0: its creation was not seen), its argument, and the length of its stack.
    pub(crate) routine: AtomicUsize,
    pub(crate) argument: AtomicPtr<c_void>,
    pub(crate) length: AtomicUsize,
    scratch: UnsafeCell<MaybeUninit<Scratch>>,
    /// Stack of the signal handler, touched as far as it is used.
    handler_stack: UnsafeCell<HandlerStack>,
}

#[derive(Debug)]
#[repr(C, align(16))]
struct HandlerStack([u8; 1 << 16]);

// SAFETY: all is atomic but the scratch, which its thread alone uses, and only when it has set `busy`.
unsafe impl Sync for Thread {}

/// Makes the pthread key, once. `end` is called at a thread's end.
pub(crate) fn prepare(end: extern "C" fn(*mut c_void)) -> bool {
    if are_kept() {
        return true;
    }
    let mut key = 0;
    // SAFETY: `key` is there to be written; this library, and so the function, is never unloaded.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(end)) } == 0;
    if made {
        // Release: pairs with the loads in `are_kept` and `hang_up`; publishes the key.
        KEY.store(key, Release);
    }
    made
}

/// The record that a key's value points to.
pub(crate) fn at(value: *mut c_void) -> Option<&'static Thread> {
    // SAFETY: only `hang_up` sets the value, to a record, which stays for good.
    unsafe { value.cast::<Thread>().as_ref() }
}

/// True if threads can have records.
pub(crate) fn are_kept() -> bool {
    // Acquire: pairs with the store in `prepare`; publishes the key.
    KEY.load(Acquire) != u32::MAX
}

/// Takes a record for a thread that begins, or is yet to begin.
pub(crate) fn take() -> Option<&'static Thread> {
    take_used().or_else(make).or_else(|| {
        report(Diagnostic::Thread, |text| {
            text.push(b"no memory for a thread's record: threads are missing");
        });
        None
    })
}

/// Takes a record that was given back. Async-signal-safe.
fn take_used() -> Option<&'static Thread> {
    // Acquire: pairs with the store in `give_back`; what the last thread did with the record happens-before this one's use.
    all().find(|t| !t.taken.load(Relaxed) && !t.taken.swap(true, AcqRel))
}

/// Takes a record for the calling thread, in a handler. It begins later: see [`Thread::is_fresh`]. Async-signal-safe.
pub(crate) fn take_in_handler() -> Option<&'static Thread> {
    let thread = take_used()?;
    thread.fresh.store(true, Relaxed);
    Some(thread)
}

/// Iterates over all records, also those of threads that have ended.
pub(crate) fn all() -> impl Iterator<Item = &'static Thread> {
    // SAFETY: null or a record, which stays for good.
    // Acquire: pairs with the compare-exchange in `make`; publishes the record and its link.
    let first = unsafe { ALL.load(Acquire).as_ref() };
    std::iter::successors(first, |thread| {
        // SAFETY: null or a record: `make` stored it, and maps records for good.
        // Acquire: pairs with no store (`make` stores the link Relaxed); the load of `ALL` above has published all of them.
        unsafe { thread.next.load(Acquire).as_ref() }
    })
}

fn make() -> Option<&'static Thread> {
    let place = system::zeros(size_of::<Thread>())?;
    // Mappings begin at pages.
    #[allow(clippy::cast_ptr_alignment)]
    let place = place.cast::<Thread>();
    // SAFETY: zeros are a valid record, and the memory stays for good.
    let thread = unsafe { &*place };
    // SAFETY: `zeros` mapped the record just now, and no other thread finds it before the exchange below.
    let scratch = unsafe { &mut *thread.scratch.get() };
    // SAFETY: zeros are a valid scratch, but for the context, which `prepare` makes.
    unsafe { scratch.assume_init_mut() }.prepare();
    thread.taken.store(true, Relaxed);
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

impl Thread {
    /// Returns the record to the pool of free ones.
    pub(crate) fn give_back(&self) {
        // Release: pairs with the swap in `take`.
        self.taken.store(false, Release);
    }

    /// Makes the record the calling thread's, and starts its clock.
    pub(crate) fn begin(&'static self, stack: Stack) {
        self.number.store(NEXT_NUMBER.fetch_add(1, Relaxed), Relaxed);
        self.took_cpu_ns.store(0, Relaxed);
        for counter in [
            &self.delivered,
            &self.lost,
            &self.wait_ns,
            &self.ended_ns,
            &self.wait_region,
            &self.looked_ns,
            &self.unknown_region,
        ] {
            counter.store(0, Relaxed);
        }
        self.rounds.store(0, Relaxed);
        self.written.store(0, Relaxed);
        self.busy.store(false, Relaxed);
        self.tid.store(system::thread(), Relaxed);
        self.stack.find(stack);
        let (now_ns, cpu_ns) = (system::monotonic_ns(), system::cpu_ns());
        // A thread that was interrupted has run for a period since the knock.
        let before_ns = if matches!(stack, Stack::Interrupted(_)) { period_ns().min(cpu_ns) } else { 0 };
        self.begun_ns.store(now_ns - before_ns, Relaxed);
        if !matches!(stack, Stack::Long(_)) {
            self.routine.store(0, Relaxed);
            self.account.forget(period_ns());
        }
        self.account.begin(now_ns - before_ns, cpu_ns - before_ns);
        self.short.forget();
        self.serial.begin(now_ns);
        if setting::get().is_some_and(|setting| setting.attached) {
            // What it has waited for a processor before is not of this session.
            serial_time::waited(self, now_ns);
        }
        // Release: pairs with the swap in `session::on_exit`; publishes the account and the thread's numbers.
        self.live.store(true, Release);
        current_thread::set(Some(self));
        self.hung_up.store(false, Relaxed);
        if !matches!(stack, Stack::Interrupted(_)) {
            self.hang_up();
        }
        self.write();
        clock::begin(self, now_ns);
    }

    /// Sets the key's value, so that the thread's end is reported. May allocate.
    #[inline(never)]
    fn hang_up(&self) {
        // SAFETY: the key was made before any record, and is never deleted. Acquire: pairs with the store in `prepare`.
        unsafe { libc::pthread_setspecific(KEY.load(Acquire), ptr::from_ref(self).cast()) };
        self.hung_up.store(true, Relaxed);
    }

    /// As [`Self::hang_up`], once.
    pub(crate) fn be_hung_up(&self) {
        if !self.hung_up.load(Relaxed) {
            self.hang_up();
        }
    }

    /// True for a record that was taken in a handler, and has not begun. False from then on.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh.load(Relaxed) && self.fresh.swap(false, Relaxed)
    }

    /// A handler begins: it sees that the session is over, or [`wait_for_handlers`] waits for it.
    pub(crate) fn enter_handler(&self) {
        // SeqCst: with the load of `OPEN` in `session::is_open`, against the store there and the load in `wait_for_handlers` (store
        // buffering).
        self.in_handler.store(true, SeqCst);
    }

    /// The handler is done.
    pub(crate) fn leave_handler(&self) {
        // Release: pairs with the load in `wait_for_handlers`.
        self.in_handler.store(false, Release);
    }

    /// Counts a round of destructors at a thread's end; true in the last one. Destructors of others may come later and
    /// still run the program's code: the first round requests another one.
    pub(crate) fn last_round(&self) -> bool {
        let last = self.rounds.fetch_add(1, Relaxed) > 0;
        if !last {
            self.hang_up();
        }
        last
    }

    /// Upper end of the stack that the thread's handler runs on.
    pub(crate) fn handler_stack(&self) -> usize {
        self.handler_stack.get().expose_provenance() + size_of::<HandlerStack>()
    }

    /// Lowest and highest address of the thread's stack.
    pub(crate) fn stack(&self) -> (u64, u64) {
        self.stack.get()
    }

    /// The thread's number in this file.
    pub(crate) fn number(&self) -> u32 {
        self.number.load(Relaxed)
    }

    /// Writes the thread's record, unless this file has it.
    pub(crate) fn write(&self) {
        let generation = stacks::generation();
        if self.written.load(Relaxed) == generation {
            return;
        }
        let record = Record::Thread {
            thread: self.number(),
            tid: self.tid.load(Relaxed),
            begun_ns: self.begun_ns.load(Relaxed),
            routine: self.routine.load(Relaxed) as u64,
        };
        if FILE.write_surely(record) {
            self.written.store(generation, Relaxed);
        }
    }

    /// Gives the calling thread its scratch, unless it uses it already. Async-signal-safe.
    pub(crate) fn look<R>(&self, then: impl FnOnce(&mut Scratch) -> R) -> Option<R> {
        // Acquire: pairs with the store of false below, of this thread: a handler between the two sees true and goes.
        if self.busy.swap(true, Acquire) {
            return None;
        }
        // SAFETY: this is the record's thread, and it came here once: `busy` was free.
        let scratch = unsafe { &mut *self.scratch.get() };
        // SAFETY: `make` has made the scratch valid, with its context, before the record could be found.
        let result = then(unsafe { scratch.assume_init_mut() });
        // Release: pairs with the swap above.
        self.busy.store(false, Release);
        Some(result)
    }

    /// True if samples would take more of the thread's time than is left to it. Where walking a deep stack takes longer
    /// than a period, the next signal is there before the program has gone on at all. Half of the time is the
    /// program's.
    ///
    /// A thread that got its record from another one, or was forked, has had less CPU time than `sampled_cpu_ns`.
    pub(crate) fn is_taken_up(&self, cpu_ns: u64) -> bool {
        let since_ns = cpu_ns.checked_sub(self.sampled_cpu_ns.load(Relaxed));
        since_ns.is_some_and(|since_ns| since_ns < self.took_cpu_ns.load(Relaxed))
    }

    /// Records the cost of a sample.
    pub(crate) fn was_taken_up(&self, begun_cpu_ns: u64, cpu_ns: u64) {
        self.sampled_cpu_ns.store(cpu_ns, Relaxed);
        self.took_cpu_ns.store(cpu_ns.saturating_sub(begun_cpu_ns), Relaxed);
    }

    /// Writes that the thread is not sampled any more.
    pub(crate) fn write_end(&self, now_ns: u64, cpu_ns: u64) {
        self.write_rest(now_ns, self.account.rest(now_ns, cpu_ns, period_ns()));
    }

    fn write_rest(&self, now_ns: u64, Rest { wall_ns, cpu_ns, asked }: Rest) {
        self.write();
        if let Some(ready_ns) = system::ready_ns_of(self.tid.load(Relaxed)) {
            FILE.write_surely(Record::ThreadReady { thread: self.number(), ready_ns });
        }
        FILE.write_surely(Record::ThreadEnd {
            thread: self.number(),
            ended_ns: now_ns,
            wall_ns,
            cpu_ns,
            asked,
            delivered: self.delivered.load(Relaxed),
            lost: self.lost.load(Relaxed),
        });
    }

    /// Ends the thread's use of the record.
    pub(crate) fn end(&self) {
        // Release: pairs with the swap in `session::on_exit`.
        self.live.store(false, Release);
        clock::stop(self);
        let (now_ns, cpu_ns) = (system::monotonic_ns(), system::cpu_ns());
        self.write_rest(now_ns, self.account.pass_on(now_ns, cpu_ns, period_ns()));
        current_thread::set(None);
        self.give_back();
    }
}

fn period_ns() -> u64 {
    setting::get().map_or(1, setting::Setting::period_ns)
}

/// Resets all records in a forked child: its only thread begins anew, the others don't exist.
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
        me.begin(Stack::AsBefore);
    }
}
