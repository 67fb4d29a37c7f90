//! Wait-for graph: finds the threads that no other thread can wake.
//!
//! Each thread has conditions, all of which have to become true before it continues. A condition is a set of threads, any of which may
//! make it true. A thread without conditions continues by itself. The stuck threads are those outside the least set that is closed under
//! "all conditions have a member in it": if each waits for one other thread, those are the cycles, and what waits for them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::{Barrier, Look, Outside, Resource, ResourceKind, Thread, Wait, WokenBy};
use crate::orphans::orphans;

/// Condition of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// This thread has to continue.
    Certain(usize),
    /// One of these threads has to continue, but it isn't known which. The thread itself may be among them: it does not
    /// continue before its conditions are true.
    Any(Rc<[usize]>),
    /// Any other thread of the process has to continue.
    Anyone,
}

/// Conditions of one thread; empty if it continues by itself. Members of a team share them.
pub type Conditions = Rc<[Condition]>;

/// The graph of a look, with threads as indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Conditions of each thread.
    pub conditions: Vec<Conditions>,
    /// Known holder for each thread that waits for one.
    pub holders: Vec<Option<usize>>,
    /// True for threads of a forked child that wait for threads of its parent.
    pub orphans: Vec<bool>,
    /// True for threads that nothing can wake.
    pub stuck: Vec<bool>,
}

impl Graph {
    /// Graph of a look.
    pub fn of(look: &Look) -> Self {
        let threads = &look.threads;
        let mut known = Known::default();
        let holders: Vec<Option<usize>> = threads.iter().map(|thread| known.holder_of(threads, thread)).collect();
        let (starves, orphans) = (starves(threads), orphans(look));
        let of_thread = |(own, holder): (usize, &Option<usize>)| match threads.get(own).map(|thread| &thread.wait) {
            _ if orphans.get(own) == Some(&true) => [Condition::Any(Rc::default())].into(),
            Some(Wait::Tasks(_) | Wait::Taskyield | Wait::Barrier { .. } | Wait::Turn(_)) if starves => {
                known.conditions_of_sleeper(threads, own, *holder)
            }
            _ => known.conditions(threads, own, *holder),
        };
        let conditions: Vec<Conditions> = holders.iter().enumerate().map(of_thread).collect();
        let stuck = stuck(&conditions);
        Self { conditions, holders, orphans, stuck }
    }
}

/// The threads that can't continue.
pub fn stuck(conditions: &[Conditions]) -> Vec<bool> {
    let mut stuck = vec![true; conditions.len()];
    let (mut free, mut changes) = (0, true);
    while changes {
        changes = false;
        for (own, all) in conditions.iter().enumerate() {
            let is_free = |other: &usize| stuck.get(*other).is_some_and(|stuck| !stuck);
            let is_true = |condition: &Condition| match condition {
                Condition::Certain(one) => is_free(one),
                Condition::Any(some) => some.iter().any(is_free),
                Condition::Anyone => free > 0,
            };
            if stuck.get(own) == Some(&true) && all.iter().all(is_true) {
                stuck.get_mut(own).into_iter().for_each(|stuck| *stuck = false);
                free += 1;
                changes = true;
            }
        }
    }
    stuck
}

/// The thread that holds a resource.
pub(crate) fn holder(threads: &[Thread], wanted: &Resource) -> Option<usize> {
    if let Some(owner) = wanted.owner {
        return threads.iter().position(|thread| thread.tid == owner);
    }
    wanted.address?;
    // A running thread may hold it meanwhile, even if its code doesn't show which lock it is.
    let may_hold = |thread: &Thread| {
        let same = |other: &Resource| {
            let is_open = other.address.is_none() && !thread.is_settled;
            other.kind == wanted.kind && (other.address == wanted.address || is_open)
        };
        thread.holds.iter().any(|held| same(&held.resource))
    };
    let holds = |thread: &Thread| {
        let same = |other: &Resource| other.kind == wanted.kind && other.address == wanted.address;
        thread.is_settled && thread.holds.iter().any(|held| held.is_certain && same(&held.resource))
    };
    let mut holders = threads.iter().enumerate().filter(|(_, thread)| may_hold(thread));
    let (first, thread) = holders.next()?;
    (holders.next().is_none() && holds(thread)).then_some(first)
}

