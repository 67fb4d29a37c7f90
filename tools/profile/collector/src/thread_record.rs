//! Record of a thread. Unsafe: it is shared with handlers.
//!
//! A record consists of zeros from the system, is never returned to it, and serves one thread after the other
//! ([`crate::threads`]).
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use ::system::memory::TreiberStack;
use profile_format::Record;

use crate::account::{Account, Rest};
use crate::clock::Clock;
use crate::file::FILE;
use crate::late_signals::LateSignals;
use crate::scratch::Scratch;
use crate::serial_state::SerialState;
use crate::short_waits::ShortWaits;
use crate::stack_bounds::StackBounds;
use crate::{stacks, system};

/// Records that no thread uses, by their addresses.
static UNUSED: TreiberStack = TreiberStack::empty();

/// Record of a thread. All zeros are valid, except for the scratch's context.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Thread {
    pub(crate) next: AtomicPtr<Thread>,
    /// Link to the next record that no thread uses.
    pub(crate) next_unused: AtomicU64,
    /// True while a thread uses this record.
    pub(crate) taken: AtomicBool,
    /// True while the thread may be sampled.
    pub(crate) live: AtomicBool,
    /// True while the thread walks its own stack, which a handler that interrupts it must not do.
    pub(crate) busy: AtomicBool,
    pub(crate) rounds: AtomicU32,
    pub(crate) number: AtomicU32,
    pub(crate) tid: AtomicU32,
    /// True if this record is the value of the pthread key: the thread's end will be reported.
    pub(crate) hung_up: AtomicBool,
    /// True from when the record is taken in a handler until the thread's start.
    pub(crate) fresh: AtomicBool,
    /// True while the thread's alternate stack is too small for a signal: its clock is stopped.
    pub(crate) cramped: AtomicBool,
    /// True while the thread is in the signal handler.
    pub(crate) in_handler: AtomicBool,
    /// Generation of the file that the thread's record was written to.
    pub(crate) written: AtomicU32,
    pub(crate) begun_ns: AtomicU64,
    /// The thread's time that no sample represents yet.
    pub(crate) account: Account,
    /// CPU time at its last sample, and the CPU time that taking it cost.
    pub(crate) sampled_cpu_ns: AtomicU64,
    pub(crate) took_cpu_ns: AtomicU64,
    pub(crate) delivered: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) late: LateSignals,
    pub(crate) clock: Clock,
    pub(crate) stack: StackBounds,
    /// Start of the wait that the thread is in; 0 if there is none.
    pub(crate) wait_ns: AtomicU64,
    pub(crate) wait_event: AtomicU32,
    /// Time at which its last wait was over, if that was an implicit barrier and no other wait has started; else 0.
    pub(crate) ended_ns: AtomicU64,
    pub(crate) wait_region: AtomicU64,
    /// State of its time outside of OpenMP.
    pub(crate) serial: SerialState,
    /// Time of the last check whether the thread has slept in a region.
    pub(crate) looked_ns: AtomicU64,
    /// Waits that were too short for a sample of their own.
    pub(crate) short: ShortWaits,
    /// A region with a sample that wasn't known at that time: its fork may not have been reported yet.
    pub(crate) unknown_region: AtomicU64,
    /// Start routine of a new thread (0 if its creation was not seen), its argument, and the length of its stack.
    pub(crate) routine: AtomicUsize,
    pub(crate) argument: AtomicPtr<c_void>,
    pub(crate) length: AtomicUsize,
    scratch: UnsafeCell<MaybeUninit<Scratch>>,
    /// Stack of the signal handler; only the part that is used is touched.
    handler_stack: UnsafeCell<HandlerStack>,
}

#[derive(Debug)]
#[repr(C, align(16))]
struct HandlerStack([u8; 1 << 16]);

// SAFETY: everything is atomic except the scratch, which only its thread uses, after it has set `busy`.
unsafe impl Sync for Thread {}

