//! Time in the C library's locks, by caller.

use ::advice::Wait;
use rustc_hash::FxHashMap;

use super::own_code::OwnCode;
use crate::describe;
use crate::metrics::WaitPlace;
use crate::profile::{Function, Profile};
use crate::state::State;

/// Functions of the C library that take or release a lock, and those that do little besides that.
const LOCKS: [&str; 14] = [
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_spin_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "lll_mutex_lock_optimized",
    "lll_mutex_unlock_optimized",
    "lll_lock_wait",
    "lll_lock_wait_private",
    "lll_lock_wake_private",
    "lll_lock_wake",
    "random",
    "rand",
    "srand",
];
/// Maximum number of libraries' frames at the leaf that are checked.
const MAX_DEPTH: usize = 6;

/// True for such a function, with any underscores and version that the C library adds to its name.
pub(super) fn is_lock(function: &Function) -> bool {
    let name = function.name.trim_start_matches('_').trim_start_matches("GI_").trim_start_matches('_');
    function.is_of_c_library() && LOCKS.contains(&name.split(['@', ' ']).next().unwrap_or(name))
}

/// CPU time of regions' work in these functions; the most expensive caller is the innermost function of the program
/// itself.
pub(super) fn waits(profile: &Profile) -> Wait {
    let own = OwnCode::of(profile);
    let mut known: FxHashMap<u32, Option<Option<u32>>> = FxHashMap::default();
    let mut callers: FxHashMap<Option<u32>, u64> = FxHashMap::default();
    for point in profile.samples.iter().filter(|point| point.state == State::WORK && !point.asleep) {
        let caller = *known.entry(point.context).or_insert_with(|| {
            let leaves = profile.frames(point.context).take(MAX_DEPTH).filter_map(|frame| profile.code.frame(frame));
            let in_lock = leaves.map(|(_, function)| function).any(is_lock);
            in_lock.then(|| own.innermost(profile, point.context).map(|(frame, _)| frame))
        });
        if let Some(caller) = caller {
            let sum = callers.entry(caller).or_default();
            *sum = sum.saturating_add(point.cpu_ns.min(point.wall_ns));
        }
    }
    let ns = callers.values().map(|ns| *ns as f64).sum::<f64>();
    let named = callers.into_iter().filter_map(|(frame, ns)| Some((frame?, ns)));
    let dearest = named.max_by_key(|(frame, ns)| (*ns, std::cmp::Reverse(*frame))).map(|(frame, part_ns)| {
        (part_ns as f64 / ns.max(1.0), describe::wait_place(&profile.code, WaitPlace::Frame(frame)))
    });
    Wait { ns, dearest, count: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_known_by_their_names_in_the_c_library() {
        let function = |name: &str, object: &str| Function { name: name.into(), file: None, object: object.into() };
        for name in [
            "pthread_mutex_lock",
            "___pthread_mutex_lock",
            "__GI___pthread_mutex_unlock",
            "__random",
            "__lll_lock_wait_private",
        ] {
            assert!(is_lock(&function(name, "libc.so.6")), "{name}");
        }
        assert!(!is_lock(&function("pthread_mutex_lock", "game")) && !is_lock(&function("memcpy", "libc.so.6")));
    }
}
