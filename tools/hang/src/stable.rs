//! Comparison of looks: a thread is settled if it has not run between them, or waits in a loop without making
//! progress.
//!
//! For threads that have not run at all, looks at different moments form one consistent picture. A thread that isn't settled counts
//! as running, and its locks as possible.

use std::io;
use std::thread;
use std::time::Duration;

use crate::finding::{Answer, Finding};
use crate::graph::Graph;
use crate::interpreter;
use crate::look::Observer;
use crate::model::{Look, Part, Thread, Wait};

/// Minimum number of looks at threads that wait without sleeping.
const LOOKS_AT_SPINNERS: usize = 6;
/// Maximum number of looks.
const MAX_LOOKS: usize = 20;
/// CPU time in which a thread that waits without sleeping has tested its condition many times.
const TESTED_NS: u64 = 2_000_000;
/// Number of turns on processors in which it has as well: one that yields has a few microseconds in each on a busy machine, and tests
/// at least once. Looks themselves cause some turns, at most two each.
const TESTED_TURNS: u64 = 50 + 2 * MAX_LOOKS as u64;

/// Looks twice, with this time between; more often if threads that seem stuck don't sleep. Returns the last look, in which threads
/// that aren't settled wait for nothing.
///
/// # Errors
/// If the process is gone, or may not be inspected.
pub fn settled(observer: &mut Observer, between: Duration) -> io::Result<Look> {
    let first = settled_by(observer, between)?;
    let is_unknown = |finding: &Finding| match finding {
        Finding::Unreleased(wanted, _) => wanted.address.is_some(),
        Finding::Runtime(..) => true,
        _ => false,
    };
    let answer = Answer::of(&first);
    let hides = |(thread, stuck): (&Thread, &bool)| *stuck && thread.has_hidden;
    let has_hidden = !answer.findings.is_empty() && first.threads.iter().zip(&Graph::of(&first).stuck).any(hides);
    if !has_hidden && !answer.findings.iter().any(is_unknown) {
        return Ok(first);
    }
    observer.read_registers();
    // This look stops threads, which makes them run.
    observer.look()?;
    settled_by(observer, between)
}

fn settled_by(observer: &mut Observer, between: Duration) -> io::Result<Look> {
    let mut looks = vec![observer.look()?];
    loop {
        thread::sleep(between);
        looks.push(observer.look()?);
        let settled = settle(&looks);
        let graph = Graph::of(&settled);
        let stuck = settled.threads.iter().zip(&graph.stuck).filter(|(_, stuck)| **stuck).map(|(thread, _)| thread);
        let mut spinners = stuck.filter(|thread| !thread.asleep || interpreter::is_awaited(&thread.wait)).peekable();
        if spinners.peek().is_none() {
            return Ok(settled);
        }
        let spinners: Vec<&Thread> = spinners.collect();
        let tested = spinners.iter().all(|thread| has_tested(&looks, thread));
        if looks.len() >= least_looks(&spinners) && tested {
            return Ok(settled);
        }
        if looks.len() >= MAX_LOOKS {
            return Ok(without_spinners(settled));
        }
    }
}

/// Minimum number of looks at these threads that wait without sleeping. Threads that wait for tasks, and execute small ones, are in the
/// runtime at most looks.
fn least_looks(spinners: &[&Thread]) -> usize {
    let is_for_tasks = |thread: &&Thread| matches!(thread.wait, Wait::Tasks(_));
    if spinners.iter().any(is_for_tasks) { MAX_LOOKS } else { LOOKS_AT_SPINNERS }
}

/// True if a thread has run for long enough, or often enough, between the first look and this one.
fn has_tested(looks: &[Look], thread: &Thread) -> bool {
    let first = looks.first().and_then(|look| look.thread(thread.tid));
    // If the kernel doesn't report it, the number of looks has to suffice.
    first.and_then(|first| first.ran).zip(thread.ran).is_none_or(|(before, now)| {
        now.cpu_ns.saturating_sub(before.cpu_ns) >= TESTED_NS || now.times.saturating_sub(before.times) >= TESTED_TURNS
    })
}

/// The look, with awake threads taken for running.
fn without_spinners(mut look: Look) -> Look {
    for thread in look.threads.iter_mut().filter(|thread| !thread.asleep) {
        thread.wait = Wait::Nothing;
        thread.is_settled = false;
    }
    look
}

