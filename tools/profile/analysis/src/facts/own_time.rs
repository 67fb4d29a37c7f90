//! CPU time of regions by the program's own function that it is spent in or below, and what kind of code it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use symbols::source::Sources;

use super::mutexes::is_lock;
use super::own_code::OwnCode;
use crate::describe;
use crate::metrics::WaitPlace;
use crate::profile::{Frame, Function, Profile};
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
    /// Atomic updates in the program's own code.
    Atomic,
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
    let mut sources = Sources::default();
    let mut known: FxHashMap<(u32, bool), (Option<u32>, LeafKind)> = FxHashMap::default();
    let mut of_frames: BTreeMap<(Option<u32>, LeafKind), u64> = BTreeMap::new();
    for point in profile.samples.iter().filter(|it| matches!(it.state, State::WORK | State::RUNTIME) && !it.asleep) {
        let in_runtime = point.state == State::RUNTIME;
        let key = *known.entry((point.context, in_runtime)).or_insert_with(|| {
            let frame = own.innermost(profile, point.context).map(|(frame, _)| frame);
            (frame, if in_runtime { LeafKind::Runtime } else { kind(profile, &own, point.context, &mut sources) })
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
fn kind(profile: &Profile, own: &OwnCode, context: u32, sources: &mut Sources) -> LeafKind {
    let frames = || profile.frames(context).take(MAX_DEPTH).filter_map(|frame| profile.code.frame(frame));
    let above: Vec<&Function> = frames().map(|(_, function)| function).take_while(|it| !own.is_own(it)).collect();
    if above.iter().any(|function| is_allocator(function)) {
        LeafKind::Allocator
    } else if above.iter().any(|function| is_lock(function)) {
        LeafKind::Locks
    } else if above.iter().all(|function| is_standard_atomic(function))
        && (!above.is_empty() || frames().next().is_some_and(|(leaf, _)| is_atomic_construct(leaf, sources)))
    {
        LeafKind::Atomic
    } else {
        LeafKind::Work
    }
}

/// True for the functions of C++'s `std::atomic`.
fn is_standard_atomic(function: &Function) -> bool {
    ["std::atomic<", "std::__atomic_base<", "std::atomic_ref<", "std::__atomic_ref<", "std::__atomic_impl::"]
        .iter()
        .any(|class| function.name.starts_with(class))
}

/// True if the source has an `atomic` directive at the frame's line or, as clang's debug information has it, the line above.
fn is_atomic_construct(frame: &Frame, sources: &mut Sources) -> bool {
    let Some(file) = &frame.file else { return false };
    [frame.line, frame.line.saturating_sub(1)]
        .into_iter()
        .any(|line| sources.at(file, line).is_some_and(advice::is_atomic_directive))
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
    fn atomic_updates_are_known_by_their_directive_or_their_class() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c").display().to_string();
        std::fs::write(&file, "int f(void) {\n#pragma omp atomic /* counts */\n  hits++;\n  return hits;\n}\n")
            .unwrap();
        let frame = |line| Frame { function: 0, file: Some(file.clone()), line, construct: None, ends: None };
        let mut sources = Sources::default();
        let found = [0, 1, 2, 3, 4].map(|line| is_atomic_construct(&frame(line), &mut sources));
        assert_eq!(found, [false, false, true, true, false]);
        let function = |name: &str| Function { name: name.into(), file: None, object: "a".into() };
        assert!(is_standard_atomic(&function("std::__atomic_base<int>::operator++")));
        assert!(!is_standard_atomic(&function("my::atomic<int>::add")));
    }

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
