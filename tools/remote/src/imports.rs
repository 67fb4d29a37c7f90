//! Functions that a loaded object imports, by its relocations in memory.

use std::collections::HashMap;

use crate::image::{Image, tag};

/// Bytes of a relocation with addend (gABI, "Relocation").
const RELOCATION: usize = 24;
/// Bytes of a symbol (gABI, "Symbol Table").
const SYMBOL: u64 = 24;
/// Most bytes of a table that are read.
const MOST: u64 = 64 << 20;

/// Names by the address of the word that the dynamic linker fills in. Also words of data: their names do no harm.
pub(crate) fn read(image: &Image) -> Option<HashMap<u64, String>> {
    let dynamic = image.dynamic()?;
    let entry = |tag: u64| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
    let (symbols, strings) = (image.resolved(entry(tag::SYMBOLS)?), image.resolved(entry(tag::STRINGS)?));
    let strings_bytes = usize::try_from(entry(tag::STRINGS_BYTES)?.min(MOST)).ok()?;
    let strings = image.memory().bytes(strings, strings_bytes).ok()?;
    let mut found = HashMap::new();
    let tables = [(tag::CALL_RELOCATIONS, tag::CALL_RELOCATIONS_BYTES), (tag::RELOCATIONS, tag::RELOCATIONS_BYTES)];
    for (table, bytes) in tables {
        let (Some(table), Some(bytes)) = (entry(table), entry(bytes)) else { continue };
        let Ok(table) = image.memory().bytes(image.resolved(table), usize::try_from(bytes.min(MOST)).ok()?) else {
            continue;
        };
        for relocation in table.as_chunks::<RELOCATION>().0 {
            let word = |at: usize| Some(u64::from_le_bytes(*relocation.get(at..)?.first_chunk()?));
            let (Some(place), Some(information)) = (word(0), word(8)) else { continue };
            let symbol = information >> 32;
            if symbol == 0 {
                continue;
            }
            if let Some(name) = name(image, symbols.wrapping_add(symbol * SYMBOL), &strings) {
                found.insert(image.bias.wrapping_add(place), name);
            }
        }
    }
    Some(found)
}

/// Name of a symbol.
fn name(image: &Image, symbol: u64, strings: &[u8]) -> Option<String> {
    let start = usize::try_from(image.memory().half(symbol)?).ok()?;
    let name = strings.get(start..)?.split(|byte| *byte == 0).next()?;
    (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
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
        let (word, _) = imports.iter().find(|(_, name)| *name == "process_vm_readv").unwrap();
        assert_eq!(Memory(own).word(*word), Some(libc::process_vm_readv as *const () as usize as u64));
    }
}
