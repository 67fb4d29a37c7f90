//! Titles of findings whose reason depends on what else is known.

use crate::interpreter;
use crate::model::{Look, Resource, ResourceKind, TaskWait, Thread, Wait};
use crate::phrases::{label, resource, wait};

/// Kind and title for threads that wait for tasks.
pub(crate) fn tasks(look: &Look, kind: TaskWait, threads: &[usize]) -> (&'static str, String) {
    let (id, title) = match kind {
        TaskWait::Taskwait => ("taskwait", "A taskwait waits for a task that does not end"),
        TaskWait::Taskgroup => ("taskgroup", "A taskgroup waits for a task that does not end"),
        TaskWait::Dependence => ("task-dependence", "A task depends on one that does not end"),
    };
    let is_awake = |number: &usize| look.threads.get(*number).is_some_and(|thread| !thread.asleep);
    if threads.iter().any(is_awake) {
        let title = "Threads wait for tasks, and no thread executes one: either the event of a task with `detach` is never fulfilled (is \
                     omp_fulfill_event missing?), or the threads may not execute the tasks that are queued (task scheduling constraint, \
                     priorities)";
        return ("tasks-not-started", title.to_owned());
    }
    // Without symbols, a task looks like any other function.
    let may_execute = |thread: &Thread| {
        thread.executes_task()
            || !matches!(thread.wait, Wait::Tasks(_) | Wait::Barrier { .. } | Wait::Turn(_) | Wait::Idle)
    };
    let why = if look.threads.iter().any(may_execute) {
        ""
    } else {
        ", and no thread executes one: is omp_fulfill_event missing?"
    };
    (id, format!("{title}{why}"))
}

/// Threads that poll with `taskyield`. What is outside of the process may still end that.
pub(crate) fn taskyield(look: &Look, threads: &[usize]) -> String {
    let of = |number: &usize| look.threads.get(*number)?.place.as_ref()?.teams.first();
    let team = threads.first().and_then(of);
    let is_all = team.is_some_and(|team| {
        usize::try_from(team.size) == Ok(threads.len())
            && threads.iter().filter_map(of).all(|own| own.team == team.team)
    });
    let why = "poll with `taskyield`, which executes no other task in libgomp";
    let title = match threads.len() {
        1 if is_all => {
            format!("Livelock: the only thread of the team {}, so none is left", why.replacen("poll", "polls", 1))
        }
        count if is_all => format!("Livelock: all {count} threads of the team {why}, so none is left"),
        _ => format!("Livelock: threads {why}, and all others wait, so none is left"),
    };
    format!("{title} for a task that would end this: use a `depend` clause or `taskwait`")
}

/// Threads that wait for a resource that no thread releases.
pub(crate) fn unreleased(look: &Look, wanted: &Resource, threads: &[usize]) -> String {
    let exits = |number: &usize| look.threads.get(*number).is_some_and(|thread| thread.exit_frame().is_some());
    let holder = if threads.iter().any(exits) {
        "A thread has called exit(), whose destructors and handlers wait for it: it may have been held where exit() was called".to_owned()
    } else if let Some(owner) = wanted.owner {
        let where_to = if look.is_forked { "is not in this forked process, or has ended" } else { "has ended" };
        format!("It is recorded as held by thread {owner}, which {where_to}")
    } else if look.is_forked && look.threads.len() == 1 {
        "The process was forked, and fork() copies the calling thread alone: another thread of the parent may have held it then".to_owned()
    } else {
        format!("Its holder isn't known: {}", unknown_holder(wanted.kind))
    };
    format!("Nobody releases {}: no thread runs that could. {holder}", resource(wanted))
}

fn unknown_holder(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Lock => {
            "a thread may have ended with it, or kept it on a path that skips omp_unset_lock (`continue`, `return`, an exception), maybe one \
             that waits for it now"
        }
        ResourceKind::NestLock => {
            "a thread may have ended with it, or kept it on a path that skips omp_unset_nest_lock (`continue`, `return`, an exception)"
        }
        ResourceKind::Mutex | ResourceKind::ReadWriteLock => {
            "a thread may have kept it on a path that does not unlock it"
        }
        ResourceKind::Critical | ResourceKind::Atomic | ResourceKind::Interpreter => {
            "a thread may have ended inside of it, or have left it by an exception or longjmp()"
        }
    }
}

