//! Functions that a loaded object imports, by its relocations in memory.

use std::collections::HashMap;

use crate::image::{Image, tag};
use crate::tables;

/// Bytes of a relocation with addend (gABI, "Relocation").
const RELOCATION: usize = 24;
/// Bytes of a symbol (gABI, "Symbol Table").
const SYMBOL: u64 = 24;
/// Maximum size of a table that is read, in bytes.
const MAX_TABLE: u64 = 64 << 20;
/// Maximum number of functions, each of which requires reading its symbol.
const MAX_FUNCTIONS: usize = 1 << 20;

/// Functions by the address of the word that the dynamic linker fills in. Includes words of data, whose names do no
/// harm.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// Positions of their names.
    places: HashMap<u64, u32>,
    strings: Vec<u8>,
}

impl Imports {
    /// Name of the function whose address is in a word.
    pub fn name(&self, word: u64) -> Option<String> {
        let name = tables::name(&self.strings, usize::try_from(*self.places.get(&word)?).ok()?)?;
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }
}

/// The imports of an object.
pub(crate) fn read(image: &Image) -> Option<Imports> {
    let dynamic = image.dynamic()?;
    let entry = |tag: u64| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
    let (symbols, strings) = (image.resolved(entry(tag::SYMBOLS)?), image.resolved(entry(tag::STRINGS)?));
    let strings_bytes = usize::try_from(entry(tag::STRINGS_BYTES)?.min(MAX_TABLE)).ok()?;
    let strings = image.table(strings, strings_bytes)?;
    let mut places = HashMap::new();
    let name = |symbol: u64| image.memory().half(symbols.wrapping_add(symbol * SYMBOL)).filter(|name| *name != 0);
    let tables = [(tag::CALL_RELOCATIONS, tag::CALL_RELOCATIONS_BYTES), (tag::RELOCATIONS, tag::RELOCATIONS_BYTES)];
    for (table, bytes) in tables {
        let (Some(table), Some(bytes)) = (entry(table), entry(bytes)) else { continue };
        let Some(table) = image.table(image.resolved(table), usize::try_from(bytes.min(MAX_TABLE)).ok()?) else {
            continue;
        };
        for relocation in table.as_chunks::<RELOCATION>().0 {
            let word = |at: usize| Some(u64::from_le_bytes(*relocation.get(at..)?.first_chunk()?));
            let (Some(place), Some(information)) = (word(0), word(8)) else { continue };
            let symbol = information >> 32;
            if symbol == 0 {
                continue;
            }
            if places.len() >= MAX_FUNCTIONS {
                return Some(Imports { places, strings });
            }
            if let Some(name) = name(symbol) {
                places.insert(image.bias.wrapping_add(place), name);
            }
        }
    }
    Some(Imports { places, strings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::objects;
    use crate::process::Process;

    #[test]
    fn this_tests_imports_are_words_with_the_functions_addresses() {
        let own = Process { pid: std::process::id() };
        let objects = objects::of(&own.mappings().unwrap());
        let first = objects.first().unwrap();
        let imports = read(&Image::read(Memory(own), first.start).unwrap()).unwrap();
        let is_it = |word: &&u64| imports.name(**word).as_deref() == Some("process_vm_readv");
        let word = imports.places.keys().find(is_it).unwrap();
        assert_eq!(Memory(own).word(*word), Some(libc::process_vm_readv as *const () as usize as u64));
    }
}
