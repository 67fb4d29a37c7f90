//! Functions that a file's calls reach.

use std::collections::HashMap;

use object::{Object, ObjectSymbol, RelocationTarget};
use system::arch::Target;

use crate::argument::Code;
use crate::launch::construct;
use crate::symbol_table::Symbols;

/// A function that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// A runtime's function that runs a body.
    Launcher,
    Other,
}

impl Callee {
    fn of(name: &str) -> Self {
        if construct(name).is_some() { Self::Launcher } else { Self::Other }
    }
}

/// Imported functions, by the words of the GOT that hold their addresses.
#[derive(Debug, Default)]
pub(super) struct Imports(HashMap<u64, Callee>);

impl Imports {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let names = object.dynamic_symbols().filter_map(|symbol| Some((symbol.index(), symbol.name().ok()?)));
        let callees = names.filter(|(_, name)| !name.is_empty()).map(|(index, name)| (index, Callee::of(name)));
        let callees: HashMap<_, _> = callees.collect();
        let slot = |(address, relocation): (u64, object::Relocation)| match relocation.target() {
            RelocationTarget::Symbol(index) => Some((address, *callees.get(&index)?)),
            _ => None,
        };
        Self(object.dynamic_relocations().into_iter().flatten().filter_map(slot).collect())
    }

    /// The function that a call reaches; `None` if it isn't known. `symbols`: those of the file.
    pub(super) fn callee(&self, symbols: &Symbols, code: &Code<'_>, target: Target) -> Option<Callee> {
        let target = match target {
            Target::Slot(slot) => return self.at(slot as u64),
            Target::Code(target) => target as u64,
        };
        if let Some(slot) = code.instructions(target)?.linkage_slot(target) {
            return self.at(slot);
        }
        let symbol = symbols.containing(target).filter(|symbol| symbol.address == target)?;
        Some(Callee::of(&symbol.name))
    }

    fn at(&self, slot: u64) -> Option<Callee> {
        self.0.get(&slot).copied()
    }
}
