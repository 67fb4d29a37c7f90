//! Waits of regions' work for the threads that a library has of its own.

use ::advice::Wait;
use rustc_hash::FxHashMap;

use crate::profile::{Function, Profile};
use crate::state::State;

/// Parts of the names of the C library's functions in which threads wait.
const WAITS: [&str; 7] = ["sched_yield", "futex", "pthread_cond", "lll_lock_wait", "nanosleep", "sem_wait", "syscall"];
/// Frames at the leaf that are looked at.
const MAX_DEPTH: usize = 8;

/// Time of regions' work in which threads wait in a library with a pool of its own, and the file of the library with most of it.
pub(super) fn waits(profile: &Profile) -> Wait {
    let mut known: FxHashMap<u32, Option<&str>> = FxHashMap::default();
    let mut libraries: FxHashMap<&str, u64> = FxHashMap::default();
    for point in profile.samples.iter().filter(|point| point.state == State::WORK) {
        let library = *known.entry(point.context).or_insert_with(|| {
            let frames = profile.frames(point.context).take(MAX_DEPTH).filter_map(|frame| profile.code.frame(frame));
            waits_in(frames.map(|(_, function)| function))
        });
        if let Some(library) = library {
            let sum = libraries.entry(library).or_default();
            *sum = sum.saturating_add(point.wall_ns);
        }
    }
    let ns = libraries.values().map(|ns| *ns as f64).sum::<f64>();
    let dearest = libraries.into_iter().max_by_key(|(name, ns)| (*ns, std::cmp::Reverse(*name)));
    Wait { ns, dearest: dearest.map(|(name, part_ns)| (part_ns as f64 / ns.max(1.0), name.to_owned())), count: None }
}

/// The library with a pool whose code a thread waits in: the leaf is a wait of the C library's.
fn waits_in<'p>(frames: impl Iterator<Item = &'p Function>) -> Option<&'p str> {
    let mut is_wait = false;
    for function in frames {
        if function.is_of_c_library() {
            is_wait |= WAITS.iter().any(|part| function.name.contains(part));
            continue;
        }
        let library = function.object.as_str();
        return (is_wait && ::advice::has_pool(library)).then_some(library);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_the_c_librarys_called_by_a_library_with_a_pool() {
        let function = |name: &str, object: &str| Function { name: name.into(), file: None, object: object.into() };
        let leaf = |frames: &[(&str, &str)]| {
            let frames: Vec<_> = frames.iter().map(|(name, object)| function(name, object)).collect();
            waits_in(frames.iter()).map(str::to_owned)
        };
        let blas = ("exec_blas_async_wait", "libopenblas.so.0");
        assert_eq!(leaf(&[("__sched_yield", "libc.so.6"), blas]).as_deref(), Some("libopenblas.so.0"));
        assert_eq!(
            leaf(&[("__futex_abstimed_wait64", "libc.so.6"), ("x", "libpthread.so.0"), blas]).as_deref(),
            Some("libopenblas.so.0")
        );
        assert_eq!(leaf(&[("memcpy", "libc.so.6"), blas]), None);
        assert_eq!(leaf(&[blas]), None);
        assert_eq!(leaf(&[("__sched_yield", "libc.so.6"), ("main", "game")]), None);
        assert_eq!(leaf(&[("futex_wait", "libc.so.6"), ("gomp_team_end", "libgomp.so.1"), blas]), None);
    }
}
