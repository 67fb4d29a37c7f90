//! Processes of a recording that share the processors.

use ::advice::Together;

use crate::input::Facts;
use crate::job::most_at_once;

/// Processes that share processors can't use them for longer than these exist, but for the clocks' inaccuracy. Others have processors of
/// their own, although equally many.
const MORE: f64 = 1.1;

/// A process that used OpenMP.
#[derive(Clone, Debug)]
pub struct Life<'a> {
    /// Its machine and processors.
    pub facts: &'a Facts,
    /// Start and end, by CLOCK_REALTIME where that is known.
    pub span_ns: (u64, u64),
    /// Starts and ends of its OpenMP threads.
    pub threads_ns: Vec<(u64, u64)>,
    /// Time of its threads on processors.
    pub running_ns: u64,
}

/// The largest number of processes that used OpenMP at the same time. `None` if that is one, or if they don't share processors, as far as
/// their number, the machine and the time on processors show that.
pub fn of(lives: &[Life<'_>]) -> Option<Together> {
    let first = lives.first()?.facts;
    let processors = first.processors?;
    let is_same = |it: &Life<'_>| it.facts.host == first.host && it.facts.processors == first.processors;
    let processes = most_at_once(lives.iter().map(|it| it.span_ns)) as u64;
    let running_ns = lives.iter().map(|it| it.running_ns as f64).sum::<f64>();
    if processes < 2 || !lives.iter().all(is_same) || running_ns > MORE * f64::from(processors) * covered_ns(lives) {
        return None;
    }
    let threads = most_at_once(lives.iter().flat_map(|it| it.threads_ns.iter().copied())) as u64;
    Some(Together { processes, threads, processors: processors.into() })
}

/// Time during which at least one of the processes lived.
fn covered_ns(lives: &[Life<'_>]) -> f64 {
    let mut spans: Vec<_> = lives.iter().map(|it| it.span_ns).collect();
    spans.sort_unstable();
    let (mut sum_ns, mut until_ns) = (0.0, 0);
    for (begin, end) in spans {
        sum_ns += end.saturating_sub(begin.max(until_ns)) as f64;
        until_ns = until_ns.max(end);
    }
    sum_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(facts: &Facts, span_ns: (u64, u64), threads: usize, running_ns: u64) -> Life<'_> {
        Life { facts, span_ns, threads_ns: vec![span_ns; threads], running_ns }
    }

    #[test]
    fn processes_are_together_that_share_processors_at_the_same_time() {
        let two = Facts { processors: Some(2), ..Facts::default() };
        let one = |span| life(&two, span, 2, 100);
        let found = of(&[one((0, 100)), one((10, 110)), one((100, 200))]).unwrap();
        assert_eq!((found.processes, found.threads, found.processors), (2, 4, 2));
        assert_eq!(of(&[one((0, 100)), one((100, 200))]), None, "one after the other");
        let far = Facts { host: Some("other".to_owned()), ..two.clone() };
        assert_eq!(of(&[one((0, 100)), life(&far, (0, 100), 2, 100)]), None, "on two machines");
        let busy = |span| life(&two, span, 2, 200);
        assert_eq!(of(&[busy((0, 100)), busy((0, 100))]), None, "they have used four processors");
    }
}
