//! Threads of a forked child that wait for threads of its parent.

use std::collections::HashMap;

use crate::model::{Look, Thread, Wait};

/// The threads of a forked child that wait for members of a team which this process never had: they belong to its parent's pool. libgomp
/// gives the lowest numbers to threads that it already has, and creates the rest.
pub(crate) fn orphans(look: &Look) -> Vec<bool> {
    /// Members of a team that exist.
    struct Members {
        missing: u32,
        count: u32,
        lowest: u32,
    }
    let threads = if look.is_forked { look.threads.as_slice() } else { &[] };
    let mut teams: HashMap<u64, Members> = HashMap::new();
    for own in threads.iter().filter_map(|it| it.place.as_ref()).flat_map(|it| &it.teams) {
        let new = || Members { missing: own.size, count: 0, lowest: u32::MAX };
        let members = teams.entry(own.team).or_insert_with(new);
        members.missing = members.missing.saturating_sub(1);
        members.count += 1;
        members.lowest = members.lowest.min(if own.number == 0 { u32::MAX } else { own.number });
    }
    let is_any_unknown = threads.iter().any(|it| it.wait == Wait::Idle && it.place.is_none());
    let lacks = |it: &Members| it.missing > 0 && !is_any_unknown && (it.count == 1 || it.lowest > it.missing);
    let is_orphan = |thread: &Thread| match &thread.wait {
        Wait::Barrier { team: Some(team), .. } => teams.get(team).is_some_and(lacks),
        Wait::Barrier { team: None, .. } | Wait::Idle => threads.len() == 1,
        _ => false,
    };
    look.threads.iter().map(is_orphan).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Barrier, Membership, Outside, Place, WokenBy};

    fn member(wait: Wait, number: u32) -> Thread {
        let place = Place { teams: vec![Membership { team: 7, size: 3, number }] };
        Thread { place: Some(place), wait, ..Thread::default() }
    }

    fn at_barrier() -> Wait {
        Wait::Barrier { kind: Barrier::Explicit, team: Some(7) }
    }

    /// The answer for the first of these threads of a forked child.
    fn is_orphan(threads: &[(Wait, u32)]) -> bool {
        let threads = threads.iter().map(|(wait, number)| member(wait.clone(), *number)).collect();
        orphans(&Look { threads, is_forked: true })[0]
    }

    #[test]
    fn threads_that_the_runtime_has_created_for_missing_ones_have_the_highest_numbers() {
        assert!(is_orphan(&[(at_barrier(), 0), (at_barrier(), 2)]) && is_orphan(&[(at_barrier(), 0), (Wait::Idle, 2)]));
        assert!(!is_orphan(&[(at_barrier(), 0), (Wait::Idle, 1)]), "thread 2 has ended");
        let reads = Wait::Outside(Outside { function: "read".to_owned(), by: WokenBy::World });
        assert!(!is_orphan(&[(at_barrier(), 0), (reads, 1), (Wait::Idle, 2)]), "all members exist");
    }

    #[test]
    fn a_worker_that_has_forked_is_alone_at_the_end_of_the_region() {
        assert!(is_orphan(&[(Wait::Idle, 1)]) && is_orphan(&[(at_barrier(), 1)]) && !is_orphan(&[(Wait::Nothing, 1)]));
        assert!(!orphans(&Look { threads: vec![member(at_barrier(), 1)], is_forked: false })[0]);
    }
}
