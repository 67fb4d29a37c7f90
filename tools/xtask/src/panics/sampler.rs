//! Proves from the machine code that the signal handler of `ora profile` calls nothing that a handler must not.
//!
//! Looked at: everything that the handler and the callbacks of the collector get to. None of it panics, allocates, waits for a
//! lock or touches a lazy thread-local, and of other libraries' functions it calls those that are listed here only. Calls of
//! what was looked up at the start go through a register, and are not seen: of these there are `clock_gettime`, `sigaction`
//! and `__omp_collector_api`.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::image::{Image, Target};
use super::rules::{self, Allowed, Fault};
use crate::workspace;

const LIBRARY: &str = "release/libora_profiler.so";
/// Where threads come in from signals and events.
const ENTRIES: [&str; 4] = [
    "ora_profiler::handler::entry",
    "ora_profiler::session::on_fork",
    "ora_profiler::session::on_join",
    "ora_profiler::waits::on_wait",
];

/// The begin of a thread, which is not in a handler: it may call more.
const BEGIN: &str = "ora_profiler::threads::Thread::begin";

/// Functions that may do one thing.
const ALLOWED: &[Allowed] = &[
    Allowed {
        start: "gimli::read::cfi::parse_encoded_value",
        fault: Fault::Panic,
        reason: "for an encoding that there isn't: refused when a header, a CIE or an augmentation is parsed",
    },
    Allowed {
        start: "gimli::read::cfi::FrameDescriptionEntry<R>::unwind_info_for_address",
        fault: Fault::Panic,
        reason: "for an empty stack of rows: `reset` puts one there, and the last one is not taken away",
    },
    Allowed {
        start: "gimli::read::cfi::UnwindTable<R,S>::next_row",
        fault: Fault::Panic,
        reason: "for an empty stack of rows, or a rule to be removed that isn't there: it was found before",
    },
    Allowed {
        start: "gimli::read::util::ArrayVec<A>::pop",
        fault: Fault::Panic,
        reason: "for a length beyond the array: no value is added to a full one",
    },
    Allowed {
        start: "<gimli::read::cfi::UnwindTableRow<T,S> as core::clone::Clone>::clone",
        fault: Fault::Panic,
        reason: "for a copy that has no room: both have the same room",
    },
    Allowed {
        start: "gimli::read::op::Evaluation<R,S>::evaluate_internal",
        fault: Fault::Panic,
        reason: "for DW_OP_pick beyond the stack: the place is compared with its length before",
    },
    Allowed {
        start: "ora_profiler::expression::value",
        fault: Fault::Panic,
        reason: "for an initial value after the begin, or a result before the end: it comes first, and is asked for last",
    },
];

/// Functions of the C library: async-signal-safe (signal-safety(7)), or as safe, because they only read or write their
/// arguments' memory or the thread's own.
const IMPORTS: &[&str] = &[
    "syscall",
    "getpid",
    "getppid",
    "getrlimit",
    "raise",
    "memcpy",
    "memmove",
    "memset",
    "bcmp",
    "__errno_location",
    "pthread_getspecific",
    // Where something would unwind, which nothing does that doesn't panic.
    "_Unwind_Resume",
];

/// Looks at the release build's library.
pub(crate) fn check(verbose: bool) -> Result<()> {
    let library: PathBuf = workspace::existing_library(Some(workspace::target().join(LIBRARY)))?;
    let image = Image::read(&library)?;
    let entries = ENTRIES.iter().map(|name| image.find(name)).collect::<Result<Vec<_>>>()?;
    let (reached, mut faults) = walk(&image, &entries);
    let (_, of_begin) = walk(&image, &[image.find(BEGIN)?]);
    faults.extend(of_begin.into_iter().filter(|(fault, _)| *fault != Fault::Unknown));
    if verbose {
        reached.iter().for_each(|target| println!("  looked at {}", image.name(target)));
    }
    for Allowed { start, fault, reason } in ALLOWED {
        println!("  allowed: {start} {fault}: {reason}");
    }
    for (fault, way) in &faults {
        println!("  {fault}: {}", way.join(" -> "));
    }
    if !faults.is_empty() {
        bail!("the handler of {} does what it may not", workspace::shown(&library));
    }
    println!("{} functions that the handler of {} gets to are safe in it", reached.len(), workspace::shown(&library));
    Ok(())
}

/// A fault, and the calls that lead there.
type Found = (Fault, Vec<String>);

/// What the functions get to, and the faults on the way that are not allowed.
fn walk(image: &Image, entries: &[usize]) -> (BTreeSet<Target>, Vec<Found>) {
    let mut reached: BTreeSet<Target> = entries.iter().map(|entry| Target::Own(*entry)).collect();
    let mut open: VecDeque<_> =
        reached.iter().map(|entry| (entry.clone(), vec![image.name(entry).to_owned()])).collect();
    let mut faults = Vec::new();
    while let Some((target, way)) = open.pop_front() {
        let Target::Own(index) = target else { continue };
        for next in image.functions.get(index).into_iter().flat_map(|function| &function.targets) {
            let name = image.name(next);
            let further = || [way.as_slice(), &[name.to_owned()]].concat();
            match fault(name, next) {
                // A guard aborts when something unwinds into it, which nothing does that doesn't panic.
                Some(Fault::Guard) => {}
                Some(fault) if is_allowed(fault, image.name(&target)) => {}
                Some(fault) => faults.push((fault, further())),
                None if name != BEGIN && reached.insert(next.clone()) => open.push_back((next.clone(), further())),
                None => {}
            }
        }
    }
    (reached, faults)
}

fn fault(name: &str, target: &Target) -> Option<Fault> {
    let unknown = matches!(target, Target::Import(_)) && !IMPORTS.contains(&name);
    rules::fault(name).or(unknown.then_some(Fault::Unknown))
}

fn is_allowed(fault: Fault, name: &str) -> bool {
    ALLOWED.iter().any(|allowed| allowed.fault == fault && name.starts_with(allowed.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panics::image::Function;

    #[test]
    fn faults_and_unknown_imports_are_found_with_their_way() {
        let import = |name: &str| Target::Import(name.to_owned());
        let functions: [(&str, Vec<Target>); 4] = [
            ("ora_profiler::handler::entry", vec![Target::Own(1), import("syscall@GLIBC_2.2.5")]),
            ("ora_profiler::f", vec![Target::Own(2), Target::Own(3), import("pthread_mutex_lock"), import("malloc")]),
            ("core::panicking::panic_fmt", vec![import("abort")]),
            ("ora_profiler::threads::Thread::begin", vec![import("pthread_getattr_np")]),
        ];
        let functions =
            functions.map(|(name, targets)| Function { name: name.to_owned(), targets: targets.into_iter().collect() });
        let (_, faults) = walk(&Image { functions: functions.into() }, &[0]);
        let last: BTreeSet<_> = faults.iter().map(|(fault, way)| (*fault, way.last().unwrap().as_str())).collect();
        let panic = (Fault::Panic, "core::panicking::panic_fmt");
        let (lock, malloc) = ((Fault::Unknown, "pthread_mutex_lock"), (Fault::Allocation, "malloc"));
        assert_eq!(last, BTreeSet::from([panic, lock, malloc]));
        assert_eq!(faults[0].1.len(), 3);
    }
}
