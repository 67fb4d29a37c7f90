//! Regions that wait for the threads which a library has of its own.

use terminal::quantity::percent;

use crate::facts::Facts;
use crate::finding::Finding;

/// Libraries with a pool of threads, by the beginnings of their files' names, and how to set its size.
const POOLS: [(&str, &str); 9] = [
    ("libopenblas", "OPENBLAS_NUM_THREADS=1"),
    ("libscipy_openblas", "OPENBLAS_NUM_THREADS=1"),
    ("libgoto2", "GOTO_NUM_THREADS=1"),
    ("libblis", "BLIS_NUM_THREADS=1"),
    ("libflexiblas", "FLEXIBLAS_NUM_THREADS=1"),
    ("libmkl_", "MKL_NUM_THREADS=1"),
    ("libtbb", "tbb::global_control, max_allowed_parallelism"),
    ("libfftw3_threads", "fftw_plan_with_nthreads(1)"),
    ("libfftw3f_threads", "fftwf_plan_with_nthreads(1)"),
];

/// True for the file name of a library that has threads of its own.
pub fn has_pool(library: &str) -> bool {
    setting(library).is_some()
}

fn setting(library: &str) -> Option<&'static str> {
    POOLS.iter().find(|(name, _)| library.starts_with(name)).map(|(_, setting)| *setting)
}

/// Threads of a team that call such a library take turns in its pool, and wait for it.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let Some((part, library)) = &facts.pool.dearest else { return };
    let Some(setting) = setting(library) else { return };
    let what = format!(
        "{} % of the threads' time is spent in regions waiting for threads that libraries have of their own, {} % of that in {library}",
        percent(facts.pool.ns, facts.all_ns),
        percent(*part, 1.0)
    );
    let fix = format!("let it use the calling thread alone inside of regions ({setting}), or call it outside of them");
    found.push(Finding::new("library_pool", facts.pool.ns, what, fix));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Wait;

    #[test]
    fn the_library_and_its_setting_are_named() {
        let found = |library: &str| {
            let pool = Wait { ns: 5e8, dearest: Some((0.9, library.to_owned())), count: None };
            let mut found = Vec::new();
            look(&Facts { all_ns: 1e9, pool, ..Facts::default() }, &mut found);
            found.pop().map(|finding| finding.text(1e9))
        };
        let text = found("libopenblas.so.0").unwrap();
        assert!(
            text.starts_with("50.00 %")
                && text.contains("libopenblas.so.0: ")
                && text.contains("OPENBLAS_NUM_THREADS=1"),
            "{text}"
        );
        assert!(found("libblis.so.4").unwrap().contains("BLIS_NUM_THREADS=1"));
        assert_eq!(found("libc.so.6"), None);
    }
}
