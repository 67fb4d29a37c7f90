//! Formats an event in one line, for `ora validate --trace`.

use std::fmt;

use validate_layout::event::{Chunk, Event, Frame, Word};

use crate::data_word::Shown;
use crate::engine::EventContext;

/// Display of an event and its context.
pub(crate) struct Line<'a>(pub(crate) &'a Event, pub(crate) &'a EventContext);

impl fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(event, EventContext { thread, answers, .. }) = self;
        write!(out, "thread {thread} {}{}", event.callback().name(), Arguments(event))?;
        let Some(answers) = answers else { return Ok(()) };
        write!(out, " | state {:#x}", answers.state)?;
        if answers.wait != 0 {
            write!(out, " wait {:#x}", answers.wait)?;
        }
        write!(out, " {}", shown(answers.thread))?;
        for task in &answers.tasks {
            write!(out, " [{}: {:#x} {}", task.known, task.flags, shown(task.task))?;
            write!(out, " in {} #{} {}]", shown(task.parallel), task.thread_num, Frames(task.frame))?;
        }
        for region in &answers.regions {
            write!(out, " <{}: {} of {}>", region.known, shown(region.parallel), region.size)?;
        }
        Ok(())
    }
}

fn shown(word: Option<Word>) -> Shown {
    Shown(word.map(|word| word.value))
}

struct Frames(Option<Frame>);

impl fmt::Display for Frames {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(f) => write!(out, "exit {:#x}/{:#x} enter {:#x}/{:#x}", f.exit, f.exit_flags, f.enter, f.enter_flags),
            None => out.write_str("no frame"),
        }
    }
}

/// Display of an event's arguments.
struct Arguments<'a>(&'a Event);

impl fmt::Display for Arguments<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_all(out)?;
        self.0.code().map_or(Ok(()), |code| write!(out, ", code {code:#x}"))
    }
}

impl Arguments<'_> {
    /// Writes all of them except for the return address.
    fn fmt_all(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Event::ThreadBegin { kind, thread } => write!(out, " kind {kind}, {}", shown(*thread)),
            Event::ThreadEnd { thread } => write!(out, " {}", shown(*thread)),
            Event::ParallelBegin { encountering, frame, parallel, requested, flags, .. } => write!(
                out,
                " by {} {}, {}, requested {requested}, flags {flags:#x}",
                shown(*encountering),
                Frames(*frame),
                shown(*parallel)
            ),
            Event::ParallelEnd { parallel, encountering, flags, .. } => {
                write!(out, " {} by {}, flags {flags:#x}", shown(*parallel), shown(*encountering))
            }
            Event::Work { kind, endpoint, parallel, task, count, .. } => {
                write!(out, " kind {kind} {} {} of {}, count {count}", End(*endpoint), shown(*task), shown(*parallel))
            }
            Event::Dispatch { parallel, task, kind, instance, chunk } => {
                write!(out, " kind {kind} {} of {}, instance {instance:#x}", shown(*task), shown(*parallel))?;
                match chunk {
                    Some(Chunk { start, iterations }) => write!(out, ": {iterations} from {start} on"),
                    None => Ok(()),
                }
            }
            Event::ImplicitTask { endpoint, parallel, task, actual, index, flags } => write!(
                out,
                " {} {} of {}, {index} of {actual}, flags {flags:#x}",
                End(*endpoint),
                shown(*task),
                shown(*parallel)
            ),
            Event::Masked { endpoint, parallel, task, .. } => {
                write!(out, " {} {} of {}", End(*endpoint), shown(*task), shown(*parallel))
            }
            Event::Sync { kind, endpoint, parallel, task, .. } => {
                write!(out, " kind {kind} {} {} of {}", End(*endpoint), shown(*task), shown(*parallel))
            }
            Event::MutexAcquire { kind, hint, implementation, wait, .. } => {
                write!(out, " kind {kind}, hint {hint:#x}, implementation {implementation}, wait id {wait:#x}")
            }
            Event::Mutex { kind, wait, .. } => write!(out, " kind {kind}, wait id {wait:#x}"),
            Event::NestLock { endpoint, wait, .. } => write!(out, " {} wait id {wait:#x}", End(*endpoint)),
            Event::Flush { thread, .. } => write!(out, " {}", shown(*thread)),
            Event::Cancel { task, flags, .. } => write!(out, " {}, flags {flags:#x}", shown(*task)),
            Event::ControlTool { command, modifier, argument, .. } => {
                write!(out, " command {command}, modifier {modifier}, argument {argument:#x}")
            }
            Event::Error { severity, .. } => write!(out, " severity {severity}"),
            Event::TaskCreate { .. }
            | Event::Dependences { .. }
            | Event::TaskDependence { .. }
            | Event::TaskSchedule { .. } => self.fmt_task(out),
        }
    }

    /// Writes the arguments of an explicit task's events.
    fn fmt_task(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Event::TaskCreate { encountering, frame, task, flags, has_dependences, .. } => write!(
                out,
                " by {} {}, {}, flags {flags:#x}, dependences {has_dependences}",
                shown(*encountering),
                Frames(*frame),
                shown(*task)
            ),
            Event::Dependences { task, dependences, count } => {
                write!(out, " {}, {count}:", shown(*task))?;
                dependences.iter().try_for_each(|one| write!(out, " {:#x}/{}", one.variable, one.kind))
            }
            Event::TaskDependence { source, sink } => write!(out, " {} before {}", shown(*source), shown(*sink)),
            Event::TaskSchedule { prior, status, next } => {
                write!(out, " from {} ({status}) to {}", shown(*prior), shown(*next))
            }
            _ => Ok(()),
        }
    }
}

/// Display of an endpoint. Like everything in this file, it doesn't allocate memory.
struct End(i32);

impl fmt::Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => out.write_str("begin"),
            2 => out.write_str("end"),
            3 => out.write_str("beginend"),
            other => write!(out, "endpoint {other}"),
        }
    }
}
