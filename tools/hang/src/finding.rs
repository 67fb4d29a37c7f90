//! Reasons why threads are stuck, and waits for activities in progress.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cycles::{Paths, cycles};
use crate::graph::Graph;
use crate::model::{Barrier, Look, Outside, Part, Resource, TaskWait, Thread, Turn, Wait, WokenBy};

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Finding {
    /// Threads that wait for each other in a cycle; a single thread waits for what it holds itself.
    Cycle(Vec<usize>),
    /// A barrier of a team that members have left.
    Left {
        /// The team.
        team: u64,
        /// The threads at the barrier.
        there: Vec<usize>,
        /// Number of members that are no longer in the region.
        gone: usize,
    },
    /// Threads of a forked child at a barrier of a team with threads of the parent.
    Forked {
        /// The threads at the barrier.
        there: Vec<usize>,
        /// The team; `None` if not known.
        team: Option<u64>,
        /// Its size; `None` if not known.
        size: Option<u32>,
    },
    /// A barrier at which all members are, and which doesn't open: a task hasn't ended.
    Unopened {
        /// The team.
        team: u64,
        /// The threads at the barrier.
        there: Vec<usize>,
    },
    /// A barrier of a team that isn't known.
    Barrier(Vec<usize>),
    /// A thread that waits for tasks, one that executes a task, and those that it waits for, up to the first.
    TaskCycle(TaskWait, Vec<usize>),
    /// Threads that wait for their turn.
    Turn(Turn, Vec<usize>),
    /// Threads that wait for tasks.
    Tasks(TaskWait, Vec<usize>),
    /// Threads that poll with `taskyield`.
    Taskyield(Vec<usize>),
    /// Threads that wait for a resource whose holder isn't known.
    Unreleased(Resource, Vec<usize>),
    /// Threads that wait in another entry of the runtime.
    Runtime(String, Vec<usize>),
    /// A thread that waits outside OpenMP, for a thread that can't continue.
    Outside(usize),
}

/// A wait for an activity in progress, which is not a hang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The thread that the others wait for.
    pub thread: usize,
    /// The first thread that waits for it.
    pub first: usize,
    /// Number of threads that wait for it.
    pub count: usize,
}

/// Answer about a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Reasons of a hang; empty if there is none.
    pub findings: Vec<Finding>,
    /// Waits for activities in progress.
    pub pending: Vec<Pending>,
}

impl Answer {
    /// The answer for a settled look.
    pub fn of(look: &Look) -> Self {
        let graph = Graph::of(look);
        let mut findings: Vec<Finding> = cycles(&graph).into_iter().map(Finding::Cycle).collect();
        findings.extend(others(look, &graph, &findings));
        if !findings.iter().any(|finding| is_of_openmp(look, finding)) {
            findings.clear();
        }
        Self { findings, pending: pending(look, &graph) }
    }
}

/// True for a reason that involves OpenMP or a mutex. Threads that wait for each other's signals may also wait for
/// the system's.
fn is_of_openmp(look: &Look, finding: &Finding) -> bool {
    match finding {
        Finding::Runtime(..) => true,
        Finding::Cycle(threads) => {
            threads.iter().filter_map(|number| look.threads.get(*number)).any(|it| !matches!(it.wait, Wait::Outside(_)))
        }
        _ => true,
    }
}

