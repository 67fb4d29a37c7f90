//! Processors and places (OpenMP 5.0, 4.6.1.6 to 4.6.1.11), cached for queries: the runtime's own routines are not
//! async-signal-safe, these queries are.
//!
//! Processors are those that the system allows the calling thread at the time of the call. If there are places, each
//! thread is bound to one of them, and the processors are those that the runtime counted when the tool started.
//!
//! The list of places is read once, when the tool starts. A thread's place and partition are read when they may have
//! changed: at the start of its implicit task, and at the end of a region that it encountered. Before the thread's
//! first region the runtime is not queried, since that would bind the thread. But it may already have bound it, which
//! the system's affinity mask shows. Without places nothing is read, and no thread is bound to one.

mod affinity;
mod routines;

use crate::event::{Event, EventSet};
use crate::task::flag;
use crate::thread::Thread;
use crate::tls;
use affinity::Affinity;
use routines::Routines;
use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};
use system::errno::Errno;
use system::memory::slice;

/// The number of processors that the program could use when the tool started.
static PROCESSORS: AtomicI32 = AtomicI32::new(0);
/// The number of places; written last.
static PLACES: AtomicU32 = AtomicU32::new(0);
/// The processors of all places, once there are any.
static LISTS: OnceLock<Lists> = OnceLock::new();

/// Lists of as many places and processors as the runtime has.
struct Lists {
    /// Index of each place's first processor in the list of all processors, and the end of the last place's.
    starts: &'static [AtomicU32],
    ids: &'static [AtomicI32],
}

impl Default for Lists {
    /// Lists without any place, if the system refuses memory.
    fn default() -> Self {
        Self { starts: &[], ids: &[] }
    }
}

/// The events at which a thread's place is read.
pub(super) fn wanted() -> EventSet {
    if places() == 0 {
        return EventSet::NONE;
    }
    EventSet::of(&[Event::ImplicitTaskBegin, Event::ParallelEnd])
}

/// The number of processors that are available now. Async-signal-safe: loads, and a system call; errno is kept.
pub(super) fn processors() -> c_int {
    // In this order: the list of places, once it is seen, publishes the number of processors.
    let is_fixed = places() != 0;
    let known = PROCESSORS.load(Relaxed);
    if is_fixed {
        return known;
    }
    let errno = Errno::save();
    let now = Affinity::of_this_thread(|affinity| affinity.count()).unwrap_or(known);
    errno.restore();
    now
}

/// The number of places. Async-signal-safe: a load.
pub(super) fn places() -> c_int {
    // Acquire: pairs with the store in `read_places`, which publishes the list.
    PLACES.load(Acquire).cast_signed()
}

/// The processors of a place; none if the place doesn't exist. Async-signal-safe: loads.
pub(super) fn processors_of(place: c_int) -> &'static [AtomicI32] {
    let Some(place) = usize::try_from(place).ok().filter(|_| place < places()) else { return &[] };
    let Some(Lists { starts, ids }) = LISTS.get() else { return &[] };
    let bound = |place: usize| starts.get(place).map_or(0, |start| start.load(Relaxed) as usize);
    ids.get(bound(place)..bound(place + 1)).unwrap_or_default()
}

/// Finds the runtime's routines.
pub(super) fn look_for_routines() {
    let _ = Routines::find();
}

/// Reads the processors and the list of places. Called when a tool starts.
pub(super) fn read() {
    let Some(routines) = Routines::find() else {
        PROCESSORS.store(Affinity::of_this_thread(|affinity| affinity.count()).unwrap_or(1), Relaxed);
        return;
    };
    PROCESSORS.store(routines.all_processors(), Relaxed);
    read_places(routines);
}

fn read_places(routines: Routines) {
    let sizes = (0..routines.places()).map(|place| usize::try_from(routines.processors(place)).unwrap_or(0));
    let (count, all) = (sizes.len(), sizes.clone().sum());
    let lists = || Some(Lists { starts: slice(count + 1)?, ids: slice(all)? });
    let known = (count != 0).then(|| LISTS.get_or_init(|| lists().unwrap_or_default()));
    let (mut end, mut reported) = (0, 0);
    for ((place, size), next) in (0..).zip(sizes).zip(known.map_or(&[][..], |lists| lists.starts).iter().skip(1)) {
        let Some(room) = known.and_then(|lists| lists.ids.get(end..end + size)) else { break };
        routines.write_processors(place, room);
        end += size;
        reported += 1;
        next.store(u32::try_from(end).unwrap_or(u32::MAX), Relaxed);
    }
    // Release: pairs with the load in `places`; publishes the list.
    PLACES.store(reported, Release);
}

/// Reads the calling thread's place and partition, at one of the [wanted] events.
#[inline]
pub(super) fn look(thread: &'static Thread) {
    if places() != 0 {
        look_now(thread);
    }
}

