//! Roles of threads: threads that follow one another take the same part, such as the user threads of which each starts a team.

use std::collections::BTreeSet;

use crate::Timeline;

/// The role of each OpenMP thread, and their number: the threads that live at the same time.
#[derive(Debug)]
pub(crate) struct Roles {
    pub(crate) of_thread: Vec<Option<usize>>,
    pub(crate) count: usize,
}

impl Roles {
    /// A thread takes the role of one of its kind that has ended, or else of another one that has.
    pub(crate) fn of(timeline: &Timeline) -> Self {
        let threads = &timeline.threads;
        let mut of_thread = vec![None; threads.len()];
        let mut count = 0;
        // The roles by the end of their last thread: of initial threads, and of workers.
        let mut last: [BTreeSet<(u64, usize)>; 2] = Default::default();
        let mut by_start: Vec<_> = threads.iter().zip(0..).filter(|(it, _)| matches!(it.kind, 1 | 2)).collect();
        by_start.sort_by_key(|(thread, _)| thread.begin_ns);
        for (thread, index) in by_start {
            let [initial, workers] = &mut last;
            let (own, others) = if thread.kind == 1 { (initial, workers) } else { (workers, initial) };
            let role = ended(own, thread.begin_ns).or_else(|| ended(others, thread.begin_ns)).unwrap_or(count);
            count = count.max(role + 1);
            own.insert((thread.end_ns, role));
            of_thread.get_mut(index).into_iter().for_each(|of| *of = Some(role));
        }
        Self { of_thread, count }
    }
}

/// Takes the role that ended last up to a time.
fn ended(last: &mut BTreeSet<(u64, usize)>, at_ns: u64) -> Option<usize> {
    let found = last.range(..=(at_ns, usize::MAX)).next_back().copied()?;
    last.remove(&found);
    Some(found.1)
}
