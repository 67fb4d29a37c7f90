//! Functions that a file's calls and jumps reach.

use std::collections::HashMap;

use object::{Object, ObjectSymbol, RelocationTarget, SymbolKind};
use system::arch::Target;

use crate::argument::Code;
use crate::launch::construct;
use crate::symbol_table::Symbols;

/// A function that is called, or jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// A runtime's function that runs a body.
    Launcher,
    /// A function of the file, by its start.
    Own(u64),
    /// Another function of a runtime, or of another file.
    Other,
}

impl Callee {
    /// A function with this name; `own`: its start, if the file contains it.
    fn of(name: &str, own: Option<u64>) -> Self {
        let is_of_a_runtime = || ["GOMP_", "__kmpc_", "omp_"].iter().any(|start| name.starts_with(start));
        match own {
            _ if construct(name).is_some() => Self::Launcher,
            Some(begin) if !is_of_a_runtime() => Self::Own(begin),
            _ => Self::Other,
        }
    }
}

/// Functions that are called through the GOT, by the words that hold their addresses. A library calls also its own exports in this
/// way.
#[derive(Debug, Default)]
pub(super) struct Imports(HashMap<u64, Callee>);

impl Imports {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let callees = object.dynamic_symbols().filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| !name.is_empty())?;
            let own = (symbol.is_definition() && symbol.kind() == SymbolKind::Text).then(|| symbol.address());
            Some((symbol.index(), Callee::of(name, own)))
        });
        let callees: HashMap<_, _> = callees.collect();
        let slot = |(address, relocation): (u64, object::Relocation)| match relocation.target() {
            RelocationTarget::Symbol(index) => Some((address, *callees.get(&index)?)),
            _ => None,
        };
        Self(object.dynamic_relocations().into_iter().flatten().filter_map(slot).collect())
    }

    /// The function that a call or jump reaches; `None` if it isn't known. `symbols`: those of the file.
    pub(super) fn callee(&self, symbols: &Symbols, code: &Code<'_>, target: Target) -> Option<Callee> {
        let target = match target {
            Target::Slot(slot) => return self.at(slot as u64),
            Target::Code(target) => target as u64,
        };
        if let Some(slot) = code.instructions(target)?.linkage_slot(target) {
            return self.at(slot);
        }
        let symbol = symbols.containing(target)?;
        Some(Callee::of(&symbol.name, Some(symbol.address)))
    }

    fn at(&self, slot: u64) -> Option<Callee> {
        self.0.get(&slot).copied()
    }
}