/// The stuck threads whose reason is not a cycle.
fn others(look: &Look, graph: &Graph, cycles: &[Finding]) -> Vec<Finding> {
    let in_cycle: BTreeSet<usize> =
        cycles.iter().flat_map(|it| if let Finding::Cycle(all) = it { all.as_slice() } else { &[] }).copied().collect();
    // The threads that others wait for in OpenMP.
    let waited_for = waits(look, graph, |thread| !matches!(thread.wait, Wait::Outside(_)));
    let executes = |other: &usize| {
        graph.certain(*other).next().is_some() && look.threads.get(*other).is_some_and(Thread::executes_task)
    };
    // From the threads that execute a task to those that they wait for.
    let of_tasks = Paths::from(graph, (0..look.threads.len()).filter(executes));
    let mut barriers = BTreeSet::new();
    let mut found: Vec<Finding> = Vec::new();
    let mut known: HashMap<Finding, usize> = HashMap::new();
    let stuck = look.threads.iter().enumerate().filter(|(number, _)| graph.stuck.get(*number) == Some(&true));
    for (number, thread) in stuck.filter(|(number, _)| !in_cycle.contains(number)) {
        // For a thread that waits for certain others, the reason is theirs.
        let waits_for_others = graph.certain(number).next().is_some();
        let finding = match &thread.wait {
            wait if graph.orphans.get(number) == Some(&true) => {
                let team = if let Wait::Barrier { team, .. } = wait { *team } else { None };
                Some(Finding::Forked { there: Vec::new(), team, size: size_of_team(thread) })
            }
            // The others at this barrier have the same reason.
            Wait::Barrier { team: Some(team), kind } if barriers.insert((*team, *kind == Barrier::RegionEnd)) => {
                barrier(look, graph, *team, *kind)
            }
            Wait::Barrier { team: Some(_), .. } => None,
            Wait::Barrier { team: None, .. } if waits_for_others => None,
            Wait::Barrier { team: None, .. } => Some(Finding::Barrier(Vec::new())),
            Wait::Turn(turn) => Some(Finding::Turn(*turn, Vec::new())),
            Wait::Tasks(tasks) => Some(match of_tasks.to(number) {
                Some(path) => Finding::TaskCycle(*tasks, [number].into_iter().chain(path).collect()),
                None => Finding::Tasks(*tasks, Vec::new()),
            }),
            Wait::Taskyield => Some(Finding::Taskyield(Vec::new())),
            Wait::Mutex(resource) if !waits_for_others => Some(Finding::Unreleased(resource.clone(), Vec::new())),
            Wait::Runtime(entry) => Some(Finding::Runtime(entry.clone(), Vec::new())),
            Wait::Outside(_) if !waits_for_others && waited_for.contains_key(&number) => Some(Finding::Outside(number)),
            _ => None,
        };
        let Some(finding) = finding else { continue };
        let mut reason = finding.clone();
        if let Finding::Forked { size, .. } = &mut reason {
            *size = None;
        }
        let at = *known.entry(reason).or_insert_with(|| {
            found.push(finding);
            found.len() - 1
        });
        found.get_mut(at).into_iter().for_each(|known| join(known, number));
    }
    // A barrier of a team that isn't known waits for the threads that wait for tasks.
    if found.iter().any(|it| matches!(it, Finding::Tasks(..) | Finding::Taskyield(_))) {
        found.retain(|it| !matches!(it, Finding::Barrier(_)));
    }
    found
}

/// Size of the team whose barrier a thread is at; otherwise of its innermost one.
fn size_of_team(thread: &Thread) -> Option<u32> {
    let own = match thread.wait {
        Wait::Barrier { team: Some(team), .. } => thread.membership(team),
        _ => thread.place.as_ref()?.teams.first(),
    };
    Some(own?.size)
}

/// The reason of a barrier itself; `None` if it waits for threads that come as soon as they can.
fn barrier(look: &Look, graph: &Graph, team: u64, kind: Barrier) -> Option<Finding> {
    let gathering = graph.teams.gathering(&look.threads, team, kind);
    if gathering.gone > 0 {
        Some(Finding::Left { team, there: gathering.there, gone: gathering.gone })
    } else if gathering.elsewhere.is_empty() {
        Some(Finding::Unopened { team, there: gathering.there })
    } else {
        None
    }
}

fn join(finding: &mut Finding, number: usize) {
    match finding {
        Finding::Turn(_, all)
        | Finding::Tasks(_, all)
        | Finding::Unreleased(_, all)
        | Finding::Runtime(_, all)
        | Finding::Barrier(all)
        | Finding::Taskyield(all)
        | Finding::Forked { there: all, .. } => all.push(number),
        _ => {}
    }
}

/// Threads that are not stuck, and that others wait for: those that wait outside OpenMP, and those that run.
fn pending(look: &Look, graph: &Graph) -> Vec<Pending> {
    let is_free = |number: usize| graph.stuck.get(number) == Some(&false);
    let ends_chain = |number: usize, thread: &Thread| {
        is_free(number)
            && graph.group(number).is_some_and(|group| group.conditions.is_empty())
            && thread.stack.iter().any(|frame| frame.part == Part::Program)
    };
    let ends = |number: usize| look.threads.get(number).is_some_and(|thread| ends_chain(number, thread));
    waits(look, graph, |_| true).into_values().filter(|pending| ends(pending.thread)).collect()
}

/// Waits for each thread that certainly has to continue, of the others that are `counted`.
fn waits(look: &Look, graph: &Graph, counted: fn(&Thread) -> bool) -> BTreeMap<usize, Pending> {
    let mut waits: BTreeMap<usize, Pending> = BTreeMap::new();
    let is_counted = |first: &usize| look.threads.get(*first).is_some_and(counted);
    for group in graph.groups.iter().filter(|group| group.threads.first().is_some_and(is_counted)) {
        for thread in group.certain() {
            let Some(first) = group.threads.iter().copied().find(|other| *other != thread) else { continue };
            let count = group.threads.len() - usize::from(group.threads.binary_search(&thread).is_ok());
            let known = waits.entry(thread).or_insert(Pending { thread, first, count: 0 });
            known.first = known.first.min(first);
            known.count += count;
        }
    }
    waits
}

