//! Proves from the machine code that code on a program's threads neither panics nor allocates, and that what signal handlers call is safe
//! there.
//!
//! The first proof covers every function of the crates `runtimes`, `ompt-core` and `system`, and the functions of the crate `ora` that a
//! request reaches. A function of the standard library that one of them calls is followed to its end. Calls through a register are not
//! visible, but the computation of the address is: taking a function's address counts as calling it.

mod handlers;
mod image;
mod reach;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};
use image::{Function, Image, Target};
use rules::Fault;

use crate::workspace;

/// Checks the libraries of the release build; fails if a covered function has a fault.
pub(crate) fn check() -> Result<()> {
    let library = workspace::library()?;
    let image = Image::read(&library)?;
    let covered = covered(&image)?;
    are_aligned(covered.iter().filter_map(|index| image.functions.get(*index)))?;
    let allowed = rules::exceptions(rules::OF_LIBRARY);
    let (mut faulty, mut excused) = (BTreeMap::new(), BTreeSet::new());
    for (index, function) in image.functions.iter().enumerate().filter(|(index, _)| covered.contains(index)) {
        for (fault, way) in faults(&image, index) {
            match rules::exception(&allowed, &function.name, fault) {
                Some(start) => _ = excused.insert(start),
                None => _ = faulty.entry(way).or_insert(fault),
            }
        }
    }
    for (fault, start, reason) in &allowed {
        let unused = if excused.contains(start) { "" } else { " (it doesn't, in this build)" };
        println!("  allowed: {start} {fault}{unused}: {reason}");
    }
    for (way, fault) in &faulty {
        println!("  {fault}: {}", way.join(" -> "));
    }
    if !faulty.is_empty() {
        bail!(
            "functions panic, allocate or use lazy thread-locals in {} ways.\nNext: take the cause out, or add an exception \
             with its reason to tools/dev/xtask/templates/panics.txt",
            faulty.len(),
        );
    }
    println!(
        "{} functions of {} neither panic nor allocate, but for what is allowed above",
        covered.len(),
        workspace::shown(&library)
    );
    handlers::check()
}

/// Fails if the branches of functions are not kept within 32 bytes (`.cargo/rustc.sh`).
fn are_aligned<'a>(functions: impl Iterator<Item = &'a Function>) -> Result<()> {
    let sums = |(all, split), function: &Function| (all + function.branches, split + function.split);
    let (branches, split) = functions.fold((0, 0), sums);
    println!("  {split} of {branches} conditional branches touch a 32-byte boundary");
    // A few are in the standard library's code, which was compiled before.
    ensure!(
        split * 50 <= branches,
        "the library was compiled without .cargo/rustc.sh, which keeps branches within 32 bytes"
    );
    Ok(())
}

/// Functions that are covered.
fn covered(image: &Image) -> Result<BTreeSet<usize>> {
    let entry = image.find(rules::ENTRY, |name| name == rules::ENTRY)?;
    let (reached, _) = reach::walk(image, entry.clone(), |name| !rules::is_of_ora(name), |_, _| None);
    let is_covered = |index: &usize| {
        let target = Target::Own(*index);
        let name = image.name(&target);
        rules::is_watched(name) || rules::is_of_ora(name) && reached.contains(&target)
    };
    Ok((0..image.functions.len()).filter(is_covered).chain(entry).collect())
}

/// Faults of a function, and those of uncovered functions that it calls.
fn faults(image: &Image, function: usize) -> Vec<reach::Found<'_>> {
    // The others are checked by themselves.
    let is_end = |name: &str| rules::is_watched(name) || rules::is_of_ora(name);
    let fault = |way: &[&str], target: &Target| {
        // Guards of the standard library are ignored.
        rules::fault(image.name(target)).filter(|fault| *fault != Fault::Guard || way.len() == 1)
    };
    reach::walk(image, [function], is_end, fault).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(functions: &[(&str, &[Target])]) -> Image {
        let functions = functions.iter().map(|(name, targets)| Function {
            name: (*name).to_owned(),
            targets: targets.iter().cloned().collect(),
            ..Function::default()
        });
        Image { functions: functions.collect() }
    }

    #[test]
    fn a_fault_after_the_standard_library_is_found_with_its_way() {
        let own = Target::Own;
        let image = image(&[
            ("runtimes::f", &[own(1)]),
            ("core::a", &[own(2)]),
            ("core::b", &[own(1), Target::Import("malloc".to_owned())]),
            ("runtimes::g", &[own(0), own(2)]),
        ]);
        assert_eq!(faults(&image, 0), [(Fault::Allocation, vec!["runtimes::f", "core::a", "core::b", "malloc"])]);
        // Another covered function is reported by itself.
        assert_eq!(faults(&image, 3), [(Fault::Allocation, vec!["runtimes::g", "core::b", "malloc"])]);
    }

    #[test]
    fn functions_of_ora_are_covered_as_far_as_a_request_reaches() {
        let image = image(&[
            (rules::ENTRY, &[Target::Own(1), Target::Own(3)]),
            ("ora::request::serve", &[]),
            ("ora::setup", &[]),
            ("core::f", &[]),
            ("ompt_core::g", &[]),
        ]);
        assert_eq!(covered(&image).unwrap(), BTreeSet::from([0, 1, 4]));
    }
}
