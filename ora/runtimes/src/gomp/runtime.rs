//! Runtime instances: the dispatch slots, trampolines and real functions of one libgomp each. The first instance is the libgomp with which
//! the process started, and serves the exported names; the others serve libgomps that libraries brought along.

use super::address_range::AddressRange;
use super::call_sites;
use super::dispatch_slots::{Slots, Targets};
use super::entry::{Code, symbol};
use super::mutex_words::Mutexes;
use super::names::{ENTRIES, EXPORTED, Entry, SLOTS, SYMBOLS, is_ompt_only};
use super::plugin;
use super::worker_creation::Workers;
use ompt_core::{adapter, first_use};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};
use system::arch;
use system::objects::Object;
use system::threads::barrier_before_redirection;

/// The largest number of libgomps that are served. Any further libgomp is called directly.
pub(super) const MAX_LIBGOMPS: usize = 8;

/// All runtime instances, and the exported names. The instances come first, because trampolines contain their distance from the start.
#[repr(C)]
pub(super) struct Runtimes {
    pub(super) all: [Runtime; MAX_LIBGOMPS],
    /// The functions that programs call, which jump through the slots of the first instance.
    pub(super) exports: &'static [Code; EXPORTED],
}

/// Bytes from one instance to the next, a power of two: the address of any word of an instance, rounded down, is the
/// instance's address.
pub(super) const RUNTIME_SIZE: usize = 4096;

/// Runtime instance: the slots and real functions of one libgomp. They come first, because trampolines contain their distance from the
/// start.
#[repr(C, align(4096))]
pub(super) struct Runtime {
    slots: Slots<SLOTS, ENTRIES>,
    /// Number of the instance: 0 for the first.
    number: usize,
    unbound: &'static [Code; SLOTS],
    trampolines: Code,
    range: AddressRange,
    pub(super) mutexes: Mutexes,
    pub(super) workers: Workers,
    /// See `routines`; 0 before the first query.
    pub(super) cancellation: AtomicU32,
}

const _: () = assert!(size_of::<Runtime>() == RUNTIME_SIZE);

/// Bytes from the start of an instance to the first real function's address, and from a slot to that of its own entry.
pub(super) const REAL: usize = 8 * SLOTS;

/// Bytes from one trampoline of an instance to the next.
pub(super) const TRAMPOLINE: usize = arch::JUMP_BYTES;

/// Bytes from one function that records a call site of the first instance to the next.
pub(super) const RECORDER: usize = arch::RECORDING_BYTES;

/// Functions that report calls of one entry of an instance other than the first.
pub(super) struct OfOthers {
    pub(super) plain: Code,
    /// The function at the OMPT level, which records the call site.
    pub(super) recording: Code,
}

/// Functions that report calls.
pub(super) struct Wrappers {
    /// Wrappers for the first instance. At the OMPT level other functions lead to them, [`RECORDER`] bytes apart.
    pub(super) first: [Code; SLOTS],
    pub(super) recorders_of_first: Code,
    /// Wrappers for all other instances.
    pub(super) others: [OfOthers; SLOTS],
    /// Functions that replace `pthread_create`, one for each instance.
    pub(super) create_worker: [Code; MAX_LIBGOMPS],
}

/// The wrappers, once [`equip`] has set them.
static WRAPPERS: OnceLock<&'static Wrappers> = OnceLock::new();

/// The word with an entry's target if a function is in front of it, in the first instance.
type OriginalTarget = fn(usize) -> Option<&'static AtomicPtr<()>>;

static ORIGINAL_TARGET: OnceLock<OriginalTarget> = OnceLock::new();

/// Sets where to find the targets that have a function in front of them. Called while the library is being loaded.
pub(super) fn set_original_targets(original_target: OriginalTarget) {
    let _ = ORIGINAL_TARGET.set(original_target);
}

/// Sets the wrappers. Called before a tool can attach.
pub(super) fn equip(wrappers: &'static Wrappers) {
    let _ = WRAPPERS.set(wrappers);
}

impl Runtimes {
    /// The instance of the libgomp that the process started with.
    pub(super) fn first(&self) -> &Runtime {
        let [first, ..] = &self.all;
        first
    }

