//! Processes of a run that share the processors.

use advice::Together;

use super::Process;

/// Notes in each process how many processes used OpenMP at the same time on the same processors, which are those that
/// `ora` itself may use.
pub(super) fn note(main: &mut Option<Process>, others: &mut [Process]) {
    let Ok(own) = std::thread::available_parallelism() else { return };
    let shares = |it: &Process| it.team_threads > 0 && it.processors_allowed.is_some_and(|of| of as usize == own.get());
    let lives: Vec<_> =
        main.iter().chain(&*others).filter(|it| shares(it)).map(|it| (life(it), it.team_threads)).collect();
    for process in main.iter_mut().chain(others).filter(|it| shares(it)) {
        process.together = among(life(process), &lives, own.get() as u64);
    }
}

fn life(process: &Process) -> (u64, u64) {
    (process.who.end_ns.saturating_sub(process.who.wall_ns), process.who.end_ns)
}

/// The processes, out of those given with start, end and number of OpenMP threads, that lived at the same time as
/// this one, including itself.
fn among((begin, end): (u64, u64), lives: &[((u64, u64), usize)], processors: u64) -> Option<Together> {
    let overlapping = lives.iter().filter(|((begun, ended), _)| *begun < end && begin < *ended);
    let (processes, threads) = overlapping.fold((0, 0), |(all, sum), (_, threads)| (all + 1, sum + *threads as u64));
    (processes > 1).then_some(Together { processes, threads, processors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_count_together_that_lived_at_the_same_time() {
        let lives = [((0, 10), 2), ((5, 15), 2), ((10, 20), 3)];
        let counted = |life| among(life, &lives, 2).map(|it| (it.processes, it.threads));
        assert_eq!(counted((0, 10)), Some((2, 4)));
        assert_eq!(counted((5, 15)), Some((3, 7)));
        assert_eq!(counted((15, 20)), None);
    }
}
