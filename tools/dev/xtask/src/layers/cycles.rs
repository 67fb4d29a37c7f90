//! Cycles of modules that name each other.

use super::imports::{Imports, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of two or more modules, each reachable from each other (strongly connected components).
pub(super) fn find(imports: &Imports) -> Vec<Vec<Module>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reached(imports, module))).collect();
    let of = |module| reached.get(module).into_iter().flatten().copied();
    let (mut cycles, mut grouped) = (Vec::new(), BTreeSet::new());
    for module in imports.keys() {
        if grouped.contains(module) {
            continue;
        }
        let cycle: Vec<_> = of(module).filter(|other| of(other).any(|back| back == module)).collect();
        grouped.extend(cycle.iter().copied());
        if cycle.len() > 1 {
            cycles.push(cycle.into_iter().cloned().collect());
        }
    }
    cycles
}

/// Modules that a module names directly or indirectly.
fn reached<'a>(imports: &'a Imports, from: &'a Module) -> BTreeSet<&'a Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(imports.get(module).into_iter().flatten().filter(|other| found.insert(*other)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(arrows: &[(&str, &str)]) -> Imports {
        let module = |name: &str| vec![name.to_owned()];
        let mut imports = Imports::new();
        for (from, to) in arrows {
            imports.entry(module(to)).or_default();
            imports.entry(module(from)).or_default().insert(module(to));
        }
        imports
    }

    #[test]
    fn cycles_are_found_and_trees_are_none() {
        let names = |arrows: &[(&str, &str)]| -> Vec<String> {
            find(&imports(arrows)).into_iter().map(|cycle| cycle.concat().concat()).collect()
        };
        assert!(names(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]).is_empty());
        assert_eq!(names(&[("a", "b"), ("b", "a")]), ["ab"]);
        assert_eq!(names(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "d")]), ["bc", "de"]);
        assert_eq!(names(&[("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")]), ["abc"]);
    }
}
