//! CPU time of regions by the program's own function that it is spent in or below, and what kind of code it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::mutexes::is_lock;
use super::own_code::OwnCode;
use crate::describe;
use crate::metrics::WaitPlace;
use crate::profile::{Function, Profile};
use crate::state::State;

/// Maximum number of libraries' frames at the leaf that are checked.
const MAX_DEPTH: usize = 8;
/// Functions of allocators, without the underscores and `int_` before their names.
const ALLOCATOR: [&str; 14] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "cfree",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "malloc_consolidate",
    "sysmalloc",
    "arena_get2",
    "unlink_chunk",
    "operator new",
    "operator delete",
];

/// Kind of code at the leaf of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeafKind {
    /// Code of the program, or of a library that is none of the others.
    Work,
    /// Locks of the C library.
    Locks,
    /// The allocator, also its locks.
    Allocator,
    /// The OpenMP runtime.
    Runtime,
}

/// CPU time in a function and below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// The time.
    pub cpu_ns: u64,
    /// The place in the function with the most of it, such as `f at f.c:17`.
    pub place: String,
}

/// CPU time of regions, by the innermost function of the program itself and the kind of code.
pub fn own_times(profile: &Profile) -> BTreeMap<(String, LeafKind), OwnTime> {
    let own = OwnCode::of(profile);
    let mut known: FxHashMap<(u32, bool), (Option<u32>, LeafKind)> = FxHashMap::default();
    let mut of_frames: BTreeMap<(Option<u32>, LeafKind), u64> = BTreeMap::new();
    for point in profile.samples.iter().filter(|it| matches!(it.state, State::WORK | State::RUNTIME) && !it.asleep) {
        let in_runtime = point.state == State::RUNTIME;
        let key = *known.entry((point.context, in_runtime)).or_insert_with(|| {
            let frame = own.innermost(profile, point.context).map(|(frame, _)| frame);
            (frame, if in_runtime { LeafKind::Runtime } else { kind(profile, &own, point.context) })
        });
        let sum = of_frames.entry(key).or_default();
        *sum = sum.saturating_add(point.cpu_ns.min(point.wall_ns));
    }
    let mut times: BTreeMap<(String, LeafKind), (OwnTime, u64)> = BTreeMap::new();
    for ((frame, kind), ns) in of_frames {
        let function = frame.and_then(|frame| profile.code.frame(frame)).map(|(_, function)| function.name.clone());
        let name = function.unwrap_or_else(|| "code of libraries".to_owned());
        let (time, most) = times.entry((name.clone(), kind)).or_default();
        time.cpu_ns = time.cpu_ns.saturating_add(ns);
        if ns >= *most {
            *most = ns;
            let place = frame.map(|frame| describe::wait_place(&profile.code, WaitPlace::Frame(frame)));
            time.place = place.unwrap_or(name);
        }
    }
    times.into_iter().map(|(key, (time, _))| (key, time)).collect()
}

/// The kind of the frames above the program's own.
fn kind(profile: &Profile, own: &OwnCode, context: u32) -> LeafKind {
    let frames = profile.frames(context).take(MAX_DEPTH).filter_map(|frame| profile.code.frame(frame));
    let above: Vec<&Function> = frames.map(|(_, function)| function).take_while(|it| !own.is_own(it)).collect();
    if above.iter().any(|function| is_allocator(function)) {
        LeafKind::Allocator
    } else if above.iter().any(|function| is_lock(function)) {
        LeafKind::Locks
    } else {
        LeafKind::Work
    }
}

fn is_allocator(function: &Function) -> bool {
    let name = function.name.trim_start_matches('_');
    let name = ["GI_", "libc_", "int_"]
        .iter()
        .fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name).trim_start_matches('_'));
    let name = name.split(['@', '(', '[']).next().unwrap_or(name).trim_end();
    ALLOCATOR.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocators_are_known_by_their_functions() {
        let function = |name: &str| Function { name: name.into(), file: None, object: "libc.so.6".into() };
        for name in [
            "malloc",
            "__libc_malloc",
            "_int_free",
            "__GI___libc_free",
            "operator new[](unsigned long)",
            "cfree@GLIBC_2.2.5",
        ] {
            assert!(is_allocator(&function(name)), "{name}");
        }
        assert!(!is_allocator(&function("mallocator")) && !is_allocator(&function("free_all")));
    }
}
