//! Rules of layers: the modules that may name each other, and the folders that may have machine code, the dynamic
//! linker's list and unsafe code, and the files that may open others.

mod cycles;
mod identifiers;
mod imports;
mod opens;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::workspace;
use imports::{Imports, Module};

/// A crate whose modules are checked.
struct Crate {
    name: &'static str,
    sources: &'static str,
    /// Top modules that must not name each other.
    apart: &'static [&'static str],
}

const CRATES: [Crate; 7] = [
    Crate { name: "ompt-abi", sources: "ompt-core/abi/src", apart: &["tr2", "v5"] },
    Crate { name: "system", sources: "ompt-core/system/src", apart: &[] },
    Crate { name: "ompt-core", sources: "ompt-core/src", apart: &["tr2", "v5"] },
    Crate { name: "runtimes", sources: "ora/runtimes/src", apart: &["embed", "gomp", "ompt", "pomp"] },
    Crate { name: "start-tool", sources: "ora/start-tool/src", apart: &[] },
    Crate { name: "ora", sources: "ora/src", apart: &[] },
    Crate { name: "ompt-tool", sources: "tools/ompt-tool/src", apart: &[] },
];

/// Checks every rule and prints the places that break one.
pub(crate) fn check() -> Result<()> {
    let mut broken = BTreeMap::new();
    for it in &CRATES {
        let imports = imports::of_crate(&workspace::root().join(it.sources))?;
        broken.extend(arrows_between(it, &imports));
        for cycle in cycles::find(&imports) {
            broken.extend(cycle.iter().map(|module| (in_cycle(it, module), arrows_within(&cycle, module, &imports))));
        }
    }
    let misplaced =
        identifiers::misplaced(&workspace::root())?.into_iter().chain(opens::misplaced(&workspace::root())?);
    broken.extend(misplaced.map(|line| (line, Vec::new())));
    for (line, arrows) in &broken {
        println!("breaks a rule: {line}");
        arrows.iter().for_each(|arrow| println!("    {arrow}"));
    }
    if !broken.is_empty() {
        bail!("{} places break the layers' rules", broken.len());
    }
    println!("layers: {} crates", CRATES.len());
    Ok(())
}

/// Arrows between top modules of [`Crate::apart`], each as a line.
fn arrows_between(it: &Crate, imports: &Imports) -> Vec<(String, Vec<String>)> {
    let room = |module: &Module| module.first().filter(|top| it.apart.contains(&top.as_str())).cloned();
    let mut lines = Vec::new();
    for (from, all) in imports {
        for to in all {
            if let (Some(ours), Some(theirs)) = (room(from), room(to))
                && ours != theirs
            {
                lines.push((format!("{}: {}", it.name, arrow(from, to)), Vec::new()));
            }
        }
    }
    lines
}

fn in_cycle(it: &Crate, module: &Module) -> String {
    format!("{}: {} is in a cycle", it.name, module.join("/"))
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