    /// The instance of a libgomp, which is created if there is none. Called within `objects::locked`. `None` for LLVM's runtime, which also
    /// has libgomp's names, but not the behaviour that wrappers rely on.
    pub(super) fn serving(&'static self, libgomp: &Object) -> Option<&'static Runtime> {
        if libgomp.base() == 0 || libgomp.function(c"__kmpc_fork_call", None).is_some() {
            return None;
        }
        let owned_by = |owner: usize| self.all.iter().find(|runtime| runtime.slots.owner() == owner);
        owned_by(libgomp.base()).or_else(|| {
            let [_, private @ ..] = &self.all;
            let runtime = private.iter().find(|runtime| runtime.slots.owner() == 0)?;
            runtime.adopt(libgomp);
            Some(runtime)
        })
    }

    /// Frees the instances of libgomps that are not among the given ones. Called within `objects::locked`.
    pub(super) fn forget_all_but<'a>(&self, libgomps: impl Iterator<Item = &'a Object> + Clone) {
        let [_, private @ ..] = &self.all;
        for runtime in private.iter().filter(|runtime| runtime.slots.owner() != 0) {
            if !libgomps.clone().any(|libgomp| runtime.is_of(libgomp)) {
                runtime.forget();
            }
        }
    }

    /// True for the address of one of the exported names.
    pub(super) fn exports(&self, address: usize) -> bool {
        self.exports.iter().any(|export| std::ptr::addr_eq(export.0, address as *const ()))
    }
}

fn is_barrier(entry: usize) -> bool {
    entry == Entry::GOMP_barrier as usize || entry == Entry::GOMP_barrier_cancel as usize
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

impl Runtime {
    /// An instance with this number, without a libgomp; `trampolines` jump through its slots. The slots of the first instance lead to
    /// `unbound`, those of the others do so once the instance is adopted. No call arrives before that.
    pub(super) const fn new(number: usize, unbound: &'static [Code; SLOTS], trampolines: Code) -> Self {
        let nowhere = [const { AtomicPtr::new(null_mut()) }; SLOTS];
        Self {
            slots: Slots::new(if number == 0 { pointers(unbound) } else { nowhere }),
            number,
            unbound,
            trampolines,
            range: AddressRange::unknown(),
            mutexes: Mutexes::unknown(),
            workers: Workers::unknown(),
            cancellation: AtomicU32::new(0),
        }
    }

    /// Number of the instance: 0 for the first.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        self.number
    }

    fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Real function of an entry, for wrappers, which are reached only when it is bound.
    #[inline(always)]
    pub(super) fn real_in_wrapper(&self, entry: usize) -> *mut () {
        self.slots.real_in_wrapper(entry)
    }

    /// Real function of an entry, if it is known.
    pub(super) fn address(&self, entry: usize) -> Option<Code> {
        self.slots.real(entry).map(|address| Code(address))
    }

    /// Binds an entry to its real function: its calls go there, without a report. While the first use of the runtime is awaited, they go
    /// through [`resolve::late`](super::resolve::late).
    pub(super) fn bind(&self, entry: usize, real: Code) {
        self.slots.bind(entry, real.0.cast_mut(), self);
    }

    /// Opens the slots after the runtime's first use: calls of all bound entries whose slots are still closed go to their real
    /// functions, or to wrappers.
    pub(super) fn open(&self) {
        self.slots.open(self);
    }

    /// Closes the slots: the next call of any entry counts as a first use again.
    pub(super) fn close(&self) {
        if self.is_bound() {
            self.slots.close(self);
        }
    }

    /// Base address of the libgomp (`Object::base`); 0 for none.
    pub(super) fn owner(&self) -> usize {
        self.slots.owner()
    }

    /// True if the instance has a libgomp.
    pub(super) fn is_bound(&self) -> bool {
        self.address(Entry::GOMP_parallel as usize).is_some()
    }

    /// Binds an entry for good to a function that is not libgomp's.
    pub(super) fn forward(&self, entry: usize, function: Code) {
        self.slots.lead(entry, function.0.cast_mut(), self);
    }

    /// Leads the entry's calls to a function in front of its target (`adjusted`).
    pub(super) fn put_in_front(&self, entry: usize, function: Code, original_target: &AtomicPtr<()>) {
        self.slots.put_in_front(entry, function.0.cast_mut(), original_target);
    }

    /// Current target of a call of the entry, if it is known.
    pub(super) fn target(&self, entry: usize) -> Option<Code> {
        self.slots.target(entry, self).map(|target| Code(target))
    }

    /// Trampoline of an entry: jumps through its slot.
    pub(super) fn trampoline(&self, entry: usize) -> Code {
        Code(self.trampolines.0.wrapping_byte_add(TRAMPOLINE * entry))
    }

    /// Completes the binding of all entries that the libgomp has. A tool that attached meanwhile had nothing to wrap.
    pub(super) fn serves(&self, owner: usize) {
        self.mutexes.learn(|entry| self.address(entry as usize));
        self.slots.serve(owner, self);
        if adapter::tracking() {
            self.lead_workers();
            self.lead_plugins();
        }
    }

    /// Makes the libgomp's workers report their ends in time from now on.
    fn lead_workers(&self) {
        let owner = self.owner();
        let create = WRAPPERS.get().and_then(|wrappers| wrappers.create_worker.get(self.number));
        if let (Some(create), false) = (create, owner == 0) {
            self.workers.lead(owner, *create);
        }
    }

    /// Makes the plug-ins that the libgomp opens from now on report their operations to OMPT tools.
    fn lead_plugins(&self) {
        if adapter::reports_calls() && self.owner() != 0 {
            plugin::lead(self.owner());
        }
    }

    /// Adopts a libgomp to which no calls lead yet.
    fn adopt(&self, libgomp: &Object) {
        self.slots.close(self);
        for entry in 0..ENTRIES {
            let real = symbol(entry).and_then(|(name, version)| libgomp.function(name, version)).map(Code);
            match real {
                Some(real) => self.bind(entry, real),
                // The slot's last real function belonged to another libgomp.
                None => self.slots.know(entry, null_mut()),
            }
        }
        self.cancellation.store(0, Relaxed);
        self.workers.forget();
        self.range.set(self.address(Entry::omp_get_level as usize));
        self.serves(libgomp.base());
        // Objects are led to the trampolines next: no call may find a slot in its previous state.
        barrier_before_redirection();
    }

    /// True if the instance's functions are the libgomp's: another libgomp may be loaded at the same address.
    fn is_of(&self, libgomp: &Object) -> bool {
        self.slots.owner() == libgomp.base()
            && (0..ENTRIES).all(|entry| {
                let real = symbol(entry).and_then(|(name, version)| libgomp.function(name, version)).map(Code);
                real.map(|real| real.0) == self.address(entry).map(|real| real.0)
            })
    }

    /// Forgets an unloaded libgomp. The objects whose calls came here were unloaded with it.
    fn forget(&self) {
        self.range.clear();
        self.slots.forget(self);
    }

    /// Leads calls to wrappers from now on.
    pub(super) fn wrap(&self) {
        self.slots.wrap(self);
        self.lead_workers();
        self.lead_plugins();
    }

    /// True if its libgomp is still loaded: an unloaded libgomp may not have been forgotten yet. Async-signal-safe.
    pub(super) fn is_there(&self) -> bool {
        self.is_first() || self.range.is_there()
    }
}