/// True for a wait that only a thread of the process can end.
pub fn is_by_threads(outside: &Outside) -> bool {
    !matches!(outside.by, WokenBy::World)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Held, Membership, Place, ResourceKind};

    fn lock(address: u64) -> Resource {
        Resource { kind: ResourceKind::Lock, address: Some(address), name: None, owner: None }
    }

    fn thread(wait: Wait, held: &[u64]) -> Thread {
        let holds = held
            .iter()
            .map(|address| Held { resource: lock(*address), frame: 0, call: None, function: None, is_certain: true })
            .collect();
        let stack = vec![crate::model::Frame::default()];
        Thread { wait, holds, stack, asleep: true, is_settled: true, ..Thread::default() }
    }

    fn member(number: u32, wait: Wait, held: &[u64]) -> Thread {
        let place = Place { teams: vec![Membership { team: 7, size: 3, number }] };
        Thread { place: Some(place), ..thread(wait, held) }
    }

    fn findings(threads: Vec<Thread>) -> Vec<Finding> {
        Answer::of(&Look { threads, ..Look::default() }).findings
    }

    fn at_barrier() -> Wait {
        Wait::Barrier { kind: Barrier::Explicit, team: Some(7) }
    }

    #[test]
    fn two_locks_taken_in_different_orders_are_one_cycle() {
        let threads = vec![
            thread(Wait::Mutex(lock(1)), &[2]),
            thread(Wait::Mutex(lock(2)), &[1]),
            thread(Wait::Mutex(lock(1)), &[]),
        ];
        assert_eq!(findings(threads), [Finding::Cycle(vec![0, 1])]);
    }

    #[test]
    fn a_lock_taken_twice_is_a_cycle_of_one() {
        assert_eq!(findings(vec![thread(Wait::Mutex(lock(1)), &[1])]), [Finding::Cycle(vec![0])]);
    }

    #[test]
    fn a_barrier_whose_last_thread_waits_for_a_lock_of_one_that_is_there_is_a_cycle() {
        let threads =
            vec![member(0, at_barrier(), &[1]), member(1, at_barrier(), &[]), member(2, Wait::Mutex(lock(1)), &[])];
        assert_eq!(findings(threads), [Finding::Cycle(vec![0, 2])]);
    }

    #[test]
    fn a_barrier_that_a_thread_has_left_names_those_that_wait() {
        let threads = vec![member(0, at_barrier(), &[]), member(1, at_barrier(), &[]), member(2, Wait::Idle, &[])];
        assert_eq!(findings(threads), [Finding::Left { team: 7, there: vec![0, 1], gone: 1 }]);
    }

    #[test]
    fn a_forked_childs_barrier_is_none_that_a_thread_has_left() {
        let of = |threads| Answer::of(&Look { threads, is_forked: true }).findings;
        let lacking = |there: &[usize]| [Finding::Forked { there: there.to_vec(), team: Some(7), size: Some(3) }];
        assert_eq!(of(vec![member(0, at_barrier(), &[])]), lacking(&[0]));
        // A member that the child's runtime has created.
        assert_eq!(of(vec![member(0, at_barrier(), &[]), member(2, at_barrier(), &[])]), lacking(&[0, 1]));
    }

    #[test]
    fn threads_at_a_barrier_wait_for_the_one_whose_task_does_not_end() {
        let awake = |wait| Thread { asleep: false, ..thread(wait, &[]) };
        let tasks = || awake(Wait::Tasks(TaskWait::Taskwait));
        let barrier = || awake(Wait::Barrier { kind: Barrier::Worksharing, team: None });
        assert_eq!(findings(vec![tasks(), barrier()]), [Finding::Tasks(TaskWait::Taskwait, vec![0])]);
        assert_eq!(findings(vec![tasks(), awake(Wait::Nothing)]), []);
    }

    #[test]
    fn a_lock_that_nobody_releases_is_named() {
        let threads = vec![thread(Wait::Mutex(lock(1)), &[]), thread(Wait::Mutex(lock(1)), &[])];
        assert_eq!(findings(threads), [Finding::Unreleased(lock(1), vec![0, 1])]);
    }

    #[test]
    fn threads_that_wait_for_signals_of_each_other_are_no_hang_of_openmp() {
        let outside = || Wait::Outside(Outside { function: "pthread_cond_wait".to_owned(), by: WokenBy::Threads });
        assert_eq!(findings(vec![thread(outside(), &[]), thread(outside(), &[])]), []);
    }

    #[test]
    fn a_thread_that_reads_is_what_the_others_wait_for() {
        let reads = Wait::Outside(Outside { function: "read".to_owned(), by: WokenBy::World });
        let threads = vec![member(0, at_barrier(), &[]), member(1, at_barrier(), &[]), member(2, reads, &[])];
        let answer = Answer::of(&Look { threads, ..Look::default() });
        assert_eq!(answer, Answer { findings: vec![], pending: vec![Pending { thread: 2, first: 0, count: 2 }] });
    }
}