/// Threads that wait for each other, one of them for Python's interpreter. Each waits for the next one.
pub(crate) fn interpreter(threads: &[&Thread]) -> String {
    let cure = "release the GIL around the region (`nogil`, Py_BEGIN_ALLOW_THREADS)";
    let next = threads.iter().cycle().skip(1);
    let pair = threads.iter().zip(next).find(|(thread, _)| interpreter::is_awaited(&thread.wait));
    let Some((needs, holds)) = pair else { return format!("Deadlock on Python's GIL: {cure}") };
    let after = threads.iter().cycle().skip_while(|it| it.tid != holds.tid).nth(1).copied().unwrap_or(needs);
    let rest = if after.tid == needs.tid {
        format!("{}, which it waits for, needs the GIL", label(needs))
    } else {
        format!("{}, which has to come first, needs the GIL", label(needs))
    };
    format!("Deadlock on Python's GIL: {} holds it and {}; {rest}: {cure}", label(holds), wait(holds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Barrier, Membership, Place};

    fn member(number: u32, size: u32, wait: Wait) -> Thread {
        let place = Place { teams: vec![Membership { team: 7, size, number }] };
        Thread { tid: 70 + number, place: Some(place), wait, ..Thread::default() }
    }

    fn title(threads: Vec<Thread>, title: impl FnOnce(&Look) -> String) -> String {
        title(&Look { threads, ..Look::default() })
    }

    #[test]
    fn a_team_whose_threads_all_poll_is_told_from_one_with_threads_that_wait() {
        let poll = |size| (0..2).map(|number| member(number, size, Wait::Taskyield)).collect::<Vec<_>>();
        assert!(
            title(poll(2), |look| taskyield(look, &[0, 1]))
                .starts_with("Livelock: all 2 threads of the team poll with")
        );
        assert!(title(poll(3), |look| taskyield(look, &[0, 1])).contains("and all others wait"));
        let alone = title(vec![member(0, 1, Wait::Taskyield)], |look| taskyield(look, &[0]));
        assert!(alone.starts_with("Livelock: the only thread of the team polls with"), "{alone}");
    }

    #[test]
    fn a_lock_may_be_held_by_the_thread_that_waits_and_a_nestable_one_may_not() {
        let title = |kind, owner, is_forked| {
            let wanted = Resource { kind, address: Some(1), name: None, owner };
            let look = Look { threads: vec![member(0, 2, Wait::Mutex(wanted.clone())); 2], is_forked };
            unreleased(&look, &wanted, &[0])
        };
        assert!(title(ResourceKind::Lock, None, false).ends_with("maybe one that waits for it now"));
        assert!(!title(ResourceKind::NestLock, None, false).contains("waits for it now"));
        assert!(title(ResourceKind::Mutex, Some(9), false).ends_with("held by thread 9, which has ended"));
        assert!(title(ResourceKind::Mutex, Some(9), true).contains("not in this forked process"));
    }

    #[test]
    fn the_holder_of_pythons_interpreter_comes_first() {
        let gil = Resource { kind: ResourceKind::Interpreter, address: Some(0), name: None, owner: None };
        let (needs, holds) =
            (member(1, 2, Wait::Mutex(gil)), member(0, 2, Wait::Barrier { kind: Barrier::RegionEnd, team: Some(7) }));
        let wanted = "Deadlock on Python's GIL: thread 0 (70) holds it and waits at the end of its parallel region; thread 1 (71), which it waits \
                      for, needs the GIL: release";
        for pair in [[&needs, &holds], [&holds, &needs]] {
            assert!(interpreter(&pair).starts_with(wanted), "{}", interpreter(&pair));
        }
    }

    #[test]
    fn tasks_that_nobody_executes_have_two_possible_reasons_if_threads_look_for_them() {
        let waits = |asleep| Thread { asleep, ..member(0, 2, Wait::Tasks(TaskWait::Taskwait)) };
        let spinning = title(vec![waits(false)], |look| tasks(look, TaskWait::Taskwait, &[0]).1);
        assert!(spinning.contains("omp_fulfill_event") && spinning.contains("priorities"), "{spinning}");
        let of = |other| title(vec![waits(true), other], |look| tasks(look, TaskWait::Taskwait, &[0]).1);
        assert!(of(member(1, 2, Wait::Idle)).ends_with("is omp_fulfill_event missing?"));
        assert!(!of(member(1, 2, Wait::Nothing)).contains("omp_fulfill_event"), "it may execute the task");
    }
}