/// Facts that many threads share, each found once: a process may have thousands of them.
#[derive(Debug, Default)]
struct Known {
    /// Holder of each resource, by its kind, its address and its recorded owner.
    holders: HashMap<(ResourceKind, Option<u64>, Option<u32>), Option<usize>>,
    /// Conditions at a team's barrier, by the team and whether it is the one at the region's end.
    barriers: HashMap<(u64, bool), Conditions>,
    /// Threads that may give a turn to others of a team; `None` if not all members are known.
    turns: HashMap<u64, Option<Rc<[usize]>>>,
}

impl Known {
    /// The thread that holds what another one waits for; `None` if it is not known, or several might.
    fn holder_of(&mut self, threads: &[Thread], waiting: &Thread) -> Option<usize> {
        let Wait::Mutex(wanted) = &waiting.wait else { return None };
        let key = (wanted.kind, wanted.address, wanted.owner);
        *self.holders.entry(key).or_insert_with(|| holder(threads, wanted))
    }

    /// Conditions of a thread. One that waits without sleeping may have got what it waits for between two looks, and wait again. So it is
    /// judged only by certain threads.
    fn conditions(&mut self, threads: &[Thread], own: usize, holder: Option<usize>) -> Conditions {
        let Some(thread) = threads.get(own) else { return Rc::default() };
        let conditions = self.conditions_of_sleeper(threads, own, holder);
        let is_unsure = |it: &Condition| match it {
            Condition::Certain(_) => false,
            Condition::Any(others) => !others.is_empty(),
            Condition::Anyone => threads.len() > 1,
        };
        let is_spinner = !thread.asleep && thread.wait != Wait::Idle;
        if is_spinner && conditions.iter().any(is_unsure) { Rc::default() } else { conditions }
    }

    fn conditions_of_sleeper(&mut self, threads: &[Thread], own: usize, holder: Option<usize>) -> Conditions {
        let Some(thread) = threads.get(own) else { return Rc::default() };
        let only = match &thread.wait {
            Wait::Nothing => None,
            Wait::Outside(Outside { by, .. }) => match by {
                WokenBy::World => None,
                WokenBy::Threads => Some(Condition::Anyone),
                WokenBy::EndOf(tid) => threads.iter().position(|other| other.tid == *tid).map(Condition::Certain),
            },
            Wait::Mutex(_) => Some(holder.map_or(Condition::Anyone, Condition::Certain)),
            Wait::Barrier { team: Some(team), kind } => {
                let key = (*team, *kind == Barrier::RegionEnd);
                return Rc::clone(self.barriers.entry(key).or_insert_with(|| barrier(threads, *team, *kind)));
            }
            Wait::Turn(_) => Some(self.turn(threads, own).unwrap_or(Condition::Anyone)),
            Wait::Barrier { team: None, .. } | Wait::Idle | Wait::Tasks(_) | Wait::Taskyield | Wait::Runtime(_) => {
                Some(Condition::Anyone)
            }
        };
        only.into_iter().collect()
    }

    /// A turn is given by a member of the team that executes the loop: one that isn't at a barrier. `None` if not all
    /// members are known.
    fn turn(&mut self, threads: &[Thread], own: usize) -> Option<Condition> {
        let team = threads.get(own)?.place.as_ref()?.teams.first()?.team;
        let all = self.turns.entry(team).or_insert_with(|| in_loop(threads, team)).as_ref()?;
        let mut others = all.iter().filter(|other| **other != own);
        Some(match (others.next(), others.next()) {
            (None, _) => Condition::Any(Rc::default()),
            (Some(only), None) => Condition::Certain(*only),
            _ => Condition::Any(Rc::clone(all)),
        })
    }
}

