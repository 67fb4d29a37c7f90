//! Findings, waits and places in words.

use std::time::Duration;

use symbols::{ConstructKind, Name, brief};

use crate::finding::{Finding, Pending};
use crate::interpreter;
use crate::model::{Frame, Look, Part, Resource, TaskWait, Thread, Turn, Wait};
pub use crate::phrases::{label, resource, wait};
use crate::reasons;

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its kind, as in JSON.
    pub kind: &'static str,
    /// One line.
    pub title: String,
    /// One line for each thread that is involved.
    pub lines: Vec<String>,
    /// The threads that are involved.
    pub threads: Vec<usize>,
}

/// Function, file and line of a name.
pub fn place(name: &Name) -> String {
    let function = brief(&name.function);
    match &name.file {
        Some(file) if name.line > 0 => {
            format!("{}:{} in {function}", file.rsplit('/').next().unwrap_or(file), name.line)
        }
        _ => function.to_owned(),
    }
}

/// The construct that a function is the body of.
pub fn body(name: &Name) -> Option<String> {
    let construct = name.construct.as_ref()?;
    let kind = match construct.kind {
        ConstructKind::Parallel => "parallel",
        ConstructKind::Task => "task",
        ConstructKind::Other => return None,
    };
    Some(if construct.line > 0 { format!("{kind}, line {}", construct.line) } else { kind.to_owned() })
}

/// The innermost place in the program, outside of the C++ library's headers if there is one.
pub fn innermost(thread: &Thread) -> Option<&Name> {
    authors(thread.stack.iter().filter(|frame| frame.part == Part::Program).flat_map(|frame| &frame.names))
}

/// The first name outside of the C++ library's headers and of procedure linkage tables, if there is one.
pub(crate) fn authors<'n>(names: impl Iterator<Item = &'n Name> + Clone) -> Option<&'n Name> {
    let is_authors = |name: &&Name| match &name.file {
        Some(file) => !file.contains("/include/c++/") && !file.contains("/bits/"),
        None => !name.function.ends_with("@plt"),
    };
    names.clone().find(is_authors).or_else(|| names.into_iter().next())
}

/// Place of the call of exit(), if the thread runs exit handlers.
fn exit_place(thread: &Thread) -> Option<String> {
    let exit = thread.exit_frame()?;
    thread.stack.iter().skip(exit).find_map(|frame| frame.names.first()).map(place)
}

/// A time in words.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=9 => format!("{:.1} s", time.as_secs_f64()),
        10..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

/// The time for which threads have been asleep, to be appended to their wait; empty if it isn't known.
pub fn since(asleep_for: Option<Duration>) -> String {
    asleep_for.map(|time| format!(", for {}", duration(time))).unwrap_or_default()
}

/// A thread's wait with its place and time.
pub fn sentence(thread: &Thread) -> String {
    let place = innermost(thread).map(|name| format!(", {}", place(name))).unwrap_or_default();
    let exit = exit_place(thread).map(|place| format!(", in exit() called at {place}")).unwrap_or_default();
    format!("{} {}{place}{exit}{}", label(thread), wait(thread), since(thread.asleep_for))
}