impl Thread {
    /// Maps a new record, which is taken. No other thread has its address.
    pub(crate) fn map() -> Option<*mut Self> {
        let place = system::zeros(size_of::<Self>())?;
        // Mappings start at page boundaries.
        #[allow(clippy::cast_ptr_alignment)]
        let place = place.cast::<Self>();
        // SAFETY: zeros are a valid record, and the memory is never unmapped.
        let thread = unsafe { &*place };
        // SAFETY: `zeros` mapped the record just now, and no other thread finds it before this function has returned.
        let scratch = unsafe { &mut *thread.scratch.get() };
        // SAFETY: zeros are a valid scratch, except for the context, which `prepare` initializes.
        unsafe { scratch.assume_init_mut() }.prepare();
        thread.taken.store(true, Relaxed);
        Some(place)
    }

    /// Returns the record to the unused ones, unless it is already there.
    pub(crate) fn give_back(&'static self) {
        if self.taken.swap(false, Relaxed) {
            UNUSED.push(ptr::from_ref(self).expose_provenance() as u64, &self.next_unused);
        }
    }

    /// Takes a record that was given back. What the last thread did with it happens-before this one's use. Async-signal-safe.
    pub(crate) fn take_unused() -> Option<&'static Self> {
        let at = |address| {
            let place = ptr::with_exposed_provenance::<Self>(usize::try_from(address).ok()?);
            // SAFETY: null, or what `give_back` pushed: a record, which is never freed.
            unsafe { place.as_ref() }
        };
        let thread = at(UNUSED.pop(|address| at(address).map(|thread| &thread.next_unused))?)?;
        thread.taken.store(true, Relaxed);
        Some(thread)
    }

    /// True for a record that was taken in a handler and whose thread has not started. False from then on.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh.load(Relaxed) && self.fresh.swap(false, Relaxed)
    }

    /// A handler starts: it sees that the session is over, or [`crate::threads::wait_for_handlers`] waits for it.
    pub(crate) fn enter_handler(&self) {
        // SeqCst: with the load of `OPEN` in `sampling::is_open`, against the store there and the load in `wait_for_handlers` (store
        // buffering).
        self.in_handler.store(true, SeqCst);
    }

    /// The handler has finished.
    pub(crate) fn leave_handler(&self) {
        // Release: pairs with the load in `wait_for_handlers`.
        self.in_handler.store(false, Release);
    }

    /// Stops the calling thread's clock, because its alternate stack will be too small. Returns true if the previous one was too small as well.
    pub(crate) fn cramp(&self) -> bool {
        let was_cramped = self.cramped.swap(true, Relaxed);
        self.clock.stop();
        was_cramped
    }

    /// Starts the clock of the calling thread again, if its alternate stack was too small.
    pub(crate) fn uncramp(&self, now_ns: u64) {
        if self.cramped.swap(false, Relaxed) && self.live.load(Relaxed) {
            self.clock.begin(&self.account, self.tid.load(Relaxed), now_ns);
        }
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

    /// Writes the thread's record, unless this file already has it.
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

    /// Gives the calling thread its scratch, unless the thread already uses it. Async-signal-safe.
    pub(crate) fn look<R>(&self, then: impl FnOnce(&mut Scratch) -> R) -> Option<R> {
        // Acquire: pairs with the store of false below, of this thread: a handler between the two sees true and
        // returns.
        if self.busy.swap(true, Acquire) {
            return None;
        }
        // SAFETY: this is the record's thread, and it came here once: `busy` was free.
        let scratch = unsafe { &mut *self.scratch.get() };
        // SAFETY: `map` has made the scratch valid, with its context, before the record could be found.
        let result = then(unsafe { scratch.assume_init_mut() });
        // Release: pairs with the swap above.
        self.busy.store(false, Release);
        Some(result)
    }

    /// True if samples would take more of the thread's time than is left for the program. If walking a deep stack takes
    /// longer than a period, the next signal comes before the program has progressed at all. Half of the time is the
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

    /// Writes that the thread is no longer sampled, and how much time it has left.
    pub(crate) fn write_rest(&self, now_ns: u64, Rest { wall_ns, cpu_ns, asked }: Rest) {
        self.write();
        if let Some(ready_ns) = self.serial.ready_ns(self.tid.load(Relaxed)) {
            FILE.write_surely(Record::ThreadReady { thread: self.number(), ready_ns });
        }
        self.late.write(self.number());
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
}
