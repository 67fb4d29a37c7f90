//! Ways to get no more threads than processors.

use crate::facts::{Facts, Region};

/// A way to get fewer threads.
pub(super) struct Fewer {
    pub(super) setting: String,
    /// A sentence without the full stop about settings that have no effect, if there are any.
    pub(super) why: &'static str,
}

/// The setting for fewer threads. `OMP_NUM_THREADS` has no effect if the program sets the number itself.
pub(super) fn fewer(facts: &Facts, processors: f64) -> Fewer {
    let enough = processors.floor().max(1.0);
    let only = |setting| Fewer { setting, why: "" };
    if !facts.runtime_kind.reads_settings() {
        return only(format!("no more than {enough} threads {}", facts.runtime_kind.by("")));
    }
    if facts.team() as f64 <= processors.ceil() {
        let is_nested = |region: &Region| region.nested > 0;
        return only(if facts.regions.iter().any(is_nested) {
            format!("OMP_THREAD_LIMIT={enough}, since regions inside of regions make them")
        } else {
            "a smaller OMP_NUM_THREADS for each of the several threads that have a team".to_owned()
        });
    }
    let list = facts.setting("OMP_NUM_THREADS");
    let asked = list.and_then(|list| list.split(',').next()?.trim().parse::<u64>().ok());
    match asked {
        Some(asked) if asked >= facts.team() => only(format!("OMP_NUM_THREADS={enough}")),
        // Without a setting, a runtime uses all processors of the machine, or those that it was allowed to use at its
        // start.
        None if facts.online.is_none_or(|online| facts.team() <= online) => only(format!(
            "OMP_NUM_THREADS={enough}, or OMP_THREAD_LIMIT={enough} where the program sets the number itself"
        )),
        _ => Fewer {
            setting: format!("OMP_THREAD_LIMIT={enough}, or a smaller number in the program"),
            why: ". OMP_NUM_THREADS has no effect, since the program sets the number itself",
        },
    }
}
