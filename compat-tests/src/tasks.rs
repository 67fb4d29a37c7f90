//! Rules for tasks, in every trace of a whole process.
//!
//! A task is created once (BEGIN_CREATE_TASK, then END_CREATE_TASK_IMM or _DEL) by the task that is its parent. It is executed at most once
//! (BEGIN_EXEC_TASK, BEGIN and END_FINISH_TASK), directly after a FETCHED_TASK if it was deferred. Events in between on that thread are
//! raised by the task, or by tasks that the thread executes while the task waits.

use std::collections::BTreeMap;

use crate::numbers::{event, state};
use crate::trace::{Record, Trace};

/// Creation of a task.
struct Creation {
    parent: u64,
    deferred: bool,
}

/// Reports each violation of the rules, as a sentence. If `cancelled`, some tasks may never run.
pub fn violations(trace: &Trace, cancelled: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut created: BTreeMap<u64, Creation> = BTreeMap::new();
    for r in trace.events().filter(|r| event::ends_creation(r.event)) {
        let creation = Creation { parent: r.creator, deferred: r.event == event::END_CREATE_DEL };
        if r.task == 0 || created.insert(r.task, creation).is_some() {
            found.push(format!("task {} was created before: {r:?}", r.task));
        }
    }
    let mut executed = BTreeMap::new();
    let forks: BTreeMap<u64, u64> =
        trace.events().filter(|r| r.event == event::FORK).map(|r| (r.prid, r.task)).collect();
    let fetching = trace.count(event::FETCHED) > 0;
    for (tid, records) in trace.threads() {
        let mut walk = Walk { created: &created, forks: &forks, implicit: None, open: Vec::new() };
        for (at, record) in records.iter().enumerate() {
            let next = records.iter().skip(at + 1).find(|next| next.event != event::FETCHED).copied();
            let before = at.checked_sub(1).and_then(|before| records.get(before));
            let is_fetched = before.is_some_and(|before| before.event == event::FETCHED);
            let fetches = |record: &Record| created.get(&record.task).is_some_and(|creation| creation.deferred);
            let is_begin = record.event == event::BEGIN_EXEC;
            if fetching && is_fetched != (is_begin && fetches(record)) {
                found.push(format!("thread {tid}: {record:?}: fetched from a queue, or not: {is_fetched}"));
            }
            if let Err(what) = walk.step(record, next) {
                found.push(format!("thread {tid}: {record:?}: {what}"));
                break;
            }
            if record.event == event::BEGIN_EXEC && executed.insert(record.task, tid).is_some() {
                found.push(format!("task {} is executed a second time: {record:?}", record.task));
            }
        }
        // The rules for every event check the rest.
        if let Some((_, _, task)) = walk.open.iter().find(|(begin, ..)| *begin == event::BEGIN_FINISH) {
            found.push(format!("thread {tid}: no END_FINISH_TASK of {task}"));
        }
    }
    let lost: Vec<u64> = created.keys().filter(|id| !executed.contains_key(id)).copied().collect();
    if !lost.is_empty() && !cancelled {
        found.push(format!("never executed: {lost:?}"));
    }
    found
}

/// Events of one thread, in order.
struct Walk<'a> {
    created: &'a BTreeMap<u64, Creation>,
    /// Task that encountered each region.
    forks: &'a BTreeMap<u64, u64>,
    /// Implicit or initial task at the bottom of the thread's stack, once it has raised an event.
    implicit: Option<u64>,
    /// Regions that it encountered, creations, executions: the event that started each, and the task that is current in it once that is
    /// known.
    open: Vec<(i32, Option<u64>, u64)>,
}