#[cold]
#[inline(never)]
fn look_now(thread: &'static Thread) {
    let errno = Errno::save();
    if thread.current.task().is_none_or(|task| task.flags() & flag::INITIAL != 0) && thread.binding.place() < 0 {
        // The thread has not been in any region yet.
        thread.binding.set_place(bound_to());
    } else if let Some(routines) = Routines::found() {
        thread.binding.set_place(routines.place());
        thread.binding.set_partition(routines.partition());
    }
    errno.restore();
}

/// The place whose processors are exactly those that the calling thread may run on, or -1.
fn bound_to() -> c_int {
    let is_bound_to = |affinity: Affinity<'_>, place: c_int| {
        let list = processors_of(place);
        usize::try_from(affinity.count()) == Ok(list.len()) && list.iter().all(|id| affinity.has(id.load(Relaxed)))
    };
    let place = Affinity::of_this_thread(|affinity| (0..places()).find(|place| is_bound_to(affinity, *place)));
    place.flatten().unwrap_or(-1)
}

/// The calling thread's place, or -1. Async-signal-safe: loads.
pub(super) fn place() -> c_int {
    tls::get().map_or(-1, |thread| thread.binding.place())
}

/// The first place of the calling thread's partition, and the number of its places: all of them until its first region.
/// Async-signal-safe: loads.
pub(super) fn partition() -> (c_int, c_int) {
    match tls::get().map(|thread| thread.binding.partition()) {
        None => (0, 0),
        Some((_, 0)) => (0, places()),
        Some(known) => known,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types, unsafe_code)] // no program's thread runs this; plays the runtime
mod tests {
    use super::*;
    use crate::thread::here;
    use crate::v5::tests::runtime::alone;

    /// The number of places: 3 while the test lasts.
    static COUNT: AtomicI32 = AtomicI32::new(0);

    extern "C" fn count() -> c_int {
        COUNT.load(Relaxed)
    }

    extern "C" fn one() -> c_int {
        1
    }

    extern "C" fn two() -> c_int {
        2
    }

    /// Place 0 has the processor 4000, place 1 the processors 4002 and 4003, place 2 those from 4004 to 4006.
    extern "C" fn size(place: c_int) -> c_int {
        place + 1
    }

    extern "C" fn ids(place: c_int, ids: *mut c_int) {
        // SAFETY: there is room for `size` numbers.
        let room = unsafe { std::slice::from_raw_parts_mut(ids, usize::try_from(size(place)).unwrap()) };
        room.iter_mut().zip(4000 + 2 * place..).for_each(|(place, id)| *place = id);
    }

    extern "C" fn middle(places: *mut c_int) {
        // SAFETY: there is room for two numbers.
        unsafe { places.cast::<[c_int; 2]>().write([1, 2]) };
    }

    #[test]
    fn places_are_what_the_runtime_says_and_a_thread_has_one_from_its_first_region_on() {
        let _alone = alone();
        let thread = here().unwrap();
        assert_eq!((places(), place(), partition()), (0, -1, (0, 0)));
        routines::play([count, one, two], count, size, ids, middle);
        COUNT.store(3, Relaxed);
        read();
        assert_eq!((places(), processors()), (3, 3));
        let list = |place| processors_of(place).iter().map(|id| id.load(Relaxed)).collect::<Vec<_>>();
        assert_eq!(list(0), [4000]);
        assert_eq!(list(1), [4002, 4003]);
        assert_eq!(list(2), [4004, 4005, 4006]);
        assert!(list(-1).is_empty() && list(3).is_empty());
        look(thread);
        assert_eq!(partition(), (0, 3), "the runtime was asked too early");
        thread.binding.set_place(0);
        look(thread);
        assert_eq!((place(), partition()), (1, (1, 2)));
        assert_eq!(bound_to(), -1, "no machine has the processors of these places");
        COUNT.store(0, Relaxed);
        read();
    }

    #[test]
    fn processors_are_those_of_the_moment_unless_places_bind_threads() {
        let _alone = alone();
        COUNT.store(0, Relaxed);
        PROCESSORS.store(5000, Relaxed);
        assert_eq!(Some(processors()), Affinity::of_this_thread(|affinity| affinity.count()));
        PLACES.store(1, Relaxed);
        assert_eq!(processors(), 5000);
        PLACES.store(0, Relaxed);
    }

    #[test]
    fn a_thread_may_run_on_the_processors_that_the_system_says() {
        let known = std::thread::available_parallelism().unwrap().get();
        let look = |affinity: Affinity<'_>| {
            assert_eq!(usize::try_from(affinity.count()), Ok(known));
            assert_eq!(
                (0..c_int::try_from(affinity::MAX_PROCESSORS).unwrap()).filter(|id| affinity.has(*id)).count(),
                known
            );
            assert!(!affinity.has(-1) && !affinity.has(c_int::MAX));
        };
        assert_eq!(Affinity::of_this_thread(look), Some(()));
    }
}
