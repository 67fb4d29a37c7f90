//! Check of one thread's callbacks, in order: tracks the current task and the open constructs.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers::state;
use super::trace::Tr2Record;

/// Parallel region, as `ompt_event_parallel_begin` describes it.
#[derive(Debug)]
pub struct Region {
    /// Task that encountered it.
    pub parent: u64,
    /// Enclosing region.
    pub around: u64,
    /// Number of threads requested.
    pub requested: u64,
}

/// Facts gathered from all threads.
#[derive(Debug, Default)]
pub struct Known {
    /// Regions, by id.
    pub regions: BTreeMap<u64, Region>,
    /// Explicit tasks, each with the task that created it.
    pub tasks: BTreeMap<u64, u64>,
}

/// Open construct of a thread: the event that started it, its arguments, and the task that was current.
#[derive(Debug, PartialEq, Eq)]
struct Open {
    event: &'static str,
    arguments: [u64; 2],
    task: u64,
}

/// State of a thread.
pub struct Walk<'a, 'f> {
    known: &'a Known,
    open: Vec<Open>,
    /// Tasks that the thread executes, innermost last, with their regions.
    tasks: Vec<(u64, u64)>,
    /// Task whose end was reported; the switch to the next task follows immediately.
    ended: Option<u64>,
    /// Mutexes that the thread owns, with the kind of each, and the nesting count of a nestable lock.
    held: Vec<(&'static str, u64, u32)>,
    /// Mutex that it waits for.
    awaited: Option<(&'static str, u64)>,
    /// Implicit tasks whose begin events were reported.
    pub implicit: BTreeSet<u64>,
    /// Rules that may be broken.
    forgiven: &'f [&'f str],
    /// Forgiven rules that were violated.
    pub broken: BTreeSet<&'f str>,
    is_worker: bool,
}

/// Constructs with events for their start and their end, which have region and task as arguments.
const SPANS: [&str; 13] = [
    "wait_barrier",
    "wait_taskwait",
    "wait_taskgroup",
    "loop",
    "sections",
    "single_in_block",
    "single_others",
    "workshare",
    "master",
    "barrier",
    "taskwait",
    "taskgroup",
    "implicit_task",
];

/// Spans in which the thread gets no other callback: it idles at a wait or in the pool.
const IDLING: [&str; 4] = ["wait_barrier", "wait_taskwait", "wait_taskgroup", "idle"];

/// Kinds of mutexes, with the events of acquisition and release.
const MUTEXES: [(&str, &str, &str); 5] = [
    ("lock", "acquired_lock", "release_lock"),
    ("nest_lock", "acquired_nest_lock_first", "release_nest_lock_last"),
    ("critical", "acquired_critical", "release_critical"),
    ("atomic", "acquired_atomic", "release_atomic"),
    ("ordered", "acquired_ordered", "release_ordered"),
];

type Verdict = Result<(), String>;

impl<'a, 'f> Walk<'a, 'f> {
    /// Creates the state of a thread that has reported nothing yet.
    pub fn new(known: &'a Known, forgiven: &'f [&'f str]) -> Self {
        Self {
            known,
            forgiven,
            broken: BTreeSet::new(),
            open: Vec::new(),
            tasks: Vec::new(),
            ended: None,
            held: Vec::new(),
            awaited: None,
            implicit: BTreeSet::new(),
            is_worker: false,
        }
    }

    /// Checks the next callback.
    ///
    /// # Errors
    /// The rule that it violates.
    pub fn step(&mut self, r: &Tr2Record, first: bool) -> Verdict {
        let name = r.name();
        same("is the thread's first callback", first, name == "thread_begin")?;
        if self.ended.is_some() && name != "task_switch" {
            return Err(format!("task {:?} has ended, and the thread goes on with nothing", self.ended));
        }
        // "A thread will not receive any event notification between begin and end notifications for idling" (3.2.1).
        let idles = self.open.last().filter(|open| IDLING.contains(&open.event));
        if let Some(idles) = idles.filter(|open| name != format!("{}_end", open.event) && name != "runtime_shutdown") {
            return Err(format!("comes in the middle of {}", idles.event));
        }
        match name {
            "thread_begin" | "thread_end" => self.thread(r)?,
            "idle_begin" | "idle_end" => self.idle(r)?,
            "initial_task_begin" | "initial_task_end" => self.initial_task(r)?,
            "parallel_begin" => self.begin_region(r)?,
            "parallel_end" => self.end_region(r)?,
            "task_begin" => self.create(r)?,
            "task_end" => {
                self.context(r)?;
                if r.arguments[0] == self.current().0 {
                    self.ended = Some(r.arguments[0]);
                }
            }
            "task_switch" => self.switch(r)?,
            "control" | "runtime_shutdown" => {}
            _ => self.construct(r)?,
        }
        self.state(r)
    }

    /// Checks a rule that may be forgiven.
    fn keeps(&mut self, rule: &str, kept: bool) -> Verdict {
        match self.forgiven.iter().find(|forgiven| **forgiven == rule) {
            _ if kept => Ok(()),
            Some(forgiven) => {
                self.broken.insert(forgiven);
                Ok(())
            }
            None => Err(format!("{rule}: no")),
        }
    }

    /// Checks that nothing is left open at the thread's end.
    ///
    /// # Errors
    /// The open constructs.
    pub fn finish(self) -> Verdict {
        if self.open.is_empty() && self.held.is_empty() && self.ended.is_none() {
            return Ok(());
        }
        Err(format!("at the end: open {:?}, held {:?}, ended {:?}", self.open, self.held, self.ended))
    }

    fn current(&self) -> (u64, u64) {
        self.tasks.last().copied().unwrap_or_default()
    }

    /// Checks that the entry points return the region and task that the preceding callbacks imply.
    fn context(&mut self, r: &Tr2Record) -> Verdict {
        let (task, region) = self.current();
        same("ompt_get_task_id(0)", r.tasks[0], task)?;
        same("ompt_get_parallel_id(0)", r.regions[0], region)?;
        same("there is a frame", r.frame != 0, task != 0)?;
        if task != 0 && self.tasks.len() == 1 && !self.is_worker {
            same("exit frame of an initial task", r.exit, 0)?;
        } else if task != 0 {
            let (rule, kept) = exit_frame_rule(r);
            self.keeps(rule, kept)?;
        }
        match self.tasks.len().checked_sub(2).and_then(|below| self.tasks.get(below)) {
            Some((below, _)) => same("ompt_get_task_id(1)", r.tasks[1], *below),
            None if self.is_worker => Ok(()),
            None => same("ompt_get_task_id(1)", r.tasks[1], 0),
        }
    }

    fn thread(&mut self, r: &Tr2Record) -> Verdict {
        same("thread id", r.arguments[1], r.thread)?;
        same("there is a type", (1..=3).contains(&r.arguments[0]), true)?;
        if r.name() == "thread_begin" {
            self.is_worker = r.arguments[0] == 2;
        } else {
            same("is a worker at its end", r.arguments[0] == 2, self.is_worker)?;
        }
        same("tasks of a worker outside of all regions", self.is_worker && r.tasks[0] != 0, false)
    }

    fn idle(&mut self, r: &Tr2Record) -> Verdict {
        same("thread id", r.arguments[0], r.thread)?;
        same("is a worker", self.is_worker, true)?;
        if r.name() == "idle_begin" {
            same("state", r.state, state("idle"))?;
            same("ids and size in the pool", (r.regions[0], r.tasks[0], r.size), (0, 0, -1))?;
            self.push("idle", [r.thread, 0]);
            return Ok(());
        }
        same("the team's size is known", r.size > 0, r.regions[0] != 0)?;
        self.keeps("the idle frame is known", r.idle != 0 || r.regions[0] == 0)?;
        self.pop("idle", [r.thread, 0])
    }

    fn initial_task(&mut self, r: &Tr2Record) -> Verdict {
        // A target region on the host device also has an initial task, inside the enclosing parallel region.
        let (around, region) = self.current();
        same("is a worker outside of all regions", self.is_worker && around == 0, false)?;
        if r.name() == "initial_task_begin" {
            self.push("initial_task", [r.arguments[0], 0]);
            self.tasks.push((r.arguments[0], region));
            return self.context(r);
        }
        self.context(r)?;
        self.tasks.pop();
        self.pop("initial_task", [r.arguments[0], 0])
    }

    fn begin_region(&mut self, r: &Tr2Record) -> Verdict {
        let [task, frame, region, requested, function] = r.arguments;
        self.context(r)?;
        same("task that met it", task, self.current().0)?;
        same("its frame", frame, r.frame)?;
        same("it has entered the runtime", r.reenter != 0, true)?;
        same("id and number are there", region != 0 && requested != 0, true)?;
        self.keeps("a region's function is there", function != 0)?;
        same("is in itself", r.regions[0] == region, false)?;
        self.push("parallel", [region, 0]);
        Ok(())
    }

    fn end_region(&mut self, r: &Tr2Record) -> Verdict {
        let [region, task, ..] = r.arguments;
        self.context(r)?;
        same("task that met it", task, self.current().0)?;
        self.pop("parallel", [region, 0])
    }

    fn create(&mut self, r: &Tr2Record) -> Verdict {
        let [parent, frame, task, function, _] = r.arguments;
        self.context(r)?;
        same("parent", parent, self.current().0)?;
        same("its frame", frame, r.frame)?;
        same("id and function are there", task != 0 && function != 0, true)
    }

    fn switch(&mut self, r: &Tr2Record) -> Verdict {
        let [suspended, resumed, ..] = r.arguments;
        let (current, region) = self.current();
        let ended = self.ended.take();
        same("suspended task", suspended, if ended.is_some() { 0 } else { current })?;
        let below = self.tasks.len().checked_sub(2).and_then(|at| self.tasks.get(at)).map(|(task, _)| *task);
        if ended.is_some() || below == Some(resumed) {
            self.tasks.pop();
            self.pop("task", [current, 0])?;
            same("resumed task", resumed, self.current().0)?;
        } else {
            same("the resumed task was created", self.known.tasks.contains_key(&resumed), true)?;
            self.push("task", [resumed, 0]);
            self.tasks.push((resumed, region));
        }
        self.context(r)
    }

    fn construct(&mut self, r: &Tr2Record) -> Verdict {
        let name = r.name();
        for span in SPANS {
            if let Some(which) = name.strip_prefix(span)
                && (which == "_begin" || which == "_end")
            {
                return self.span(r, span, which == "_begin");
            }
        }
        self.context(r)?;
        self.mutex(r)
    }

    fn span(&mut self, r: &Tr2Record, span: &'static str, begins: bool) -> Verdict {
        let [region, task, ..] = r.arguments;
        if begins && span == "implicit_task" {
            let begun = self.known.regions.get(&region).ok_or("of a region that never began")?;
            same("a task of this id began before", self.implicit.insert(task), true)?;
            same("task that met the region", r.tasks[1], begun.parent)?;
            same("region around it", r.regions[1], begun.around)?;
            self.push(span, [region, task]);
            self.tasks.push((task, region));
        } else if begins {
            self.push(span, [region, task]);
        }
        self.context(r)?;
        same("region and task", (region, task), (r.regions[0], r.tasks[0]))?;
        // A thread that reports late that it leaves a region finds the region gone.
        let late = !begins && self.is_worker && r.size == -1;
        same("the team's size is known", r.size > 0 || late, region != 0)?;
        if !begins {
            if span == "implicit_task" {
                self.tasks.pop();
            }
            return self.pop(span, [region, task]);
        }
        if ["loop", "sections", "single_in_block"].contains(&span) && region != 0 {
            return same("there is a function", r.arguments[2] != 0, true);
        }
        Ok(())
    }

    fn mutex(&mut self, r: &Tr2Record) -> Verdict {
        let (name, id) = (r.name(), r.arguments[0]);
        same("there is an id", id != 0, true)?;
        for (kind, acquired, released) in MUTEXES {
            if name.strip_prefix("wait_") == Some(kind) {
                same("state", r.state, state(name))?;
                same("wait id of the state", r.wait, id)?;
                self.awaited = Some((kind, id));
            } else if name == acquired {
                if let Some(awaited) = self.awaited.take() {
                    same("what was waited for", awaited, (kind, id))?;
                }
                same("the thread has it already", self.held.iter().any(|held| (held.0, held.1) == (kind, id)), false)?;
                self.held.push((kind, id, 1));
            } else if name == released {
                let held = self.held.iter().position(|held| *held == (kind, id, 1));
                self.held.remove(held.ok_or("the thread doesn't have it, or more than once")?);
            }
        }
        let nested = self.held.iter_mut().find(|held| (held.0, held.1) == ("nest_lock", id));
        match (name, nested) {
            ("acquired_nest_lock_next", Some(held)) => held.2 += 1,
            ("release_nest_lock_prev", Some(held)) if held.2 > 1 => held.2 -= 1,
            ("acquired_nest_lock_next" | "release_nest_lock_prev", _) => {
                return Err("the thread doesn't have it".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the state of the event.
    fn state(&self, r: &Tr2Record) -> Verdict {
        let wanted: &[&str] = match r.name() {
            "wait_barrier_begin" | "wait_barrier_end" | "barrier_begin" | "barrier_end" => {
                &["wait_barrier", "wait_barrier_implicit", "wait_barrier_explicit"]
            }
            "wait_taskwait_begin" | "wait_taskwait_end" | "taskwait_begin" | "taskwait_end" => &["wait_taskwait"],
            "wait_taskgroup_begin" | "wait_taskgroup_end" => &["wait_taskgroup"],
            "parallel_begin" | "parallel_end" => &["overhead"],
            // A worker that ends leaves the pool as well.
            "idle_end" => &[if r.regions[0] == 0 { "idle" } else { "overhead" }],
            "implicit_task_begin" | "loop_begin" => &["work_parallel", "work_serial"],
            _ => return Ok(()),
        };
        same("state is one that goes with the event", wanted.iter().any(|w| state(w) == r.state), true)
    }

    fn push(&mut self, event: &'static str, arguments: [u64; 2]) {
        self.open.push(Open { event, arguments, task: self.current().0 });
    }

    /// Checks an end event: it has to match the innermost event that is still open.
    fn pop(&mut self, event: &'static str, arguments: [u64; 2]) -> Verdict {
        let wanted = Open { event, arguments, task: self.current().0 };
        let open = self.open.pop();
        if open.as_ref() == Some(&wanted) { Ok(()) } else { Err(format!("ends {wanted:?} in {open:?}")) }
    }
}

/// Rule for the exit frame of the current task, and whether the record satisfies it.
fn exit_frame_rule(r: &Tr2Record) -> (&'static str, bool) {
    // The wait ids of other barriers count from 1.
    let at_last = r.name().contains("barrier_") && r.wait & 0xffff_ffff == 0xffff_ffff;
    let outside = at_last || matches!(r.name(), "implicit_task_begin" | "implicit_task_end");
    match r.name() {
        // On LLVM's runtimes an undeferred task keeps its frame a little longer. The task that continues may be at a barrier, and the
        // thread that executes a single region may already be there.
        "task_end" | "task_switch" | "single_in_block_end" => ("nothing", true),
        _ if outside => ("the task is in the runtime", r.exit == 0 || r.reenter != 0),
        _ if r.size == 1 => ("exit frame in a team of one", r.exit != 0),
        "loop_begin" | "loop_end" | "sections_begin" | "sections_end" => ("exit frame around shared work", r.exit != 0),
        _ => ("exit frame of a task", r.exit != 0),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Verdict {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?}, not {wanted:?}")) }
}

#[cfg(test)]
mod tests;
