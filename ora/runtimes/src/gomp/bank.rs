//! Banks: the slots, stubs and real functions of one libgomp instance each. The first bank is that of the libgomp that the
//! process started with, and of the exported names; the others serve libgomps that libraries brought along.
#![allow(unsafe_code)] // addresses of code become functions

use super::entry::{Code, NOTE, STUB, notes, stubs, symbol};
use super::home::Home;
use super::mutex_words::Mutexes;
use super::slots::{Slots, Ways};
use super::table::{ENTRIES, Entry, SLOTS, SYMBOLS, UNBOUND, is_for_calls, wrappers, wrappers_of_calls};
use super::worker::{self, Workers};
use ompt_core::thread::Thread;
use ompt_core::{first_use, host};
use std::ffi::c_void;
use std::mem::{offset_of, transmute_copy};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use system::objects::Object;

/// Slots and real functions of one libgomp. They come first: entries know their distance from the bank's start.
#[repr(C)]
pub(super) struct Bank {
    slots: Slots<SLOTS, ENTRIES>,
    wrappers: [Code; SLOTS],
    wrappers_of_calls: [Code; SLOTS],
    stubs: Code,
    notes: Code,
    home: Home,
    pub(super) mutexes: Mutexes,
    pub(super) workers: Workers,
    create_worker: Code,
    /// Whether constructs can be cancelled, once that is known: libgomp decides when it is loaded.
    cancellation: AtomicU32,
}

/// What libgomp is to run in each thread of a team, with a pointer to the [`Visitor`] to call.
type Visit = unsafe extern "C-unwind" fn(*const c_void);

/// What is to be done with each worker of a team, on that worker.
pub(super) type Visitor = fn(&'static Thread);

const NO: u32 = 1;
const YES: u32 = 2;

/// All banks. A libgomp for which none is left is called directly.
pub(super) static BANKS: [Bank; 8] = [
    Bank::new::<0>(),
    Bank::new::<1>(),
    Bank::new::<2>(),
    Bank::new::<3>(),
    Bank::new::<4>(),
    Bank::new::<5>(),
    Bank::new::<6>(),
    Bank::new::<7>(),
];

/// Bank `B`.
#[inline(always)]
pub(super) fn bank<const B: usize>() -> &'static Bank {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    const {
        &BANKS[B]
    }
}

/// The bank of a libgomp; one that has none gets one. While `objects::locked` works. `None` for LLVM's runtime, which has
/// libgomp's names too, but not what wrappers rely on.
pub(super) fn serving(libgomp: &Object) -> Option<&'static Bank> {
    if libgomp.base() == 0 || libgomp.function(c"__kmpc_fork_call", None).is_some() {
        return None;
    }
    let owned_by = |owner: usize| BANKS.iter().find(|bank| bank.slots.owner() == owner);
    owned_by(libgomp.base()).or_else(|| {
        let [_, private @ ..] = &BANKS;
        let bank = private.iter().find(|bank| bank.slots.owner() == 0)?;
        bank.adopt(libgomp);
        Some(bank)
    })
}

/// Frees the banks of libgomps that are not among those given. While `objects::locked` works.
pub(super) fn forget_all_but<'a>(libgomps: impl Iterator<Item = &'a Object> + Clone) {
    let [_, private @ ..] = &BANKS;
    for bank in private.iter().filter(|bank| bank.slots.owner() != 0) {
        if !libgomps.clone().any(|libgomp| bank.is_of(libgomp)) {
            bank.forget();
        }
    }
}

#[allow(clippy::indexing_slicing)] // `i` is less than `N`
const fn pointers<const N: usize>(from: &[Code; N]) -> [AtomicPtr<()>; N] {
    let mut slots = [const { AtomicPtr::new(null_mut()) }; N];
    let mut i = 0;
    while i < N {
        slots[i] = AtomicPtr::new(from[i].0.cast_mut());
        i += 1;
    }
    slots
}

impl Bank {
    /// Where the wrappers lie that are reached by way of `notes`.
    pub(super) const WRAPPERS_OF_CALLS: usize = offset_of!(Bank, wrappers_of_calls);

    const fn new<const B: usize>() -> Self {
        Self {
            slots: Slots::new(pointers(&UNBOUND)),
            wrappers: wrappers::<B>(),
            wrappers_of_calls: wrappers_of_calls::<B>(),
            stubs: Code(stubs::<B> as *const ()),
            notes: Code(notes::<B> as *const ()),
            home: Home::unknown(),
            mutexes: Mutexes::unknown(),
            workers: Workers::unknown(),
            create_worker: worker::create_address::<B>(),
            cancellation: AtomicU32::new(0),
        }
    }

