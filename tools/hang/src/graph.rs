//! Wait-for graph: finds the threads that no other thread can wake.
//!
//! Each thread has conditions, all of which have to become true before it continues. A condition is a set of threads, any of which may
//! make it true. A thread without conditions continues by itself. The stuck threads are those outside the least set that is closed under
//! "all conditions have a member in it": if each waits for one other thread, those are the cycles, and what waits for them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::conditions::{Condition, Known, Sharing, starves};
use crate::gathering::Teams;
use crate::model::{Look, Thread, Wait};
use crate::orphans::orphans;

/// Threads with the same conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The conditions, all of which have to become true before the threads continue; empty if they continue by themselves.
    pub conditions: Vec<Condition>,
    /// The threads, in ascending order.
    pub threads: Vec<usize>,
}

impl Group {
    /// Threads that each of this group waits for, and that have to continue.
    pub fn certain(&self) -> impl Iterator<Item = usize> + '_ {
        self.conditions.iter().filter_map(|it| if let Condition::Certain(only) = it { Some(*only) } else { None })
    }
}

/// The graph of a look, with threads as indices. Its size is that of the look: members of a team share their conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Groups of threads.
    pub groups: Vec<Group>,
    /// Index of each thread's group.
    pub group_of: Vec<usize>,
    /// The teams.
    pub teams: Teams,
    /// True for threads of a forked child that wait for threads of its parent.
    pub orphans: Vec<bool>,
    /// True for threads that nothing can wake.
    pub stuck: Vec<bool>,
}

impl Graph {
    /// Graph of a look.
    pub fn of(look: &Look) -> Self {
        let threads = &look.threads;
        let (starves, orphans) = (starves(threads), orphans(look));
        let mut known = Known::of(look);
        let (mut groups, mut group_of) = (Vec::<Group>::new(), Vec::new());
        let mut shared = HashMap::new();
        for (own, thread) in threads.iter().enumerate() {
            let starves = starves
                && matches!(thread.wait, Wait::Tasks(_) | Wait::Taskyield | Wait::Barrier { .. } | Wait::Turn(_));
            let is_orphan = orphans.get(own) == Some(&true);
            // One that waits without sleeping may have got what it waits for between two looks, and wait again. So it is judged only by
            // certain threads.
            let is_spinner = !thread.asleep && thread.wait != Wait::Idle && !starves && !is_orphan;
            let sharing = if is_orphan { Sharing::Alone(own) } else { known.sharing(own, thread) };
            let group = *shared.entry((sharing, is_spinner)).or_insert_with(|| {
                let no_one = || vec![Condition::Any(Rc::default())];
                let mut conditions = if is_orphan { no_one() } else { known.conditions(own, thread) };
                if is_spinner && conditions.iter().any(|it| known.is_unsure(it)) {
                    conditions.clear();
                }
                groups.push(Group { conditions, threads: Vec::new() });
                groups.len() - 1
            });
            groups.get_mut(group).into_iter().for_each(|group| group.threads.push(own));
            group_of.push(group);
        }
        let stuck = stuck(threads, &groups);
        Self { groups, group_of, teams: known.teams, orphans, stuck }
    }

    /// The group of a thread.
    pub(crate) fn group(&self, thread: usize) -> Option<&Group> {
        self.groups.get(*self.group_of.get(thread)?)
    }

    /// Threads that this one waits for, each of which has to continue.
    pub(crate) fn certain(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        self.group(thread).into_iter().flat_map(Group::certain)
    }
}

