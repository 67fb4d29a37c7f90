//! Proves from the machine code that queries, which may be made in a signal handler, call nothing that is forbidden in a handler.
//!
//! It covers all functions that the queries of the collector's interface, of TR2 and of OpenMP 5 reach, in this library and in those that
//! it is linked with. None of them panics, allocates, waits for a lock or touches a lazy thread-local. They call only the listed functions
//! of other libraries, and only the listed functions call through pointers. In particular, there are no system calls.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};

use super::image::{Image, Target};
use super::reach::{self, Limits};
use super::rules;
use crate::{reasons, workspace};

/// Entries of queries, as prefixes of names. The last ones are reached from other queries through pointers.
const ENTRIES: &[&str] = &[
    rules::ENTRY,
    "ompt_core::tr2::entry_points::ompt_get_",
    "ompt_core::tr2::entry_points::ompt_enumerate_",
    "ompt_core::v5::queries::",
    "ompt_core::v5::entry_points::get_",
    "ompt_core::v5::entry_points::enumerate_",
    "runtimes::ompt::entry_points::get_",
];
/// Methods of runtime adapters that must be async-signal-safe.
const OF_ADAPTERS: &[&str] =
    &[" as ompt_core::adapter::Adapter>::in_parallel", " as ompt_core::adapter::Adapter>::tracks_tasks"];

/// Requests that are not for handlers: START, REGISTER, UNREGISTER, STOP, PAUSE, RESUME.
const CONTROL: &str = "ora::request::control";

/// Functions of the C library that only read or write their arguments' memory, the thread's own, or a page that the kernel maps; and one
/// system call.
const IMPORTS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "bcmp",
    "memcmp",
    "sched_getcpu",
    "sched_getaffinity",
    "__errno_location",
    "_Unwind_Resume",
];

/// Functions that may call through a pointer.
const POINTERS: &str = include_str!("../../templates/queries_pointers.txt");

/// Checks `library`.
pub(crate) fn check(library: &Path, verbose: bool) -> Result<()> {
    let image = Image::read(library)?;
    let entries = entries(&image)?;
    let pointers: Vec<_> = reasons::parts(POINTERS).into_iter().flat_map(|(_, lines)| lines).collect();
    let limits = Limits { ends: &[CONTROL], imports: IMPORTS, pointers: &pointers, allowed: &[] };
    let found = reach::walk(&image, &entries, &limits);
    for (name, reason) in &pointers {
        println!("  allowed: {name} calls through a pointer: {reason}");
    }
    let count = reach::proved(&image, found, verbose, "what may be asked in a signal handler does what it may not")?;
    println!("{count} functions that queries of {} get to are safe in a signal handler", workspace::shown(library));
    Ok(())
}

/// Finds the entries of queries. Fails if a name is missing.
fn entries(image: &Image) -> Result<Vec<usize>> {
    let mut found = BTreeSet::new();
    for wanted in ENTRIES.iter().chain(OF_ADAPTERS) {
        let of_this = (0..image.functions.len()).filter(|index| {
            let target = Target::Own(*index);
            let name = image.name(&target);
            name.starts_with(wanted) || (wanted.starts_with(' ') && name.ends_with(wanted))
        });
        let before = found.len();
        found.extend(of_this);
        if found.len() == before {
            bail!(
                "the library has no function {wanted}...: the list of queries in tools/dev/xtask/src/panics/queries.rs is old"
            );
        }
    }
    Ok(found.into_iter().collect())
}
