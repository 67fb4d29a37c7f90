//! Proves from the machine code that what signal handlers call does nothing that is forbidden there.
//!
//! A proof covers all functions that its entries reach, in the library and in those that it is linked with. None of them panics, allocates,
//! waits for a lock or touches a lazy thread-local. They call only the listed functions of other libraries, and queries only the listed
//! ones through pointers. Functions that the profiler looked up at the start are called through a register, so these calls are not visible.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::image::{Image, Target};
use super::reach::{self, Found};
use super::rules::{self, Exception, Fault};
use crate::workspace;

/// Code that handlers call.
struct Proof {
    /// Description of the entries, for messages.
    what: &'static str,
    library: &'static str,
    /// Functions: prefixes of names, or their ends if these start with a space.
    entries: &'static [&'static str],
    /// Functions that are not followed.
    ends: &'static [&'static str],
    /// Faults that don't count.
    ignored: &'static [Fault],
    /// List of functions with an exception, and of functions of other libraries that may be called.
    allowed: &'static str,
}

const PROFILER: &str = "libora_profiler.so";
/// Start of a thread. In a handler, it omits what is forbidden there.
const BEGIN: &str = "ora_profiler::threads::begin";
/// Sets a pthread key's value at a thread's first event. Never called in a handler.
const HANG_UP: &str = "ora_profiler::threads::hang_up";
const OF_PROFILER: &str = include_str!("../../templates/sampler_panics.txt");

const PROOFS: [Proof; 3] = [
    // Queries of the collector's interface, of TR2 and of OpenMP 5.
    Proof {
        what: "queries",
        library: "libora.so",
        // The last ones are reached from other queries through pointers.
        entries: &[
            rules::ENTRY,
            "ompt_core::tr2::entry_points::ompt_get_",
            "ompt_core::tr2::entry_points::ompt_enumerate_",
            "ompt_core::v5::queries::",
            "ompt_core::v5::entry_points::get_",
            "ompt_core::v5::entry_points::enumerate_",
            "runtimes::ompt::entry_points::get_",
            " as ompt_core::adapter::Adapter>::in_parallel",
            " as ompt_core::adapter::Adapter>::tracks_tasks",
        ],
        // Requests that are not for handlers: START, REGISTER, UNREGISTER, STOP, PAUSE, RESUME.
        ends: &["ora::request::control"],
        ignored: &[],
        allowed: include_str!("../../templates/queries_panics.txt"),
    },
    // The handler of `ora profile`, and the callbacks of its collector.
    Proof {
        what: "the profiler's handler and callbacks",
        library: PROFILER,
        entries: &[
            "ora_profiler::handler::entry",
            "ora_profiler::session::on_fork",
            "ora_profiler::session::on_join",
            "ora_profiler::waits::on_wait",
        ],
        ends: &[BEGIN, HANG_UP],
        ignored: &[Fault::Pointer],
        allowed: OF_PROFILER,
    },
    Proof {
        what: "the profiler's start of a thread",
        library: PROFILER,
        entries: &[BEGIN],
        ends: &[BEGIN, HANG_UP],
        ignored: &[Fault::Pointer, Fault::Unknown],
        allowed: OF_PROFILER,
    },
];

/// Checks the libraries of the release build.
pub(super) fn check() -> Result<()> {
    for proof in &PROOFS {
        let image = Image::read(&workspace::product(proof.library)?)?;
        let allowed = rules::exceptions(proof.allowed);
        for (fault, start, reason) in allowed.iter().filter(|(fault, ..)| *fault != Fault::Unknown) {
            println!("  allowed: {start} {fault}: {reason}");
        }
        let (reached, faults) = proof.walk(&image, &allowed)?;
        for (fault, way) in &faults {
            println!("  {fault}: {}", way.join(" -> "));
        }
        ensure!(faults.is_empty(), "{} of {} do what a signal handler may not", proof.what, proof.library);
        println!("{} functions that {} of {} reach are safe in a handler", reached.len(), proof.what, proof.library);
    }
    Ok(())
}

impl Proof {
    /// Targets that the entries reach, and their faults. Fails if an entry is missing.
    fn walk<'a>(&self, image: &'a Image, allowed: &[Exception]) -> Result<(BTreeSet<Target>, Vec<Found<'a>>)> {
        let mut entries = BTreeSet::new();
        for wanted in self.entries {
            let is_one = |name: &str| name.starts_with(wanted) || wanted.starts_with(' ') && name.ends_with(wanted);
            entries.extend(image.find(wanted, is_one)?);
        }
        let fault = |way: &[&str], target: &Target| {
            let (from, name) = (way.last().copied().unwrap_or_default(), image.name(target));
            let fault = rules::fault(name).or(match target {
                Target::Import(_) => (!allowed.iter().any(|(fault, it, _)| (*fault, *it) == (Fault::Unknown, name)))
                    .then_some(Fault::Unknown),
                Target::Pointer => Some(Fault::Pointer),
                Target::Own(_) => None,
            })?;
            // A guard aborts if a panic unwinds into it; without a panic it has no effect.
            let is_ignored = fault == Fault::Guard || self.ignored.contains(&fault);
            (!is_ignored && rules::exception(allowed, from, fault).is_none()).then_some(fault)
        };
        Ok(reach::walk(image, entries, |name| self.ends.contains(&name), fault))
    }
}

#[cfg(test)]
mod tests {
    use super::super::image::Function;
    use super::*;

    #[test]
    fn faults_unlisted_imports_and_pointers_are_found_with_their_way() {
        let import = |name: &str| Target::Import(name.to_owned());
        let functions: [(&str, Vec<Target>); 5] = [
            ("entry", vec![Target::Own(1), import("syscall"), Target::Pointer]),
            ("f", vec![Target::Own(2), Target::Own(3), Target::Own(4), import("pthread_mutex_lock"), import("malloc")]),
            ("core::panicking::panic_fmt", vec![import("abort")]),
            ("begin", vec![import("pthread_getattr_np")]),
            ("g", vec![Target::Pointer]),
        ];
        let functions = functions.map(|(name, targets)| Function {
            name: name.to_owned(),
            targets: targets.into_iter().collect(),
            ..Function::default()
        });
        let image = Image { functions: functions.into() };
        let [queries, ..] = PROOFS;
        let proof = Proof { entries: &["entry"], ends: &["begin"], ..queries };
        let allowed = [(Fault::Pointer, "entry", "a reason"), (Fault::Unknown, "syscall", "a reason")];
        let (_, faults) = proof.walk(&image, &allowed).unwrap();
        let last: BTreeSet<_> = faults.iter().map(|(fault, way)| (*fault, *way.last().unwrap())).collect();
        let panic = (Fault::Panic, "core::panicking::panic_fmt");
        let (lock, malloc) = ((Fault::Unknown, "pthread_mutex_lock"), (Fault::Allocation, "malloc"));
        assert_eq!(last, BTreeSet::from([panic, lock, malloc, (Fault::Pointer, "(a pointer)")]));
        assert_eq!(faults[0].1.len(), 3);
    }
}