    /// The real function behind an entry, if it is known.
    pub(super) fn address(&self, entry: usize) -> Option<Code> {
        self.slots.real(entry).map(|address| Code(address))
    }

    /// Binds an entry to its real function: its calls go there, without a report. As long as the first use of the runtime is
    /// awaited, they go by way of [`find::late`](super::find::late).
    pub(super) fn bind(&self, entry: usize, real: Code) {
        self.slots.bind(entry, real.0.cast_mut(), self);
    }

    /// The runtime has been used: calls of all entries that are bound, and go nowhere yet, go to their real functions, or to
    /// wrappers.
    pub(super) fn open(&self) {
        self.slots.open(self);
    }

    /// The next call of any entry is awaited again.
    pub(super) fn close(&self) {
        if self.is_bound() {
            self.slots.close(self);
        }
    }

    /// Whether constructs can be cancelled (`OMP_CANCELLATION`). libgomp before gcc 4.9 has no such thing.
    #[inline]
    pub(super) fn cancels(&self) -> bool {
        match self.cancellation.load(Relaxed) {
            0 => self.ask_cancellation(),
            known => known == YES,
        }
    }

    #[cold]
    fn ask_cancellation(&self) -> bool {
        let cancels = self.address(Entry::omp_get_cancellation as usize).is_some_and(|get| {
            // SAFETY: the address is that of the bound `int omp_get_cancellation (void)` (omp.h); its libgomp is loaded: a
            // wrapper of this bank asks.
            let get: extern "C" fn() -> i32 = unsafe { std::mem::transmute(get.0) };
            get() != 0
        });
        self.cancellation.store(if cancels { YES } else { NO }, Relaxed);
        cancels
    }

    /// What one of libgomp's routines says that take nothing and return an int, never a negative one; 0 without it.
    pub(super) fn number(&self, get: Entry) -> u32 {
        let Some(get) = self.address(get as usize) else { return 0 };
        // SAFETY: every caller in this folder names a routine that is `int (void)` in omp.h: numbers of threads, of devices, of
        // the thread.
        let get: extern "C" fn() -> i32 = unsafe { std::mem::transmute(get.0) };
        get().cast_unsigned()
    }

    /// Where the libgomp lies that is served ([`Object::base`]).
    pub(super) fn owner(&self) -> usize {
        self.slots.owner()
    }

    /// The number of the schedule that loops with `schedule(runtime)` have; 0 where libgomp has no routine for it.
    #[cold]
    pub(super) fn schedule(&self) -> u32 {
        let Some(get) = self.address(Entry::omp_get_schedule as usize) else { return 0 };
        // SAFETY: the address is that of the bound `void omp_get_schedule (omp_sched_t *, int *)` (omp.h).
        let get: extern "C" fn(*mut u32, *mut i32) = unsafe { std::mem::transmute(get.0) };
        let (mut kind, mut chunk) = (0, 0);
        get(&raw mut kind, &raw mut chunk);
        kind
    }

    /// Whether there is a libgomp behind the bank.
    pub(super) fn is_bound(&self) -> bool {
        self.address(Entry::GOMP_parallel as usize).is_some()
    }

    /// Binds an entry to a function that is not libgomp's: its calls go there for ever.
    pub(super) fn forward(&self, entry: usize, function: Code) {
        self.slots.lead(entry, function.0.cast_mut());
    }

    /// Where a call of the entry goes now, if that is known.
    pub(super) fn target(&self, entry: usize) -> Option<Code> {
        self.slots.target(entry, self).map(|target| Code(target))
    }

    /// The code that jumps through the slot of an entry.
    pub(super) fn stub(&self, entry: usize) -> Code {
        Code(self.stubs.0.wrapping_byte_add(STUB * entry))
    }

    /// All entries are bound that there are. A tool that attached meanwhile had nothing to wrap.
    pub(super) fn serves(&self, owner: usize) {
        self.mutexes.learn(self);
        self.slots.serve(owner, self);
        if host::tracking() {
            self.lead_workers();
        }
    }

    /// Reports the ends of the libgomp's workers in time from now on.
    fn lead_workers(&self) {
        let owner = self.owner();
        if owner != 0 {
            self.workers.lead(owner, self.create_worker);
        }
    }

    /// Serves a libgomp that nobody is led to yet.
    fn adopt(&self, libgomp: &Object) {
        for entry in 0..ENTRIES {
            let real = symbol(entry).and_then(|(name, version)| libgomp.function(name, version)).map(Code);
            match real {
                Some(real) => self.bind(entry, real),
                // What was there before is not this libgomp's.
                None => self.slots.know(entry, null_mut()),
            }
        }
        self.cancellation.store(0, Relaxed);
        self.workers.forget();
        self.home.settle(self.address(Entry::omp_get_level as usize));
        self.serves(libgomp.base());
    }