impl Walk<'_> {
    fn step(&mut self, r: &Record, next: Option<&Record>) -> Result<(), String> {
        match r.event {
            event::BEGIN_IDLE => {
                same("task in the pool", r.task, 0)?;
                self.implicit = Some(0);
            }
            event::END_IDLE => {
                same("parent of the implicit task", r.creator, *self.forks.get(&r.prid).ok_or("no such region")?)?;
                self.implicit = Some(r.task);
            }
            event::FORK => {
                self.current(r)?;
                self.open.push((r.event, None, r.task));
            }
            event::JOIN => {
                self.close(event::FORK)?;
                self.current(r)?;
            }
            event::BEGIN_CREATE => {
                self.current(r)?;
                self.open.push((r.event, Some(r.task), r.task));
            }
            event::END_CREATE_IMM | event::END_CREATE_DEL => {
                let creator = self.close(event::BEGIN_CREATE)?;
                let starts = next.is_some_and(|n| n.event == event::BEGIN_EXEC && n.task == r.task);
                if r.event == event::END_CREATE_IMM && !starts {
                    return Err("does not run at once".to_owned());
                }
                // A chunk of a taskloop is created when it starts, possibly on another thread.
                if !starts {
                    same("parent", r.creator, creator)?;
                }
            }
            event::BEGIN_EXEC => {
                let creation = self.created.get(&r.task).ok_or("was never created")?;
                same("parent", r.creator, creation.parent)?;
                if !creation.deferred {
                    same("a task that runs at once runs in its parent, whose id", self.top(), Some(r.creator))?;
                }
                self.open.push((r.event, Some(r.task), r.task));
            }
            event::BEGIN_FINISH => {
                self.current(r)?;
                same("task", self.close(event::BEGIN_EXEC)?, r.task)?;
                self.open.push((r.event, Some(r.task), r.task));
            }
            event::END_FINISH => same("task", self.close(event::BEGIN_FINISH)?, r.task)?,
            _ => self.current(r)?,
        }
        let wanted = match r.event {
            event::BEGIN_CREATE | event::END_CREATE_IMM | event::END_CREATE_DEL => state::TASK_CREATE,
            event::BEGIN_SUSPEND | event::END_SUSPEND => state::TASK_SUSPEND,
            event::BEGIN_EXEC if r.prid == 0 => state::SERIAL,
            event::BEGIN_EXEC => state::WORK,
            event::BEGIN_FINISH | event::END_FINISH => state::TASK_FINISH,
            _ => return Ok(()),
        };
        same("state", r.state, wanted)
    }

    /// Task that is current according to the thread's events so far, if known.
    fn top(&self) -> Option<u64> {
        self.open.last().map_or(self.implicit, |(_, task, _)| *task)
    }

    /// Checks that the current task raises the event. The first event of a region reveals its implicit task.
    fn current(&mut self, r: &Record) -> Result<(), String> {
        if let Some(task) = self.top() {
            return same("task", r.task, task);
        }
        match self.open.last_mut() {
            Some((_, task, met_by)) => {
                same("parent of the implicit task", r.creator, *met_by)?;
                *task = Some(r.task);
            }
            None => {
                same("parent of the initial task", r.creator, 0)?;
                self.implicit = Some(r.task);
            }
        }
        if r.task == 0 { Err("is raised by no task".to_owned()) } else { Ok(()) }
    }

    /// Checks an end event: it has to match the innermost event that is still open. Returns the task that raised that event.
    fn close(&mut self, begin: i32) -> Result<u64, String> {
        match self.open.pop() {
            Some((open, _, task)) if open == begin => Ok(task),
            other => Err(format!("closes {other:?}")),
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what} is {found:?}, not {wanted:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// thread, event, state, task, its parent
    type Row = (i32, i32, i32, u64, u64);

    /// A correct trace: in a region of two threads, the first one queues a task, which the second one runs in the barrier, and runs another
    /// task undeferred.
    const GOOD: [Row; 17] = [
        (1, event::FORK, state::OVHD, 1, 0),
        (2, event::BEGIN_IDLE, state::IDLE, 0, 0),
        (2, event::END_IDLE, state::OVHD, 3, 1),
        (1, event::BEGIN_CREATE, state::TASK_CREATE, 2, 1),
        (2, event::BEGIN_EBAR, state::EBAR, 3, 1),
        (2, event::BEGIN_EXEC, state::WORK, 4, 2),
        (1, event::END_CREATE_DEL, state::TASK_CREATE, 4, 2),
        (2, event::BEGIN_FINISH, state::TASK_FINISH, 4, 2),
        (2, event::END_FINISH, state::TASK_FINISH, 4, 2),
        (1, event::BEGIN_CREATE, state::TASK_CREATE, 2, 1),
        (1, event::END_CREATE_IMM, state::TASK_CREATE, 5, 2),
        (1, event::BEGIN_EXEC, state::WORK, 5, 2),
        (1, event::BEGIN_SUSPEND, state::TASK_SUSPEND, 5, 2),
        (1, event::END_SUSPEND, state::TASK_SUSPEND, 5, 2),
        (1, event::BEGIN_FINISH, state::TASK_FINISH, 5, 2),
        (1, event::END_FINISH, state::TASK_FINISH, 5, 2),
        (1, event::JOIN, state::OVHD, 1, 0),
    ];

    fn changed(change: impl FnOnce(&mut Vec<Row>)) -> Vec<String> {
        let mut rows = GOOD.to_vec();
        change(&mut rows);
        let record = |(seq, row): (usize, &Row)| Record {
            seq: seq as u64,
            tid: row.0,
            event: row.1,
            state: row.2,
            prid: u64::from(row.1 != event::BEGIN_IDLE),
            task: row.3,
            creator: row.4,
            ..Record::default()
        };
        let records = rows.iter().enumerate().map(record).collect();
        violations(&Trace { main: 1, records, ..Trace::default() }, false)
    }

    #[test]
    fn a_good_trace_breaks_no_rule() {
        assert_eq!(changed(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn whatever_is_changed_breaks_a_rule() {
        for (at, row) in GOOD.iter().enumerate() {
            // The rules for every event check the pairs of waits.
            if !matches!(
                row.1,
                event::BEGIN_EBAR | event::BEGIN_SUSPEND | event::END_SUSPEND | event::BEGIN_IDLE | event::JOIN
            ) {
                assert_ne!(changed(|rows| _ = rows.remove(at)), Vec::<String>::new(), "without row {at}");
            }
            assert_ne!(changed(|rows| rows[at].3 += 10), Vec::<String>::new(), "task of row {at}");
        }
        for at in [2, 3, 5, 6, 10, 11] {
            assert_ne!(changed(|rows| rows[at].4 += 10), Vec::<String>::new(), "parent of row {at}");
        }
        for at in (3..16).filter(|at| *at != 4) {
            assert_ne!(changed(|rows| rows[at].2 = state::OVHD), Vec::<String>::new(), "state of row {at}");
        }
    }
}
