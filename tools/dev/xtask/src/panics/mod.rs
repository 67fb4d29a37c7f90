//! Proves from the machine code that code on a program's threads neither panics nor allocates.
//!
//! It covers every function of the crates `runtimes`, `ompt-core` and `system`, and the functions of the crate `ora` that a request
//! reaches. A function of the standard library that one of them calls is followed to its end. Calls through a register are not visible, but
//! the computation of the address is: taking a function's address counts as calling it.

mod image;
pub(crate) mod queries;
mod reach;
mod rules;
pub(crate) mod sampler;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Result, bail};
use image::{Function, Image, Target};
use rules::Fault;

use crate::workspace;

/// Fault of a function, with the calls that lead to it.
#[derive(Clone, Debug)]
struct Finding {
    fault: Fault,
    way: Vec<String>,
}

/// Checks the library of the release build; fails if a covered function has a fault.
pub(crate) fn check(verbose: bool) -> Result<()> {
    let library = workspace::library()?;
    let image = Image::read(&library)?;
    let entry = image.find(rules::ENTRY)?;
    let watched = watched(&image, entry);
    are_aligned(watched.iter().filter_map(|index| image.functions.get(*index)))?;
    let allowed = rules::exceptions(rules::OF_LIBRARY);
    let (mut faulty, mut excused) = (BTreeMap::new(), BTreeSet::new());
    for function in watched.iter().filter_map(|index| image.functions.get(*index)) {
        if verbose {
            println!("  looked at {}", function.name);
        }
        for finding in findings(&image, function) {
            match rules::exception(&allowed, &function.name, finding.fault) {
                Some(start) => _ = excused.insert(start),
                None => faulty.entry(function.name.as_str()).or_insert_with(Vec::new).push(finding),
            }
        }
    }
    for (fault, start, reason) in &allowed {
        let unused = if excused.contains(start) { "" } else { " (it doesn't, in this build)" };
        println!("  allowed: {start} {fault}{unused}: {reason}");
    }
    for (name, findings) in &faulty {
        for Finding { fault, way } in findings {
            println!("  {name}\n    {fault}: {}", way.join(" -> "));
        }
    }
    if !faulty.is_empty() {
        bail!(
            "{} of {} functions panic, allocate or use lazy thread-locals.\nNext: take the cause out, or add an exception \
             with its reason to tools/dev/xtask/templates/panics.txt",
            faulty.len(),
            watched.len()
        );
    }
    println!(
        "{} functions of {} neither panic nor allocate, but for what is allowed above",
        watched.len(),
        workspace::shown(&library)
    );
    queries::check(&library, verbose)
}

/// Fails if the branches of functions are not kept within 32 bytes (`.cargo/rustc.sh`).
fn are_aligned<'a>(functions: impl Iterator<Item = &'a Function>) -> Result<()> {
    let sums = |(all, split), function: &Function| (all + function.branches, split + function.split);
    let (branches, split) = functions.fold((0, 0), sums);
    println!("  {split} of {branches} conditional branches touch a 32-byte boundary");
    // A few are in the standard library's code, which was compiled before.
    if split * 50 > branches {
        bail!("the library was compiled without .cargo/rustc.sh, which keeps branches within 32 bytes");
    }
    Ok(())
}

/// Functions that are covered.
fn watched(image: &Image, entry: usize) -> BTreeSet<usize> {
    let mut watched: BTreeSet<usize> =
        (0..image.functions.len()).filter(|index| rules::is_watched(image.name(&Target::Own(*index)))).collect();
    let mut open = vec![entry];
    while let Some(index) = open.pop() {
        watched.insert(index);
        let Some(function) = image.functions.get(index) else { continue };
        open.extend(function.targets.iter().filter_map(|target| match target {
            Target::Own(own) if rules::is_of_ora(image.name(target)) && !watched.contains(own) => Some(*own),
            _ => None,
        }));
    }
    watched
}

/// Faults of a function: its own, and those of uncovered functions that it calls.
fn findings(image: &Image, function: &Function) -> Vec<Finding> {
    function.targets.iter().filter_map(|target| reached_from(image, target)).collect()
}

/// Nearest fault at `target` or in the functions that it calls.
fn reached_from(image: &Image, target: &Target) -> Option<Finding> {
    let mut seen = BTreeSet::from([target]);
    let mut open = VecDeque::from([(target, vec![image.name(target)])]);
    while let Some((target, way)) = open.pop_front() {
        let name = image.name(target);
        if let Some(fault) = rules::fault(name) {
            // Guards of the standard library are not followed.
            if fault == Fault::Guard && way.len() > 1 {
                continue;
            }
            return Some(Finding { fault, way: way.iter().map(|name| (*name).to_owned()).collect() });
        }
        let Target::Own(index) = target else { continue };
        // These functions are checked by themselves.
        if rules::is_watched(name) || rules::is_of_ora(name) {
            continue;
        }
        for next in image.functions.get(*index).into_iter().flat_map(|function| &function.targets) {
            if seen.insert(next) {
                open.push_back((next, [way.as_slice(), &[image.name(next)]].concat()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(functions: &[(&str, &[Target])]) -> Image {
        let functions = functions
            .iter()
            .map(|(name, targets)| Function {
                name: (*name).to_owned(),
                targets: targets.iter().cloned().collect(),
                ..Function::default()
            })
            .collect();
        Image { functions }
    }

    #[test]
    fn a_fault_behind_the_standard_library_is_found_with_its_way() {
        let own = Target::Own;
        let image = image(&[
            ("runtimes::f", &[own(1)]),
            ("core::a", &[own(2)]),
            ("core::b", &[own(1), Target::Import("malloc@GLIBC_2.2.5".to_owned())]),
            ("runtimes::g", &[own(0), own(2)]),
        ]);
        let found = findings(&image, &image.functions[0]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].fault, found[0].way.join(" ")), (Fault::Allocation, "core::a core::b malloc".to_owned()));
        // Another covered function is reported by itself.
        assert_eq!(findings(&image, &image.functions[3])[0].way.join(" "), "core::b malloc");
        assert_eq!(findings(&image, &image.functions[3]).len(), 1);
    }

    #[test]
    fn of_the_face_only_what_a_request_gets_to_is_looked_at() {
        let image = image(&[
            (rules::ENTRY, &[Target::Own(1), Target::Own(3)]),
            ("ora::request::serve", &[]),
            ("ora::setup", &[]),
            ("core::f", &[]),
            ("ompt_core::g", &[]),
        ]);
        assert_eq!(watched(&image, 0), BTreeSet::from([0, 1, 4]));
    }
}