    /// Whether the bank's functions are the libgomp's: another one may have come to lie where the first was.
    fn is_of(&self, libgomp: &Object) -> bool {
        self.slots.owner() == libgomp.base()
            && (0..ENTRIES).all(|entry| {
                let real = symbol(entry).and_then(|(name, version)| libgomp.function(name, version)).map(Code);
                real.map(|real| real.0) == self.address(entry).map(|real| real.0)
            })
    }

    /// The libgomp was unloaded, and with it whoever was led here.
    fn forget(&self) {
        self.home.leave();
        self.slots.forget(self);
    }

    /// From now on calls are reported.
    pub(super) fn wrap(&self) {
        self.slots.wrap(self);
        self.lead_workers();
    }

    /// Runs [`visit`](super::parallel::visit) with this work in the threads of a team of this size, which is that of the calling
    /// thread's pool.
    pub(super) fn on_workers(&self, size: u32, work: Visitor) {
        let Some(parallel) = self.address(Entry::GOMP_parallel as usize) else { return };
        // SAFETY: the address is that of `void GOMP_parallel (void (*) (void *), void *, unsigned, unsigned)` (libgomp_g.h).
        let parallel: unsafe extern "C-unwind" fn(Visit, *const c_void, u32, u32) =
            unsafe { std::mem::transmute(parallel.0) };
        // SAFETY: `visit` reads a `Visitor`: `work`, which lives until `GOMP_parallel` returns, and so until all threads have
        // run it. The libgomp is loaded: `Gomp::on_workers` asked `is_there`.
        unsafe { parallel(super::parallel::visit, (&raw const work).cast(), size, 0) };
    }

    /// Whether its libgomp is still loaded: one that was brought along and unloaded may not have been forgotten yet.
    /// Async-signal-safe.
    pub(super) fn is_there(&self) -> bool {
        std::ptr::eq(self, bank::<0>()) || self.home.is_there()
    }

    /// Whether the calling thread is in a parallel region, as libgomp itself sees it. Async-signal-safe: libgomp reads an
    /// initial-exec thread-local.
    pub(super) fn in_parallel(&self) -> bool {
        let Some(get_level) = self.address(Entry::omp_get_level as usize) else { return false };
        if !self.is_there() {
            return false;
        }
        // SAFETY: the address is libgomp's omp_get_level, which takes nothing and returns an int.
        let get_level: extern "C" fn() -> i32 = unsafe { std::mem::transmute(get_level.0) };
        get_level() > 0
    }
}

impl Ways for Bank {
    fn unbound(&self, entry: usize) -> *mut () {
        UNBOUND.get(entry).map_or(null_mut(), |unbound| unbound.0.cast_mut())
    }

    fn wrapper(&self, entry: usize) -> Option<*mut ()> {
        self.wrappers.get(entry).filter(|_| !is_for_calls(entry)).map(|wrapper| wrapper.0.cast_mut())
    }

    fn note(&self, entry: usize) -> *mut () {
        self.notes.0.wrapping_byte_add(NOTE * entry).cast_mut()
    }

    fn closes(&self, entry: usize) -> bool {
        SYMBOLS.get(entry).is_some_and(|(name, _)| name.contains("_end"))
    }

    fn needed(&self) -> &[usize] {
        const NEEDED: [usize; 7] = [
            Entry::GOMP_barrier as usize,
            Entry::omp_get_level as usize,
            Entry::omp_get_num_threads as usize,
            Entry::omp_test_lock as usize,
            Entry::omp_test_lock_ as usize,
            Entry::omp_test_nest_lock as usize,
            Entry::omp_test_nest_lock_ as usize,
        ];
        &NEEDED
    }

    /// Calls of exported names are signs of the first use. Who is led to another bank has called one of them: the first use has
    /// begun, and where it is not over, it is a tool that uses OpenMP itself while it starts.
    fn is_use_awaited(&self) -> bool {
        std::ptr::eq(self, bank::<0>()) && first_use::is_awaited()
    }

    fn is_tracked(&self) -> bool {
        host::tracking()
    }

    fn tells_calls(&self) -> bool {
        host::tells_calls()
    }
}

/// The real function behind an entry, as a function of type `F`.
///
/// # Safety
/// `F` is a function pointer type that fits the entry, and the entry of bank `B` is bound: wrappers are reached only then.
#[inline(always)]
pub(super) unsafe fn real<const B: usize, const E: usize, F: Copy>() -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
    let address = bank::<B>().slots.real_in_wrapper::<E>();
    // SAFETY: by this function's `# Safety` the address is that of a bound entry, not null, and `F` fits it; the assertion
    // compares the sizes.
    unsafe { transmute_copy(&address) }
}
