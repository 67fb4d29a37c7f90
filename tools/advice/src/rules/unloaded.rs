//! A library that brings the OpenMP runtime, and is unloaded.

use terminal::quantity::count;

use crate::facts::Facts;
use crate::finding::Finding;

/// Threads of a pool run the runtime's code also while they wait. They die if it is unmapped.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    if facts.died_beside == 0 {
        return;
    }
    let lived = count(facts.died_beside, "thread", "threads");
    let what = format!(
        "The program died of a segmentation fault outside of regions, while {lived} of the OpenMP runtime's pool lived. A library that it \
         loaded (dlopen) brought that runtime, and unloading it (dlclose) unmaps the code that these threads run"
    );
    let fix = "keep the library loaded (RTLD_NODELETE, or no dlclose). If it was not unloaded, the fault is in the program's own code: a \
               debugger shows it";
    found.push(Finding::new("unloaded", facts.all_ns, what, fix).first());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_runtime_that_was_unloaded_are_named_first() {
        let mut found = Vec::new();
        look(&Facts::default(), &mut found);
        assert_eq!(found, []);
        look(&Facts { died_beside: 1, ..Facts::default() }, &mut found);
        let text = found.pop().unwrap().text(1e9);
        assert!(
            text.contains("while 1 thread of the") && text.contains("dlclose") && text.contains("RTLD_NODELETE"),
            "{text}"
        );
    }
}