/// The threads that can't continue. Each condition is met once, by the first thread that is free and makes it true.
fn stuck(threads: &[Thread], groups: &[Group]) -> Vec<bool> {
    let all = groups.iter().enumerate().flat_map(|(at, group)| group.conditions.iter().map(move |it| (at, it)));
    let mut unmet: Vec<Option<usize>> = Vec::new();
    let mut missing: Vec<usize> = groups.iter().map(|group| group.conditions.len()).collect();
    // Conditions by the threads that make them true; those that any thread makes true, and any but some.
    let mut by_thread: Vec<Vec<usize>> = vec![Vec::new(); threads.len()];
    let (mut by_anyone, mut by_others) = (Vec::new(), Vec::new());
    for (number, (group, condition)) in all.enumerate() {
        unmet.push(Some(group));
        let some = match condition {
            Condition::Certain(one) => std::slice::from_ref(one),
            Condition::Any(some) => some,
            Condition::AnyBut(others) => {
                by_others.push((number, others));
                &[]
            }
            Condition::Anyone => {
                by_anyone.push(number);
                &[]
            }
        };
        some.iter().for_each(|one| by_thread.get_mut(*one).into_iter().for_each(|met| met.push(number)));
    }
    let mut stuck = vec![true; threads.len()];
    let is_free = |group: &&Group| group.conditions.is_empty();
    let mut free: Vec<usize> = groups.iter().filter(is_free).flat_map(|group| &group.threads).copied().collect();
    while let Some(thread) = free.pop() {
        stuck.get_mut(thread).into_iter().for_each(|stuck| *stuck = false);
        let mut met = by_thread.get_mut(thread).map(std::mem::take).unwrap_or_default();
        met.append(&mut by_anyone);
        if threads.get(thread).is_some_and(|thread| thread.wait != Wait::Idle) {
            let is_met = |(_, others): &mut (_, &Vec<usize>)| others.binary_search(&thread).is_err();
            met.extend(by_others.extract_if(.., is_met).map(|(number, _)| number));
        }
        for group in met.into_iter().filter_map(|number| unmet.get_mut(number)?.take()) {
            let Some(missing) = missing.get_mut(group) else { continue };
            *missing -= 1;
            if *missing == 0 {
                free.extend(groups.get(group).into_iter().flat_map(|group| &group.threads));
            }
        }
    }
    stuck
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Barrier, Held, Membership, Outside, Place, Resource, ResourceKind, TaskWait, Turn, WokenBy};

    fn resource(address: u64) -> Resource {
        Resource { kind: ResourceKind::Lock, address: Some(address), name: None, owner: None }
    }

    fn thread(wait: Wait, held: &[u64]) -> Thread {
        let holds = held
            .iter()
            .map(|address| Held {
                resource: resource(*address),
                frame: 0,
                call: None,
                function: None,
                is_certain: true,
            })
            .collect();
        Thread { wait, holds, asleep: true, is_settled: true, ..Thread::default() }
    }

    fn lock(address: u64) -> Wait {
        Wait::Mutex(resource(address))
    }

    fn at_barrier() -> Wait {
        Wait::Barrier { kind: Barrier::Explicit, team: Some(7) }
    }

    fn member(wait: Wait, number: u32, held: &[u64]) -> Thread {
        let place = Place { teams: vec![Membership { team: 7, size: 3, number }] };
        Thread { place: Some(place), ..thread(wait, held) }
    }

    fn stuck_of(threads: Vec<Thread>) -> Vec<bool> {
        Graph::of(&Look { threads, ..Look::default() }).stuck
    }

    #[test]
    fn a_cycle_is_stuck_and_what_waits_for_it() {
        let threads =
            vec![thread(lock(1), &[2]), thread(lock(2), &[1]), thread(lock(1), &[]), thread(Wait::Nothing, &[])];
        assert_eq!(stuck_of(threads), [true, true, true, false]);
    }

    #[test]
    fn a_chain_that_ends_at_a_running_thread_is_not_stuck() {
        let threads = vec![thread(lock(1), &[2]), thread(lock(2), &[]), thread(Wait::Nothing, &[1])];
        assert_eq!(stuck_of(threads), [false, false, false]);
    }

    #[test]
    fn a_lock_that_its_owner_waits_for_is_stuck() {
        assert_eq!(stuck_of(vec![thread(lock(1), &[1]), thread(Wait::Nothing, &[])]), [true, false]);
    }

    #[test]
    fn an_unknown_holder_may_be_anybody_who_runs() {
        assert_eq!(stuck_of(vec![thread(lock(1), &[]), thread(Wait::Nothing, &[])]), [false, false]);
        assert_eq!(stuck_of(vec![thread(lock(1), &[]), thread(Wait::Idle, &[])]), [true, true]);
    }

    #[test]
    fn a_thread_that_goes_on_may_hold_the_lock_of_a_circle() {
        let goes_on = |held: Resource| {
            let held = Held { resource: held, frame: 0, call: None, function: None, is_certain: true };
            Thread { holds: vec![held], is_settled: false, ..thread(Wait::Nothing, &[]) }
        };
        let stuck = |third: Resource| stuck_of(vec![thread(lock(1), &[2]), thread(lock(2), &[1]), goes_on(third)]);
        assert_eq!(stuck(resource(1)), [false, false, false]);
        assert_eq!(stuck(Resource { address: None, ..resource(1) }), [false, false, false]);
        assert_eq!(stuck(resource(3)), [true, true, false]);
    }

    #[test]
    fn a_thread_that_is_awake_is_judged_by_certain_threads_only() {
        let awake = |wait: Wait, held: &[u64]| Thread { asleep: false, ..thread(wait, held) };
        assert_eq!(stuck_of(vec![awake(lock(1), &[]), thread(lock(1), &[])]), [false, false]);
        assert_eq!(stuck_of(vec![awake(lock(1), &[2]), awake(lock(2), &[1])]), [true, true]);
    }

    #[test]
    fn a_barrier_waits_for_each_member() {
        let wait = |third: Wait| {
            stuck_of(vec![member(at_barrier(), 0, &[]), member(at_barrier(), 1, &[]), member(third, 2, &[])])
        };
        assert_eq!(wait(Wait::Nothing), [false, false, false]);
        assert_eq!(wait(lock(1)), [true, true, true]);
        assert_eq!(wait(at_barrier()), [true, true, true], "a task is missing, and nobody runs");
    }

    #[test]
    fn members_at_a_barrier_share_their_conditions_and_nobody_lists_all_threads() {
        let threads =
            [at_barrier(), at_barrier(), Wait::Nothing].into_iter().zip(0..).map(|(it, at)| member(it, at, &[]));
        let threads = threads.chain([thread(Wait::Idle, &[]), thread(lock(1), &[])]).collect();
        let graph = Graph::of(&Look { threads, ..Look::default() });
        let conditions = |number: usize| &graph.groups[graph.group_of[number]].conditions;
        assert_eq!(graph.group_of[0], graph.group_of[1]);
        assert_eq!(*conditions(0), [Condition::Certain(2)]);
        assert!([3, 4].into_iter().all(|number| *conditions(number) == [Condition::Anyone]));
        assert_eq!(graph.stuck, [false; 5]);
    }

    #[test]
    fn members_who_have_left_never_come_unless_somebody_is_unknown() {
        let two = || vec![member(at_barrier(), 0, &[]), member(at_barrier(), 1, &[])];
        let with = |other: Thread| stuck_of(two().into_iter().chain([other]).collect());
        assert_eq!(with(member(Wait::Idle, 2, &[])), [true, true, true]);
        assert_eq!(with(thread(Wait::Nothing, &[])), [false, false, false]);
    }

    #[test]
    fn a_forked_child_waits_in_vain_for_its_parents_pool() {
        let reads = Wait::Outside(Outside { function: "read".to_owned(), by: WokenBy::World });
        let stuck = |is_forked, other: Thread| {
            Graph::of(&Look { threads: vec![member(at_barrier(), 0, &[]), other], is_forked }).stuck
        };
        assert_eq!(stuck(true, thread(reads.clone(), &[])), [true, false]);
        assert_eq!(stuck(false, thread(reads.clone(), &[])), [false, false]);
    }

    #[test]
    fn threads_that_wait_for_tasks_without_sleeping_starve_if_none_executes_one() {
        let waits = |wait: Wait| Thread { asleep: false, ..thread(wait, &[]) };
        let tasks = || waits(Wait::Tasks(TaskWait::Taskwait));
        assert_eq!(stuck_of(vec![tasks(), tasks()]), [true, true]);
        assert_eq!(stuck_of(vec![tasks(), waits(Wait::Nothing)]), [false, false]);
        let at_barrier = |team| waits(Wait::Barrier { kind: Barrier::Worksharing, team });
        let others = [at_barrier(None), at_barrier(Some(7)), waits(Wait::Turn(Turn::Ordered)), waits(Wait::Idle)];
        for other in others.into_iter().chain([waits(Wait::Taskyield)]) {
            for own in [tasks(), waits(Wait::Taskyield)] {
                assert_eq!(stuck_of(vec![own.clone(), other.clone()]), [true, true], "{other:?}");
                assert_eq!(stuck_of(vec![own, other.clone(), waits(Wait::Nothing)]), [false, false, false]);
            }
        }
    }

    #[test]
    fn a_wait_that_the_world_ends_is_not_stuck() {
        let reads = Wait::Outside(Outside { function: "read".to_owned(), by: WokenBy::World });
        let threads = vec![member(at_barrier(), 0, &[]), member(at_barrier(), 1, &[]), member(reads, 2, &[])];
        assert_eq!(stuck_of(threads), [false, false, false]);
    }

    #[test]
    fn a_mutex_has_its_owners_number() {
        let mutex = |owner: u32| {
            Wait::Mutex(Resource { kind: ResourceKind::Mutex, address: Some(1), name: None, owner: Some(owner) })
        };
        let numbered = |tid: u32, wait: Wait| Thread { tid, ..thread(wait, &[]) };
        assert_eq!(
            stuck_of(vec![numbered(1, mutex(2)), numbered(2, mutex(1)), numbered(3, Wait::Nothing)]),
            [true, true, false]
        );
        assert_eq!(
            stuck_of(vec![numbered(1, Wait::Tasks(TaskWait::Taskwait)), numbered(2, Wait::Nothing)]),
            [false, false]
        );
    }
}
