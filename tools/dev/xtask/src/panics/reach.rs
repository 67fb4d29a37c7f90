//! Reachability in the call graph, and forbidden targets.

use std::collections::{BTreeSet, VecDeque};

use anyhow::{Result, ensure};

use super::image::{Image, Target};
use super::rules::{self, Exception, Fault};

/// Fault, with the calls that lead to it.
pub(crate) type Found = (Fault, Vec<String>);

/// Permitted targets.
pub(crate) struct Limits<'a> {
    /// Functions that are not followed.
    pub(crate) ends: &'a [&'a str],
    /// Permitted functions of other libraries.
    pub(crate) imports: &'a [&'a str],
    /// Functions that may call through a pointer (prefix of a name), with the reason.
    pub(crate) pointers: &'a [(&'a str, &'a str)],
    /// Functions with an exception.
    pub(crate) allowed: &'a [Exception],
}

/// Permits calls through pointers everywhere.
pub(crate) const ANYWHERE: &[(&str, &str)] = &[("", "")];

impl Limits<'_> {
    /// Reason why `from` must not reach this target.
    fn fault(&self, from: &str, name: &str, target: &Target) -> Option<Fault> {
        let may = match target {
            Target::Import(_) => self.imports.contains(&name),
            Target::Pointer => self.pointers.iter().any(|(start, _)| from.starts_with(start)),
            Target::Own(_) => true,
        };
        let fault = rules::fault(name).or((!may).then_some(Fault::Unknown))?;
        // A guard aborts if a panic unwinds into it; without a panic it has no effect.
        let allowed = rules::exception(self.allowed, from, fault).is_some();
        (fault != Fault::Guard && !allowed).then_some(fault)
    }
}

/// Targets that the functions reach, and the faults on the way that are not permitted.
pub(crate) fn walk(image: &Image, entries: &[usize], limits: &Limits<'_>) -> (BTreeSet<Target>, Vec<Found>) {
    let mut reached: BTreeSet<Target> = entries.iter().map(|entry| Target::Own(*entry)).collect();
    let mut open: VecDeque<_> =
        reached.iter().map(|entry| (entry.clone(), vec![image.name(entry).to_owned()])).collect();
    let mut faults = Vec::new();
    while let Some((target, way)) = open.pop_front() {
        let Target::Own(index) = target else { continue };
        for next in image.functions.get(index).into_iter().flat_map(|function| &function.targets) {
            let name = image.name(next);
            let further = || [way.as_slice(), &[name.to_owned()]].concat();
            match limits.fault(image.name(&target), name, next) {
                Some(fault) => faults.push((fault, further())),
                // Functions that don't return are not followed.
                None if rules::fault(name).is_some() || limits.ends.contains(&name) => {}
                None if reached.insert(next.clone()) => open.push_back((next.clone(), further())),
                None => {}
            }
        }
    }
    (reached, faults)
}

/// Prints the faults of a walk; an error if there are any. Returns the number of functions that were reached.
pub(crate) fn proved(
    image: &Image,
    (reached, faults): (BTreeSet<Target>, Vec<Found>),
    verbose: bool,
    otherwise: &str,
) -> Result<usize> {
    if verbose {
        reached.iter().for_each(|target| println!("  looked at {}", image.name(target)));
    }
    for (fault, way) in &faults {
        println!("  {fault}: {}", way.join(" -> "));
    }
    ensure!(faults.is_empty(), "{otherwise}");
    Ok(reached.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panics::image::Function;

    #[test]
    fn faults_unknown_imports_and_pointers_are_found_with_their_way() {
        let import = |name: &str| Target::Import(name.to_owned());
        let functions: [(&str, Vec<Target>); 5] = [
            ("entry", vec![Target::Own(1), import("syscall@GLIBC_2.2.5"), Target::Pointer]),
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
        let limits =
            Limits { ends: &["begin"], imports: &["syscall"], pointers: &[("entry", "a reason")], allowed: &[] };
        let (_, faults) = walk(&image, &[0], &limits);
        let last: BTreeSet<_> = faults.iter().map(|(fault, way)| (*fault, way.last().unwrap().as_str())).collect();
        let panic = (Fault::Panic, "core::panicking::panic_fmt");
        let (lock, malloc) = ((Fault::Unknown, "pthread_mutex_lock"), (Fault::Allocation, "malloc"));
        assert_eq!(last, BTreeSet::from([panic, lock, malloc, (Fault::Unknown, "(a pointer)")]));
        assert_eq!(faults[0].1.len(), 3);
    }
}
