//! Rules for every trace of a whole process whose tool has registered for all events.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::{Tr2Record, Tr2Trace};
use super::walk::{Known, Region, Walk};

/// Reports each violation of the rules, as a sentence. If `cancelled`, constructs may be cancelled, so that some tasks never run.
pub fn violations(trace: &Tr2Trace, cancelled: bool) -> Vec<String> {
    violations_but(trace, cancelled, &[]).0
}

/// Reports each violation of the rules other than `forgiven`, and those rules of `forgiven` that were violated.
pub fn violations_but<'a>(
    trace: &Tr2Trace,
    cancelled: bool,
    forgiven: &'a [&'a str],
) -> (Vec<String>, BTreeSet<&'a str>) {
    let mut found = Vec::new();
    let mut broken = BTreeSet::new();
    let known = known(trace, &mut found);
    let mut implicit: BTreeSet<u64> = BTreeSet::new();
    for ((thread, _), records) in by_id(trace) {
        let mut walk = Walk::new(&known, forgiven);
        let wrong = records.iter().enumerate().find_map(|(at, r)| Some((r, walk.step(r, at == 0).err()?)));
        broken.extend(walk.broken.iter().copied());
        if let Some((record, what)) = wrong {
            found.push(format!("thread {thread}: {} {record:?}: {what}", record.name()));
            continue;
        }
        let again = walk.implicit.iter().find(|task| !implicit.insert(**task)).copied();
        again.into_iter().for_each(|task| found.push(format!("implicit task {task} began on two threads")));
        if let Some(at) = records.iter().position(|r| r.name() == "thread_end") {
            if records.iter().skip(at + 1).any(|r| r.name() != "runtime_shutdown") {
                found.push(format!("thread {thread} goes on after its end"));
            }
            found.extend(walk.finish().err().map(|what| format!("thread {thread}: {what}")));
        }
    }
    found.extend(teams(trace, &known));
    found.extend(locks(trace));
    if !cancelled {
        let ended: BTreeSet<u64> = trace.of("task_end").map(|r| r.arguments[0]).collect();
        let lost: Vec<_> = known.tasks.keys().filter(|task| !ended.contains(task)).collect();
        if !lost.is_empty() {
            found.push(format!("tasks that never end: {lost:?}"));
        }
    }
    let last = trace.records.iter().max_by_key(|r| r.seq);
    if trace.count("runtime_shutdown") != 1 || last.is_some_and(|r| r.name() != "runtime_shutdown") {
        found.push("the shutdown is not the last, and told once".to_owned());
    }
    (found, broken)
}

/// Callbacks of each thread, by the interface's thread id, which an ended thread may have had before, and the system's.
fn by_id(trace: &Tr2Trace) -> BTreeMap<(u64, i32), Vec<&Tr2Record>> {
    let mut threads: BTreeMap<(u64, i32), Vec<&Tr2Record>> = BTreeMap::new();
    trace.records.iter().for_each(|r| threads.entry((r.thread, r.tid)).or_default().push(r));
    threads
}

fn known(trace: &Tr2Trace, found: &mut Vec<String>) -> Known {
    let mut known = Known::default();
    for r in trace.of("parallel_begin") {
        let [parent, _, id, requested, _] = r.arguments;
        if known.regions.insert(id, Region { parent, around: r.regions[0], requested }).is_some() {
            found.push(format!("region {id} began before: {r:?}"));
        }
    }
    let mut ids: BTreeSet<u64> = trace.of("initial_task_begin").map(|r| r.arguments[0]).collect();
    ids.extend(trace.of("implicit_task_begin").map(|r| r.arguments[1]));
    for r in trace.of("task_begin") {
        let [parent, _, task, ..] = r.arguments;
        if !ids.insert(task) || known.tasks.insert(task, parent).is_some() {
            found.push(format!("task {task} began before: {r:?}"));
        }
    }
    // Both begin events have the new id at the same place among their arguments.
    for what in ["parallel", "task"] {
        let begun: BTreeSet<u64> = trace.of(&format!("{what}_begin")).map(|r| r.arguments[2]).collect();
        let mut ended = BTreeSet::new();
        for r in trace.of(&format!("{what}_end")) {
            let id = r.arguments[0];
            if !begun.contains(&id) || !ended.insert(id) {
                found.push(format!("{what} {id} ends without a begin, or again: {r:?}"));
            }
        }
    }
    // An id is reused only after its thread has ended.
    let mut threads: BTreeMap<u64, (i32, BTreeSet<i32>)> = BTreeMap::new();
    for r in &trace.records {
        let (owner, gone) = threads.entry(r.thread).or_insert((r.tid, BTreeSet::new()));
        if *owner != r.tid {
            gone.insert(*owner);
            *owner = r.tid;
        }
        if r.thread == 0 || gone.contains(&r.tid) {
            found.push(format!("thread id {} is none's, or another's: {r:?}", r.thread));
        }
    }
    known
}

/// Checks teams: a region has as many implicit tasks as its team has threads, and no more than were requested.
fn teams(trace: &Tr2Trace, known: &Known) -> Vec<String> {
    let mut teams: BTreeMap<u64, Vec<&Tr2Record>> = BTreeMap::new();
    trace.of("implicit_task_begin").for_each(|r| teams.entry(r.arguments[0]).or_default().push(r));
    let mut found = Vec::new();
    for (id, region) in &known.regions {
        let members = teams.get(id).map_or(&[][..], Vec::as_slice);
        let sizes: BTreeSet<i32> = members.iter().map(|r| r.size).collect();
        let size = i32::try_from(members.len()).unwrap_or(i32::MAX);
        if sizes != BTreeSet::from([size]) || members.len() as u64 > region.requested {
            found.push(format!("region {id} of {} has {size} members, who say {sizes:?}", region.requested));
        }
    }
    found
}

/// Checks locks: a lock that is destroyed was initialised by a routine of its kind and has not been destroyed since.
fn locks(trace: &Tr2Trace) -> Vec<String> {
    let mut records: Vec<&Tr2Record> = trace.records.iter().collect();
    records.sort_by_key(|r| r.seq);
    let mut alive: BTreeSet<(&str, u64)> = BTreeSet::new();
    let mut found = Vec::new();
    for r in records {
        let lock = |kind| (kind, r.arguments[0]);
        if let Some(kind) = r.name().strip_prefix("init_") {
            alive.insert(lock(kind));
        } else if let Some(kind) = r.name().strip_prefix("destroy_")
            && !alive.remove(&lock(kind))
        {
            found.push(format!("{} is destroyed, and was not initialized: {r:?}", r.arguments[0]));
        }
    }
    found
}
