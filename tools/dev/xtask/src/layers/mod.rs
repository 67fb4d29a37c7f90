//! Rules of layers: which crates may depend on each other, which modules may name each other, which folders may contain machine code, the
//! dynamic linker's list and unsafe code, and how many methods a type may have, and that a public type has a name of its own.

mod crates;
mod cycles;
mod identifiers;
mod imports;
mod order;
mod types;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use imports::{Imports, Module};

/// Top-level modules that must not name each other, by package.
const INDEPENDENT: [(&str, &[&str]); 3] =
    [("ompt-abi", &["tr2", "v5"]), ("ompt-core", &["tr2", "v5"]), ("ora-runtimes", &["embed", "gomp", "ompt", "pomp"])];

/// Checks all rules, and prints the places that violate one.
pub(crate) fn check() -> Result<()> {
    let mut broken = BTreeMap::new();
    let crates = crates::of_workspace()?;
    for it in &crates {
        for root in it.roots() {
            let files = imports::read_crate(root)?;
            let imports = imports::between(&files);
            let lines = types::faults(&it.name, &files).into_iter().chain(arrows_between(&it.name, &imports));
            broken.extend(lines.map(|line| (line, Vec::new())));
            for cycle in cycles::find(&imports) {
                broken.extend(
                    cycle.iter().map(|module| (in_cycle(&it.name, module), arrows_within(&cycle, module, &imports))),
                );
            }
        }
    }
    let misplaced = identifiers::misplaced(&crates)?.into_iter().chain(order::misplaced(&crates));
    broken.extend(misplaced.map(|line| (line, Vec::new())));
    for (line, arrows) in &broken {
        println!("breaks a rule: {line}");
        arrows.iter().for_each(|arrow| println!("    {arrow}"));
    }
    if !broken.is_empty() {
        bail!("{} places break the layers' rules", broken.len());
    }
    println!("layers: {} crates", crates.len());
    Ok(())
}

/// Dependencies between the top-level modules listed in [`INDEPENDENT`], each as a line.
fn arrows_between(package: &str, imports: &Imports) -> Vec<String> {
    let independent = INDEPENDENT.iter().find(|(name, _)| *name == package).map_or(&[][..], |(_, modules)| *modules);
    let top = |module: &Module| module.first().filter(|top| independent.contains(&top.as_str())).cloned();
    let wrong = all(imports).filter(|(from, to)| top(from).zip(top(to)).is_some_and(|(ours, theirs)| ours != theirs));
    wrong.map(|(from, to)| format!("{package}: {}", arrow(from, to))).collect()
}

/// All arrows from a module to one that it names.
fn all(imports: &Imports) -> impl Iterator<Item = (&Module, &Module)> {
    imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)))
}

fn in_cycle(package: &str, module: &Module) -> String {
    format!("{package}: {} is in a cycle", module.join("/"))
}

/// Dependencies within a cycle that start or end at one of its modules.
fn arrows_within(cycle: &[Module], module: &Module, imports: &Imports) -> Vec<String> {
    let within = all(imports).filter(|(from, to)| cycle.contains(from) && cycle.contains(to));
    within.filter(|(from, to)| [from, to].contains(&&module)).map(|(from, to)| arrow(from, to)).collect()
}

fn arrow(from: &Module, to: &Module) -> String {
    format!("{} -> {}", from.join("/"), to.join("/"))
}