/// Finding in words.
pub fn finding(look: &Look, finding: &Finding) -> Description {
    match finding {
        Finding::Cycle(threads) => cycle(look, threads),
        Finding::Left { there, gone, .. } => {
            let (members, have) = if *gone == 1 { ("one thread", "has") } else { ("threads", "have") };
            let count = if *gone == 1 { String::new() } else { format!("{gone} ") };
            let title = format!("A barrier that not all reach: {count}{members} of the team {have} left the region");
            described(look, "member-left", title, there)
        }
        Finding::Forked { there, size, .. } => {
            let team = size.map_or_else(|| "its team's other threads".to_owned(), |size| format!("a team of {size}"));
            let title = format!(
                "A forked child waits for threads that it does not have: fork() copies the calling thread alone, and the runtime's \
                 record of {team} with it"
            );
            let mut description = described(look, "forked", title, there);
            description.lines.push(
                "cures: start the process without fork, or exec a program in it (`spawn` or `forkserver` in Python's multiprocessing); no \
                 parallel region in the parent before the fork; or omp_set_num_threads(1) in the child"
                    .to_owned(),
            );
            description
        }
        Finding::Unopened { there, .. } => {
            let title = "All threads are at a barrier, which waits for a task that does not end: is omp_fulfill_event missing, or a \
                         dependence unfulfilled?";
            described(look, "barrier-unopened", title.to_owned(), there)
        }
        Finding::Barrier(threads) => {
            let title = "Threads wait at a barrier, and no other thread runs that could reach it";
            described(look, "barrier-incomplete", title.to_owned(), threads)
        }
        Finding::Turn(Turn::Ordered, threads) => {
            let title = "Threads wait for their turn in an ordered loop, and no thread runs that has the turn";
            described(look, "ordered", title.to_owned(), threads)
        }
        Finding::Turn(Turn::Doacross, threads) => {
            let title = "Threads wait for iterations of a doacross loop that no thread executes";
            described(look, "doacross", title.to_owned(), threads)
        }
        Finding::TaskCycle(kind, threads) => {
            let wait = match kind {
                TaskWait::Taskwait => "A taskwait",
                TaskWait::Taskgroup => "A taskgroup",
                TaskWait::Dependence => "A dependence",
            };
            circle(look, "task-cycle", format!("{wait} waits for a task that waits for the same thread"), threads)
        }
        Finding::Tasks(kind, threads) => {
            let (kind, title) = reasons::tasks(look, *kind, threads);
            described(look, kind, title, threads)
        }
        Finding::Taskyield(threads) => described(look, "taskyield", reasons::taskyield(look, threads), threads),
        Finding::Unreleased(wanted, threads) => {
            described(look, "not-released", reasons::unreleased(look, wanted, threads), threads)
        }
        Finding::Runtime(entry, threads) => {
            let entry = if entry.is_empty() { "the OpenMP runtime" } else { entry };
            let title = format!("Threads wait in {entry}, and no thread runs that could end that");
            described(look, "runtime", title, threads)
        }
        Finding::Outside(thread) => {
            let function = look.threads.get(*thread).and_then(|thread| match &thread.wait {
                Wait::Outside(outside) => Some(format!(", in {}(),", outside.function)),
                _ => None,
            });
            let title = format!(
                "A thread that others wait for in OpenMP waits outside of it{} for another one of the process, and none runs",
                function.unwrap_or_default()
            );
            described(look, "outside", title, &[*thread])
        }
    }
}

fn described(look: &Look, kind: &'static str, title: String, threads: &[usize]) -> Description {
    let lines = threads.iter().filter_map(|number| look.threads.get(*number)).map(sentence).collect();
    Description { kind, title, lines, threads: threads.to_vec() }
}

fn cycle(look: &Look, threads: &[usize]) -> Description {
    let all: Vec<&Thread> = threads.iter().filter_map(|number| look.threads.get(*number)).collect();
    let has = |is: fn(&Wait) -> bool| all.iter().any(|thread| is(&thread.wait));
    let only_mutexes = all.iter().all(|thread| matches!(thread.wait, Wait::Mutex(_)));
    let (kind, title) = match all.as_slice() {
        [thread @ Thread { wait: Wait::Mutex(wanted), .. }] => {
            let exit = "exit() was called inside of it, and a destructor or handler enters it again";
            let why = if thread.exit_frame().is_some() { format!(": {exit}") } else { String::new() };
            ("taken-twice", format!("A thread waits for {}, which it holds itself{why}", resource(wanted)))
        }
        _ if all.iter().any(|thread| interpreter::is_awaited(&thread.wait)) => {
            let title = reasons::interpreter(&all);
            ("interpreter-held", title)
        }
        _ if only_mutexes => ("lock-cycle", "Threads hold locks that the next one waits for: a circle".to_owned()),
        _ if all.iter().all(|thread| matches!(thread.wait, Wait::Barrier { .. })) => {
            let title = "Threads of a team wait at different barriers: not all of them execute the same ones. Loops, `sections` and \
                         `single` end with a barrier as well, unless they have `nowait`";
            ("barriers-differ", title.to_owned())
        }
        _ if has(|wait| matches!(wait, Wait::Turn(Turn::Ordered))) => (
            "ordered",
            "An ordered loop out of turn: a thread waits for its turn, and holds what the thread before it \
             needs"
                .to_owned(),
        ),
        _ if has(|wait| matches!(wait, Wait::Turn(Turn::Doacross))) => (
            "doacross",
            "A doacross loop out of turn: a thread waits for an iteration that needs what it holds".to_owned(),
        ),
        _ if has(|wait| matches!(wait, Wait::Barrier { .. })) => {
            let title = "A barrier that not all can reach: a thread waits for one that is at the barrier";
            ("barrier-incomplete", title.to_owned())
        }
        _ => ("wait-cycle", "Threads wait for each other".to_owned()),
    };
    circle(look, kind, title, threads)
}

fn circle(look: &Look, kind: &'static str, title: String, threads: &[usize]) -> Description {
    let all: Vec<&Thread> = threads.iter().filter_map(|number| look.threads.get(*number)).collect();
    let next = threads.iter().cycle().skip(1).filter_map(|number| look.threads.get(*number));
    let lines = all.iter().zip(next).map(|(thread, next)| format!("{}; {}", sentence(thread), because(thread, next)));
    Description { kind, title, lines: lines.collect(), threads: threads.to_vec() }
}

