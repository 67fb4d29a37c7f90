//! Symbol table of a file. Sizes count: an address between two symbols belongs to none.

use std::cmp::Reverse;
use std::collections::HashMap;

use object::{Object, ObjectSection, ObjectSymbol, SectionIndex, SymbolKind, SymbolScope};

/// Maximum number of symbols of a file, and of bytes of their names: several times those of the largest programs.
const MAX_SYMBOLS: usize = 4 << 20;
const MAX_NAMES: usize = 256 << 20;

/// A function's symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) address: u64,
    /// Address after its last byte.
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
        let mut names_left = MAX_NAMES;
        for symbol in symbols {
            // An assembler's labels do not have a kind.
            if !symbol.is_definition()
                || !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label | SymbolKind::Unknown)
            {
                continue;
            }
            let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) else { continue };
            // A million symbols can have the same long name, each as a copy.
            match names_left.checked_sub(name.len()) {
                Some(left) if found.len() < MAX_SYMBOLS => names_left = left,
                _ => break,
            }
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

    /// The symbol that contains an address.
    pub(super) fn containing(&self, address: u64) -> Option<&Symbol> {
        let behind = self.0.partition_point(|symbol| symbol.address <= address);
        let before = self.0.get(..behind)?;
        // A function may contain another symbol, such as an additional entry.
        before.iter().rev().take(8).find(|symbol| address < symbol.end)
    }
}

#[cfg(test)]
impl From<&[(u64, u64, &str)]> for Symbols {
    /// Symbols with these starts, ends and names, in the order of their addresses.
    fn from(symbols: &[(u64, u64, &str)]) -> Self {
        let symbol = |&(address, end, name): &(u64, u64, &str)| Symbol { address, end, name: name.to_owned() };
        Self(symbols.iter().map(symbol).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 1 << 20;
    const COUNT: u64 = 1000;

    /// A file with many symbols that all have the same long name (ELF-64 Object File Format, 3 to 5).
    fn file_with_a_long_name() -> Vec<u8> {
        let mut symbols = vec![0; 24];
        for address in 0..COUNT {
            // Name 1; a global function in section 1.
            symbols.extend([1, 0, 0, 0, 0x12, 0, 1, 0]);
            symbols.extend([address.to_le_bytes(), 1_u64.to_le_bytes()].concat());
        }
        let names = [vec![0], vec![b'a'; LONG], vec![0]].concat();
        let section = |kind: u32, offset: usize, size: usize, link: u32, entry: u64| {
            let words = [0, 0, offset as u64, size as u64].map(u64::to_le_bytes).concat();
            let last = [8, entry].map(u64::to_le_bytes).concat();
            [[0, kind].map(u32::to_le_bytes).concat(), words, [link, 1].map(u32::to_le_bytes).concat(), last].concat()
        };
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
        bytes.extend([0, 0, 64].map(u64::to_le_bytes).concat());
        bytes.extend([0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 64, 0, 3, 0, 2, 0]);
        let first = 64 + 3 * 64;
        bytes.extend([0; 64]);
        bytes.extend(section(2, first, symbols.len(), 2, 24));
        bytes.extend(section(3, first + symbols.len(), names.len(), 0, 0));
        [bytes, symbols, names].concat()
    }

    #[test]
    fn a_long_name_of_many_symbols_is_not_copied_for_each() {
        let bytes = file_with_a_long_name();
        assert!(bytes.len() < 2 * LONG);
        let symbols = Symbols::of(&object::File::parse(bytes.as_slice()).unwrap());
        let total: usize = symbols.iter().map(|symbol| symbol.name.len()).sum();
        assert!(symbols.containing(0).is_some_and(|symbol| symbol.name.len() == LONG));
        assert!(total <= MAX_NAMES && total > MAX_NAMES / 2, "{total}");
    }
}
