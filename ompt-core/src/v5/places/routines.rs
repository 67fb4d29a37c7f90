//! The runtime's own routines for processors and places (OpenMP 5.0, 3.2.5 and 3.2.23 to 3.2.28), found by their names.
#![allow(unsafe_code)] // calls them

use std::ffi::{CStr, c_int};
use std::mem::transmute;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering::*};
use system::linker::Scope;
use system::memory::Scratch;

/// The largest number of places for which the stack has room.
const USUAL: usize = 256;

type Number = unsafe extern "C" fn() -> c_int;
type NumberOf = unsafe extern "C" fn(c_int) -> c_int;
type List = unsafe extern "C" fn(*mut c_int);
type ListOf = unsafe extern "C" fn(c_int, *mut c_int);

/// A routine and its address, once it is found.
struct Routine {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Routine {
    const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicUsize::new(0) }
    }

    fn find(&self) -> bool {
        let found = Scope::Default.symbol(self.name);
        self.address.store(found.map_or(0, |found| found as usize), Relaxed);
        found.is_some()
    }

    fn address(&self) -> usize {
        self.address.load(Relaxed)
    }
}

static NUM_PROCS: Routine = Routine::new(c"omp_get_num_procs");
static NUM_PLACES: Routine = Routine::new(c"omp_get_num_places");
static PLACE_NUM_PROCS: Routine = Routine::new(c"omp_get_place_num_procs");
static PLACE_PROC_IDS: Routine = Routine::new(c"omp_get_place_proc_ids");
static PLACE_NUM: Routine = Routine::new(c"omp_get_place_num");
static PARTITION_NUM_PLACES: Routine = Routine::new(c"omp_get_partition_num_places");
static PARTITION_PLACE_NUMS: Routine = Routine::new(c"omp_get_partition_place_nums");

static FOUND: AtomicBool = AtomicBool::new(false);

/// Proof that all routines were found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routines(());

impl Routines {
    /// The routines, if they were found.
    pub(super) fn found() -> Option<Self> {
        // Acquire: pairs with the store in `find`, which publishes the addresses.
        FOUND.load(Acquire).then_some(Self(()))
    }

    /// The routines of the runtime that is in the global scope at the first lookup, if it has all of them.
    pub(super) fn find() -> Option<Self> {
        static LOOKED: Once = Once::new();
        LOOKED.call_once(|| {
            let list = [&NUM_PROCS, &NUM_PLACES, &PLACE_NUM_PROCS, &PLACE_PROC_IDS];
            let own = [&PLACE_NUM, &PARTITION_NUM_PLACES, &PARTITION_PLACE_NUMS];
            // Acquire: pairs with the store in `play`, of a test; the program's addresses are published by this
            // function alone.
            if !FOUND.load(Acquire) && list.into_iter().chain(own).all(Routine::find) {
                // Release: pairs with the load in `found`; publishes the addresses of the routines.
                FOUND.store(true, Release);
            }
        });
        Self::found()
    }

    /// The number of processors that the program may use, including those to which the calling thread is not bound.
    pub(super) fn all_processors(self) -> c_int {
        // SAFETY: a `Routines` exists only when all addresses were found, and the standard reserves the name for a
        // routine of this signature (OpenMP 5.0, 3.2.5).
        let routine = unsafe { transmute::<usize, Number>(NUM_PROCS.address()) };
        // SAFETY: `omp_get_num_procs` takes nothing and may be called from everywhere (OpenMP 5.0, 3.2.5).
        unsafe { routine() }
    }

    pub(super) fn places(self) -> c_int {
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.23).
        let routine = unsafe { transmute::<usize, Number>(NUM_PLACES.address()) };
        // SAFETY: `omp_get_num_places` takes nothing and may be called from everywhere.
        unsafe { routine() }
    }

    pub(super) fn processors(self, place: c_int) -> c_int {
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.24).
        let routine = unsafe { transmute::<usize, NumberOf>(PLACE_NUM_PROCS.address()) };
        // SAFETY: `omp_get_place_num_procs` returns 0 for a number that is not a place (OpenMP 5.0, 3.2.24).
        unsafe { routine(place) }
    }

    /// Writes the place's processors to `room`, which has space for all of them and isn't read yet.
    pub(super) fn write_processors(self, place: c_int, room: &[AtomicI32]) {
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.25).
        let routine = unsafe { transmute::<usize, ListOf>(PLACE_PROC_IDS.address()) };
        // SAFETY: writes as many numbers as `processors` has returned, to memory that may be written through shared
        // references.
        unsafe { routine(place, room.as_ptr().cast_mut().cast()) };
    }

    pub(super) fn place(self) -> c_int {
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.26).
        let routine = unsafe { transmute::<usize, Number>(PLACE_NUM.address()) };
        // SAFETY: `omp_get_place_num` takes nothing and may be called from everywhere.
        unsafe { routine() }
    }

    /// The first place of the calling thread's partition, and the number of its places. Runtimes keep them contiguous.
    pub(super) fn partition(self) -> (c_int, c_int) {
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.27).
        let size = unsafe { transmute::<usize, Number>(PARTITION_NUM_PLACES.address()) };
        // SAFETY: the address was found (`Routines`); the name is reserved for this signature (OpenMP 5.0, 3.2.28).
        let list = unsafe { transmute::<usize, List>(PARTITION_PLACE_NUMS.address()) };
        // SAFETY: `omp_get_partition_num_places` takes nothing and may be called from everywhere.
        let size = unsafe { size() };
        let Some(count) = usize::try_from(size).ok().filter(|count| *count > 0) else { return (0, 0) };
        let first = |places: &mut [c_int]| {
            // SAFETY: writes `size` numbers (OpenMP 5.0, 3.2.28), for which there is room.
            unsafe { list(places.as_mut_ptr()) };
            places.first().copied().unwrap_or(0)
        };
        if count <= USUAL {
            return (first(&mut [0; USUAL]), size);
        }
        let scratch = Scratch::of(count * size_of::<c_int>());
        let places = scratch.as_ref().and_then(|scratch| scratch.array(count, 0));
        places.map_or((0, 0), |places| (first(places), size))
    }
}

/// Replaces the routines.
#[cfg(test)]
pub(super) fn play(numbers: [Number; 3], processors: Number, size: NumberOf, ids: ListOf, partition: List) {
    let [places, place, partition_size] = numbers;
    let addresses = [
        (&NUM_PROCS, processors as usize),
        (&NUM_PLACES, places as usize),
        (&PLACE_NUM_PROCS, size as usize),
        (&PLACE_PROC_IDS, ids as usize),
        (&PLACE_NUM, place as usize),
        (&PARTITION_NUM_PLACES, partition_size as usize),
        (&PARTITION_PLACE_NUMS, partition as usize),
    ];
    addresses.into_iter().for_each(|(routine, address)| routine.address.store(address, Relaxed));
    // Release: pairs with the load in `found`; publishes the addresses.
    FOUND.store(true, Release);
}