/// Role of the next thread in a thread's wait.
fn because(thread: &Thread, next: &Thread) -> String {
    let other = if thread.tid == next.tid { "this thread".to_owned() } else { label(next) };
    match &thread.wait {
        Wait::Mutex(wanted) => {
            let same = |held: &&crate::model::Held| {
                (held.resource.kind, held.resource.address) == (wanted.kind, wanted.address)
            };
            let held = next.holds.iter().find(same);
            let frame = || next.stack.get(held?.frame)?.names.last().map(|name| &name.function);
            let function = held.and_then(|held| held.function.as_ref()).or_else(frame);
            format!("{other} holds it{}", function.map(|name| format!(" in {}", brief(name))).unwrap_or_default())
        }
        Wait::Barrier { .. } => format!("{other} is not there"),
        Wait::Turn(_) => format!("{other} has to come first"),
        Wait::Tasks(_) => format!("{other} executes a task"),
        _ => format!("it waits for {other}"),
    }
}

/// Describes a wait for a thread that makes progress, or will.
pub fn pending(look: &Look, pending: &Pending) -> Option<String> {
    let thread = look.threads.get(pending.thread)?;
    let waiting = match pending.count {
        1 => format!("{} waits", label(look.threads.get(pending.first)?)),
        many => format!("{many} threads wait"),
    };
    let what = match &thread.wait {
        Wait::Outside(_) => "not a deadlock of OpenMP: ",
        _ => "",
    };
    let sentence = sentence(thread);
    let rest = sentence.strip_prefix(&label(thread)).unwrap_or_default();
    Some(format!("{what}{waiting} for {}, which{rest}", label(thread)))
}

/// A task that polls, in words.
pub fn polling(thread: &Thread) -> Option<String> {
    let place = innermost(thread).map(|name| format!(", {}", place(name))).unwrap_or_default();
    thread.polls.map(|_| {
        format!(
            "{} polls with `taskyield` in a task{place}: libgomp's taskyield executes no other task, so what it waits for can come \
             from another thread only",
            label(thread)
        )
    })
}

/// The thread that holds a mutex, as recorded in the mutex.
pub fn owner(look: &Look, thread: &Thread) -> Option<String> {
    let Wait::Mutex(Resource { owner: Some(owner), .. }) = &thread.wait else { return None };
    let holder = look.thread(*owner);
    Some(holder.map_or_else(|| format!("thread {owner}, which has ended,"), label))
}

/// Frames of the program, and those of exit(), the innermost first, with one line for each function with a name.
pub fn shown_frames(thread: &Thread) -> impl Iterator<Item = &Frame> {
    thread.stack.iter().filter(|frame| {
        let is_start = frame.names.last().is_none_or(|name| name.function == "_start");
        frame.is_exit() || frame.part == Part::Program && !is_start
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Barrier, Membership, Place};

    #[test]
    fn sentences_have_wait_place_and_time() {
        let name =
            Name { function: "work(int)".to_owned(), file: Some("/s/a.c".to_owned()), line: 7, ..Name::default() };
        let thread = Thread {
            tid: 70,
            asleep: true,
            asleep_for: Some(Duration::from_secs(12)),
            wait: Wait::Barrier { kind: Barrier::Explicit, team: Some(1) },
            place: Some(Place { teams: vec![Membership { team: 1, size: 2, number: 1 }] }),
            stack: vec![Frame { names: vec![name], ..Frame::default() }],
            ..Thread::default()
        };
        assert_eq!(sentence(&thread), "thread 1 (70) waits at a barrier, a.c:7 in work, for 12 s");
    }

    #[test]
    fn the_place_of_a_thread_is_the_call_although_it_is_in_the_linkage_table() {
        let named = |function: &str, file: Option<&str>| Frame {
            names: vec![Name {
                function: function.to_owned(),
                file: file.map(str::to_owned),
                line: 7,
                ..Name::default()
            }],
            ..Frame::default()
        };
        let stub = named("GOMP_taskyield@plt", None);
        let stack = vec![stub.clone(), named("poll", Some("/s/a.c"))];
        let place = |stack| innermost(&Thread { stack, ..Thread::default() }).map(place);
        assert_eq!(place(stack).as_deref(), Some("a.c:7 in poll"));
        assert_eq!(place(vec![stub]).as_deref(), Some("GOMP_taskyield@plt"));
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        let shown = [300, 9_900, 61_000, 600_000, 7_200_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(shown, ["0.3 s", "9.9 s", "61 s", "10 min", "2 h"]);
    }
}