/// True if threads wait for tasks, and all threads wait in OpenMP: none of them executes a task to its end.
fn starves(threads: &[Thread]) -> bool {
    let is_for_tasks = |thread: &Thread| matches!(thread.wait, Wait::Tasks(_) | Wait::Taskyield);
    let waits = |thread: &Thread| {
        is_for_tasks(thread) || matches!(thread.wait, Wait::Idle | Wait::Barrier { .. } | Wait::Turn(_))
    };
    threads.iter().all(|thread| waits(thread) && thread.is_settled) && threads.iter().any(is_for_tasks)
}

/// Members of a team that are in its region: those at its barrier, the others, and the number of those that are
/// missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathering {
    /// Threads at the barrier.
    pub there: Vec<usize>,
    /// Threads that are elsewhere.
    pub elsewhere: Vec<usize>,
    /// Number of members that do not exist in the process.
    pub gone: usize,
}

impl Gathering {
    /// The gathering of a team at a barrier of this kind. The end of a region is not a barrier that others open: libgomp counts those who
    /// are there separately.
    pub fn of(threads: &[Thread], team: u64, kind: Barrier) -> Self {
        let mut gathering = Self::default();
        let mut size = 0;
        for (number, thread) in threads.iter().enumerate() {
            let Some(own) = thread.membership(team).filter(|_| thread.wait != Wait::Idle) else { continue };
            size = size.max(usize::try_from(own.size).unwrap_or_default());
            let same = |other: Barrier| (other == Barrier::RegionEnd) == (kind == Barrier::RegionEnd);
            let is_there = matches!(thread.wait, Wait::Barrier { team: Some(at), kind } if at == team && same(kind));
            if is_there { gathering.there.push(number) } else { gathering.elsewhere.push(number) }
        }
        gathering.gone = size.saturating_sub(gathering.there.len() + gathering.elsewhere.len());
        gathering
    }
}

/// A barrier opens when the others of the team have come. If some of them can't be found, a thread whose team isn't known may be one of
/// them. If all are there, only the end of a task is missing, which any thread may bring about.
fn barrier(threads: &[Thread], team: u64, kind: Barrier) -> Conditions {
    let gathering = Gathering::of(threads, team, kind);
    let is_stranger = |thread: &Thread| thread.membership(team).is_none() && thread.wait != Wait::Idle;
    let strangers = || threads.iter().enumerate().filter(|(_, thread)| is_stranger(thread)).map(|(number, _)| number);
    let is_unsure = gathering.gone > 0 || gathering.elsewhere.is_empty();
    let any = is_unsure.then(|| Condition::Any(strangers().collect()));
    gathering.elsewhere.into_iter().map(Condition::Certain).chain(any).collect()
}

/// The members of a team that are not at its barrier; `None` if not all members are known.
fn in_loop(threads: &[Thread], team: u64) -> Option<Rc<[usize]>> {
    let gathering = Gathering::of(threads, team, Barrier::Explicit);
    let at_barrier = |other: &Thread| matches!(other.wait, Wait::Barrier { team: Some(at), .. } if at == team);
    let executes = |other: &usize| threads.get(*other).is_some_and(|thread| !at_barrier(thread));
    (gathering.gone == 0).then(|| gathering.elsewhere.into_iter().filter(executes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Held, Membership, Place, ResourceKind, TaskWait, Turn};

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
        assert!(Rc::ptr_eq(&graph.conditions[0], &graph.conditions[1]));
        assert_eq!(*graph.conditions[0], [Condition::Certain(2)]);
        assert!(graph.conditions[3..].iter().all(|conditions| **conditions == [Condition::Anyone]));
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
