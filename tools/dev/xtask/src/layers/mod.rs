//! Rules of layers: the crates that may depend on each other, the modules that may name each other, the folders that may have
//! machine code, the dynamic linker's list and unsafe code, and the number of a type's methods.

mod crates;
mod cycles;
mod identifiers;
mod imports;
mod methods;
mod order;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::workspace;
use imports::{Imports, Module};

/// Top modules that must not name each other, by package.
const APART: [(&str, &[&str]); 3] =
    [("ompt-abi", &["tr2", "v5"]), ("ompt-core", &["tr2", "v5"]), ("ora-runtimes", &["embed", "gomp", "ompt", "pomp"])];

/// Checks every rule and prints the places that break one.
pub(crate) fn check() -> Result<()> {
    let mut broken = BTreeMap::new();
    let crates = crates::of_workspace()?;
    for it in &crates {
        for root in &it.roots {
            let files = imports::read_crate(root)?;
            broken.extend(methods::too_many(&it.name, &files).into_iter().map(|line| (line, Vec::new())));
            let imports = imports::between(&files);
            broken.extend(arrows_between(&it.name, &imports));
            for cycle in cycles::find(&imports) {
                broken.extend(
                    cycle.iter().map(|module| (in_cycle(&it.name, module), arrows_within(&cycle, module, &imports))),
                );
            }
        }
    }
    let misplaced = identifiers::misplaced(&workspace::root())?.into_iter().chain(order::misplaced(&crates));
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

/// Arrows between top modules that are [`APART`], each as a line.
fn arrows_between(package: &str, imports: &Imports) -> Vec<(String, Vec<String>)> {
    let apart = APART.iter().find(|(name, _)| *name == package).map_or(&[][..], |(_, apart)| *apart);
    let room = |module: &Module| module.first().filter(|top| apart.contains(&top.as_str())).cloned();
    let mut lines = Vec::new();
    for (from, all) in imports {
        for to in all {
            if let (Some(ours), Some(theirs)) = (room(from), room(to))
                && ours != theirs
            {
                lines.push((format!("{package}: {}", arrow(from, to)), Vec::new()));
            }
        }
    }
    lines
}

fn in_cycle(package: &str, module: &Module) -> String {
    format!("{package}: {} is in a cycle", module.join("/"))
}

/// Arrows of a cycle that begin or end at one of its modules.
fn arrows_within(cycle: &[Module], module: &Module, imports: &Imports) -> Vec<String> {
    let all = imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    let within = all.filter(|(from, to)| cycle.contains(from) && cycle.contains(to));
    within.filter(|(from, to)| [from, to].contains(&&module)).map(|(from, to)| arrow(from, to)).collect()
}

fn arrow(from: &Module, to: &Module) -> String {
    format!("{} -> {}", from.join("/"), to.join("/"))
}
