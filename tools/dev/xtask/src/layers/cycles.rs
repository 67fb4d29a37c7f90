//! Cycles of modules that name each other (Tarjan's strongly connected components).

use super::imports::{Imports, Module};
use std::collections::BTreeMap;

/// Groups of two and more modules, each reachable from each.
pub(super) fn find(imports: &Imports) -> Vec<Vec<Module>> {
    let mut search = Search { imports, numbers: BTreeMap::new(), open: Vec::new(), cycles: Vec::new() };
    for module in imports.keys() {
        search.visit(module);
    }
    search.cycles
}

struct Search<'a> {
    imports: &'a Imports,
    /// Number of each visited module, and the lowest number that is reached from it; `None`: its group is complete.
    numbers: BTreeMap<&'a Module, Option<usize>>,
    open: Vec<&'a Module>,
    cycles: Vec<Vec<Module>>,
}

impl<'a> Search<'a> {
    /// The lowest number that is reached from a module.
    fn visit(&mut self, module: &'a Module) -> Option<usize> {
        if let Some(known) = self.numbers.get(module) {
            return *known;
        }
        let own = self.open.len();
        self.numbers.insert(module, Some(own));
        self.open.push(module);
        let mut lowest = own;
        for other in self.imports.get(module).into_iter().flatten() {
            lowest = self.visit(other).map_or(lowest, |reached| lowest.min(reached));
        }
        self.numbers.insert(module, Some(lowest));
        if lowest == own {
            let group = self.open.split_off(own);
            for member in &group {
                self.numbers.insert(member, None);
            }
            if group.len() > 1 {
                self.cycles.push(group.into_iter().cloned().collect());
            }
        }
        Some(lowest).filter(|lowest| *lowest < own)
    }
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
        assert_eq!(names(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "e"), ("e", "d")]), ["de", "bc"]);
        assert_eq!(names(&[("a", "b"), ("b", "c"), ("c", "a"), ("x", "a")]), ["abc"]);
    }
}