impl Targets for Runtime {
    fn unbound(&self, entry: usize) -> *mut () {
        self.unbound.get(entry).map_or(null_mut(), |unbound| unbound.0.cast_mut())
    }

    fn wrapper(&self, entry: usize) -> Option<*mut ()> {
        let wrappers = WRAPPERS.get().filter(|_| !is_ompt_only(entry))?;
        // The call site distinguishes an implicit barrier.
        if is_barrier(entry) && call_sites::are_known() {
            return Some(self.recorder(entry));
        }
        let of_others = || wrappers.others.get(entry).map(|of_others| of_others.plain);
        let wrapper = if self.is_first() { wrappers.first.get(entry).copied() } else { of_others() };
        wrapper.map(|wrapper| wrapper.0.cast_mut())
    }

    fn recorder(&self, entry: usize) -> *mut () {
        let recorder = WRAPPERS.get().and_then(|wrappers| {
            let first = || Code(wrappers.recorders_of_first.0.wrapping_byte_add(RECORDER * entry));
            let of_others = || wrappers.others.get(entry).map(|of_others| of_others.recording);
            if self.is_first() { Some(first()) } else { of_others() }
        });
        recorder.or_else(|| self.address(entry)).map_or(null_mut(), |recorder| recorder.0.cast_mut())
    }

    fn closes(&self, entry: usize) -> bool {
        SYMBOLS.get(entry).is_some_and(|(name, _)| name.contains("_end"))
    }

    fn original_target(&self, entry: usize) -> Option<&AtomicPtr<()>> {
        ORIGINAL_TARGET.get().filter(|_| self.is_first()).and_then(|original_target| original_target(entry))
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

    /// True for the first instance while the first use is awaited. Only calls of exported names show the first use. A call that reaches
    /// another instance followed such a call: the first use has begun. If it is not over, a tool itself uses OpenMP while it starts.
    fn is_use_awaited(&self) -> bool {
        self.is_first() && first_use::is_awaited()
    }

    fn is_tracked(&self) -> bool {
        adapter::tracking()
    }

    fn reports_calls(&self) -> bool {
        adapter::reports_calls()
    }
}