/// The last look, with only the waits of settled threads.
pub fn settle(looks: &[Look]) -> Look {
    let Some((last, before)) = looks.split_last() else { return Look::default() };
    let mut settled = last.clone();
    for thread in &mut settled.threads {
        // Nothing is known about a thread that awoke and could not be read.
        let is_unread = !thread.asleep && thread.is_cut && thread.stack.is_empty();
        thread.is_settled = true;
        let is_same = |look: &Look| look.thread(thread.tid).is_some_and(|it| same(it, thread));
        if is_unread || !before.iter().all(is_same) {
            thread.wait = Wait::Nothing;
            thread.is_settled = false;
        }
    }
    settled
}

/// True if a thread has made no progress between two looks.
fn same(before: &Thread, after: &Thread) -> bool {
    let by_turns = interpreter::is_awaited(&after.wait);
    if before.asleep != after.asleep && !by_turns || before.wait != after.wait {
        return false;
    }
    if after.asleep
        && !by_turns
        && let (Some(before), Some(after)) = (before.ran, after.ran)
    {
        return before == after;
    }
    // Code that waits by turns is at another place of its wait each time.
    let inner = |thread: &Thread| match thread.polls {
        _ if by_turns => interpreter::caller(thread).unwrap_or(0),
        Some(polls) => polls + 1,
        None => 0,
    };
    let addresses = |thread: &Thread| -> Vec<u64> {
        let program = thread.stack.iter().skip(inner(thread)).filter(|frame| frame.part == Part::Program);
        program.map(|frame| frame.address).collect()
    };
    before.witness == after.witness && addresses(before) == addresses(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Frame, Ran, TaskWait};

    fn sleeper(times: u64) -> Thread {
        let ran = Some(Ran { cpu_ns: 5, times });
        Thread { tid: 1, asleep: true, ran, wait: Wait::Tasks(TaskWait::Taskwait), ..Thread::default() }
    }

    fn wait_of(looks: &[Thread]) -> Wait {
        let looks: Vec<Look> = looks.iter().map(|it| Look { threads: vec![it.clone()], ..Look::default() }).collect();
        settle(&looks).threads[0].wait.clone()
    }

    #[test]
    fn a_sleeper_that_has_not_run_is_settled() {
        assert_eq!(wait_of(&[sleeper(2), sleeper(2)]), Wait::Tasks(TaskWait::Taskwait));
        assert_eq!(wait_of(&[sleeper(2), sleeper(3)]), Wait::Nothing);
    }

    #[test]
    fn a_spinner_is_settled_as_long_as_its_witness_stays() {
        let spinner = |witness: u8, address: u64| Thread {
            asleep: false,
            witness: vec![witness],
            stack: vec![Frame { address, ..Frame::default() }],
            ..sleeper(u64::from(witness))
        };
        assert_eq!(wait_of(&[spinner(1, 8), spinner(1, 8)]), Wait::Tasks(TaskWait::Taskwait));
        assert_eq!(wait_of(&[spinner(1, 8), spinner(2, 8)]), Wait::Nothing);
        assert_eq!(wait_of(&[spinner(1, 8), spinner(1, 9)]), Wait::Nothing);
        assert_eq!(wait_of(&[sleeper(1), spinner(1, 8)]), Wait::Nothing);
    }

    #[test]
    fn a_spinner_has_tested_its_condition_by_its_time_or_by_its_turns() {
        let look = |cpu_ns, times| Thread { ran: Some(Ran { cpu_ns, times }), ..Thread::default() };
        let has_tested = |now: &Thread| has_tested(&[Look { threads: vec![look(5, 3)], ..Look::default() }], now);
        assert!(!has_tested(&look(TESTED_NS, TESTED_TURNS)));
        assert!(has_tested(&look(TESTED_NS + 5, 3)) && has_tested(&look(5, TESTED_TURNS + 3)));
        assert!(has_tested(&Thread { tid: 1, ..look(5, 3) }) && has_tested(&Thread::default()));
    }

    #[test]
    fn threads_that_look_for_tasks_are_looked_at_more_often_than_others_that_spin() {
        let waits = |wait| Thread { wait, ..Thread::default() };
        let (tasks, barrier) = (waits(Wait::Tasks(TaskWait::Taskwait)), waits(Wait::Idle));
        assert_eq!([least_looks(&[&barrier, &tasks]), least_looks(&[&barrier])], [MAX_LOOKS, LOOKS_AT_SPINNERS]);
    }

    #[test]
    fn a_thread_that_is_new_is_not_settled() {
        let new = Look { threads: vec![sleeper(1)], ..Look::default() };
        assert_eq!(settle(&[Look::default(), new]).threads[0].wait, Wait::Nothing);
    }
}
