//! The runtime's own routines about places (OpenMP 5.0, 3.2.23 to 3.2.28), found by their names.
#![allow(unsafe_code)] // finds and calls them

use super::MOST_PLACES;
use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::AtomicI32;

type Number = unsafe extern "C" fn() -> c_int;
type NumberOf = unsafe extern "C" fn(c_int) -> c_int;
type List = unsafe extern "C" fn(*mut c_int);
type ListOf = unsafe extern "C" fn(c_int, *mut c_int);

/// All of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routines {
    pub(super) num_places: Number,
    pub(super) place_num_procs: NumberOf,
    pub(super) place_proc_ids: ListOf,
    pub(super) place_num: Number,
    pub(super) partition_num_places: Number,
    pub(super) partition_place_nums: List,
}

pub(super) static FOUND: OnceLock<Routines> = OnceLock::new();

/// The routines, if they were found.
pub(super) fn found() -> Option<&'static Routines> {
    FOUND.get()
}

/// Finds the routines of the runtime that is in the global scope, if it has all of them.
pub(super) fn find() -> Option<&'static Routines> {
    if FOUND.get().is_none()
        && let Some(routines) = look_up()
    {
        let _ = FOUND.set(routines);
    }
    FOUND.get()
}

fn look_up() -> Option<Routines> {
    let num_places = symbol(c"omp_get_num_places")?;
    let place_num_procs = symbol(c"omp_get_place_num_procs")?;
    let place_proc_ids = symbol(c"omp_get_place_proc_ids")?;
    let place_num = symbol(c"omp_get_place_num")?;
    let partition_num_places = symbol(c"omp_get_partition_num_places")?;
    let partition_place_nums = symbol(c"omp_get_partition_place_nums")?;
    Some(Routines {
        // SAFETY: the standard reserves the name for a routine of this signature, here and below.
        num_places: unsafe { transmute::<*mut c_void, Number>(num_places) },
        // SAFETY: as above.
        place_num_procs: unsafe { transmute::<*mut c_void, NumberOf>(place_num_procs) },
        // SAFETY: as above.
        place_proc_ids: unsafe { transmute::<*mut c_void, ListOf>(place_proc_ids) },
        // SAFETY: as above.
        place_num: unsafe { transmute::<*mut c_void, Number>(place_num) },
        // SAFETY: as above.
        partition_num_places: unsafe { transmute::<*mut c_void, Number>(partition_num_places) },
        // SAFETY: as above.
        partition_place_nums: unsafe { transmute::<*mut c_void, List>(partition_place_nums) },
    })
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

impl Routines {
    pub(super) fn places(&self) -> c_int {
        // SAFETY: may be called from everywhere.
        unsafe { (self.num_places)() }
    }

    pub(super) fn processors(&self, place: c_int) -> c_int {
        // SAFETY: may be called for every number.
        unsafe { (self.place_num_procs)(place) }
    }

    /// Writes the place's processors to `room`, which has space for as many as there are and isn't read yet.
    pub(super) fn write_processors(&self, place: c_int, room: &[AtomicI32]) {
        // SAFETY: writes as many numbers as `processors` has said, to memory that may be written through shared references.
        unsafe { (self.place_proc_ids)(place, room.as_ptr().cast_mut().cast()) };
    }

    pub(super) fn place(&self) -> c_int {
        // SAFETY: may be called from everywhere.
        unsafe { (self.place_num)() }
    }

    /// The first place of the calling thread's partition, and how many there are. Runtimes keep them in a row.
    pub(super) fn partition(&self) -> (c_int, c_int) {
        // SAFETY: may be called from everywhere.
        let size = unsafe { (self.partition_num_places)() };
        let mut places = [0; MOST_PLACES];
        if usize::try_from(size).is_ok_and(|size| (1..=MOST_PLACES).contains(&size)) {
            // SAFETY: writes as many numbers as there are places in the partition: there is room.
            unsafe { (self.partition_place_nums)(places.as_mut_ptr()) };
            return (places.first().copied().unwrap_or(0), size);
        }
        (0, 0)
    }
}
