//! The runs of a program: how many, with which number of threads and seed.

/// Numbers of threads of `--vary`, in turn: the user's own first. More threads than processors lead to other orders; primes
/// leave uneven shares of loops. In a static loop with no more iterations than threads, each iteration has a thread of its own.
const VARIED: [Option<u32>; 7] = [None, Some(2), Some(3), Some(7), Some(16), Some(61), Some(181)];

/// Options that the runs depend on.
#[derive(Debug, Default)]
pub struct Options {
    /// Number of runs, or of runs with each number of threads.
    pub runs: Option<u32>,
    /// Numbers of threads.
    pub threads: Vec<u32>,
    /// Several numbers of threads are used in turn.
    pub vary: bool,
    /// Whether chunks are treated as concurrent.
    pub chunks: Chunks,
    /// ThreadSanitizer's own reports are also shown.
    pub raw: bool,
}

/// Condition for treating chunks of loops and sections as concurrent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunks {
    /// Races of one thread's chunks are possible ones.
    #[default]
    Auto,
    /// Races of one thread's chunks are as sure as others.
    Yes,
    /// Accesses of one thread are ordered.
    No,
}

/// Parameters of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Value of OMP_NUM_THREADS; `None`: the user's environment.
    pub threads: Option<u32>,
    /// Seed of the run, from 1.
    pub(crate) seed: u32,
}

/// The runs that the options ask for.
pub fn plans(options: &Options) -> Vec<Plan> {
    let plan = |threads, number: usize| Plan { threads, seed: u32::try_from(number + 1).unwrap_or(u32::MAX) };
    if options.vary {
        let runs = options.runs.map_or(VARIED.len(), |runs| runs as usize);
        return VARIED
            .into_iter()
            .cycle()
            .take(runs)
            .enumerate()
            .map(|(number, threads)| plan(threads, number))
            .collect();
    }
    let runs = options.runs.unwrap_or(1) as usize;
    let threads: Vec<Option<u32>> =
        if options.threads.is_empty() { vec![None] } else { options.threads.iter().copied().map(Some).collect() };
    let each = threads.into_iter().flat_map(|threads| std::iter::repeat_n(threads, runs));
    each.enumerate().map(|(number, threads)| plan(threads, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(options: &Options) -> Vec<(Option<u32>, u32)> {
        plans(options).iter().map(|plan| (plan.threads, plan.seed)).collect()
    }

    #[test]
    fn each_run_has_a_seed_of_its_own() {
        let usual = Options::default;
        assert_eq!(planned(&usual()), [(None, 1)]);
        assert_eq!(planned(&Options { runs: Some(2), ..usual() }), [(None, 1), (None, 2)]);
        let two_each = [(Some(2), 1), (Some(2), 2), (Some(8), 3), (Some(8), 4)];
        assert_eq!(planned(&Options { threads: vec![2, 8], runs: Some(2), ..usual() }), two_each);
        let vary = |runs| Options { vary: true, runs, ..usual() };
        let varied = planned(&vary(None));
        assert_eq!(varied.len(), VARIED.len());
        assert_eq!(varied[..2], [(None, 1), (Some(2), 2)]);
        assert_eq!(planned(&vary(Some(9)))[7..], [(None, 8), (Some(2), 9)]);
    }
}
