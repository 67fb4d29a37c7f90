//! Symbol table of a file. Sizes count: an address between two symbols belongs to none.

use std::cmp::Reverse;
use std::collections::HashMap;

use object::{Object, ObjectSection, ObjectSymbol, SectionIndex, SymbolKind, SymbolScope};

/// A function's symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) address: u64,
    /// Address behind its last byte.
    pub(super) end: u64,
    pub(super) name: String,
}

/// Function symbols of one file, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols(Vec<Symbol>);

impl Symbols {
    /// Reads the file's own table, or, in a stripped file, its exports.
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let ends = object.sections().map(|section| (section.index(), section.address().saturating_add(section.size())));
        let ends = ends.collect();
        let own = Self::read(object.symbols(), &ends);
        if own.0.is_empty() { Self::read(object.dynamic_symbols(), &ends) } else { own }
    }

    fn read<'data>(symbols: impl Iterator<Item = impl ObjectSymbol<'data>>, ends: &HashMap<SectionIndex, u64>) -> Self {
        let mut found = Vec::new();
        for symbol in symbols {
            // An assembler's labels have no kind.
            if !symbol.is_definition()
                || !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label | SymbolKind::Unknown)
            {
                continue;
            }
            let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) else { continue };
            let underscores = name.bytes().take_while(|letter| *letter == b'_').count();
            let preferred = (
                Reverse(symbol.kind() == SymbolKind::Text),
                Reverse(symbol.size() > 0),
                Reverse(symbol.scope() == SymbolScope::Dynamic && !symbol.is_weak()),
                underscores,
                name.len(),
            );
            let section = symbol.section_index().and_then(|section| ends.get(&section)).copied().unwrap_or(u64::MAX);
            found.push((symbol.address(), preferred, symbol.size(), section, name.to_owned()));
        }
        found.sort();
        found.dedup_by_key(|(address, ..)| *address);
        let next: Vec<_> = found.iter().skip(1).map(|(address, ..)| *address).chain([u64::MAX]).collect();
        let symbols = found.into_iter().zip(next).map(|((address, _, size, section, name), next)| {
            // A symbol without a size reaches to the next one, or to the end of its section.
            let end = if size > 0 { address.saturating_add(size) } else { next.min(section) };
            Symbol { address, end, name }
        });
        Self(symbols.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.0.iter()
    }

    /// The symbol that an address lies in.
    pub(super) fn containing(&self, address: u64) -> Option<&Symbol> {
        let behind = self.0.partition_point(|symbol| symbol.address <= address);
        let before = self.0.get(..behind)?;
        // A function may have another symbol inside, an entry of it for example.
        before.iter().rev().take(8).find(|symbol| address < symbol.end)
    }
}
