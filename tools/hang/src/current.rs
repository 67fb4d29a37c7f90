//! Parallel regions that the threads of a process are in, for commands that have seen no event of it.

use std::collections::BTreeMap;

use symbols::{ConstructKind, Name, brief};
use terminal::quantity::count;

use crate::look::Observer;
use crate::model::{Look, Thread};

/// Names of runtimes' files.
const RUNTIMES: [&str; 3] = ["libgomp", "libomp", "libiomp5"];

/// Events that a process was watched for, in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// Of regions.
    Regions,
    /// Of tasks.
    Tasks,
}

/// Sentence, without its end, about what a process does that was watched without such an event.
pub fn without(events: Events, pid: u32, observer: &Observer, look: &Look) -> String {
    let objects = observer.objects();
    let loaded = objects.iter().filter(|object| RUNTIMES.iter().any(|name| object.is(name))).count();
    let c_libraries = objects.iter().filter(|object| object.name().starts_with("libc.so")).count();
    let more =
        format!("`ora attach {pid} profile` shows where its time goes, `ora hang {pid}` what each thread waits for");
    let regions = regions(look);
    let Some((place, threads)) = regions.iter().max_by_key(|(_, threads)| **threads) else {
        let why = match loaded {
            0 => "no OpenMP runtime is loaded in it as a library, and a static one can't be seen",
            _ if events == Events::Tasks => {
                "no task began while it was watched, and no thread is in a parallel region now"
            }
            _ => "no parallel region began while it was watched, and no thread is in one now",
        };
        return format!("{why}: {more}");
    };
    let threads = count(*threads as u64, "thread is", "threads are");
    let others = regions.len() - 1;
    let others = if others == 0 {
        String::new()
    } else {
        format!(", others in {}", count(others as u64, "more place", "more places"))
    };
    let inside = format!("{threads} in the parallel region {place}{others}");
    match (loaded, c_libraries) {
        (0, _) => format!("{inside}, of a static OpenMP runtime, whose events can't be seen: {more}"),
        (_, 2..) => format!(
            "{inside}. Libraries are loaded in a namespace of their own (dlmopen), where events can't be seen: {more}"
        ),
        _ if events == Events::Tasks => format!("{inside}. No task began while it was watched: {more}"),
        _ => format!("{inside}, which began before it was watched, and has not ended: {more}"),
    }
}

/// The innermost regions that threads execute, with the number of these.
fn regions(look: &Look) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for place in look.threads.iter().filter_map(region) {
        *found.entry(place).or_default() += 1;
    }
    found
}

fn region(thread: &Thread) -> Option<String> {
    let names = || thread.stack.iter().flat_map(|frame| &frame.names);
    let is_body = |name: &&Name| name.construct.as_ref().is_some_and(|it| it.kind == ConstructKind::Parallel);
    let body = names().find(is_body)?;
    let construct = body.construct.as_ref()?;
    let function = brief(&body.function);
    Some(match construct.file.as_deref().or(body.file.as_deref()) {
        Some(file) if construct.line > 0 => {
            format!("{function} at {}:{}", file.rsplit('/').next().unwrap_or(file), construct.line)
        }
        _ => format!("of {function}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frame;
    use symbols::Construct;

    #[test]
    fn the_innermost_region_of_each_thread_is_named_by_its_directive() {
        let body = |line| Name {
            function: "solve(int)".to_owned(),
            file: Some("/s/a.cc".to_owned()),
            line: line + 3,
            construct: Some(Construct { kind: ConstructKind::Parallel, line, file: None, call: None }),
            ..Name::default()
        };
        let frame = |name: Name| Frame { names: vec![name], ..Frame::default() };
        let work = Name { function: "work".to_owned(), ..Name::default() };
        let thread = |frames: Vec<Frame>| Thread { stack: frames, ..Thread::default() };
        let inside = || thread(vec![frame(work.clone()), frame(body(7)), frame(body(2))]);
        let threads = vec![inside(), inside(), thread(vec![frame(work.clone())]), thread(vec![frame(body(2))])];
        let found = regions(&Look { threads, ..Look::default() });
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("solve at a.cc:2".to_owned(), 1), ("solve at a.cc:7".to_owned(), 2)]
        );
    }
}
