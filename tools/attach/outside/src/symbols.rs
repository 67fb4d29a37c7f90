//! Exported functions and variables of a loaded object, from its table in memory.

use crate::image::{Image, tag};
use crate::tables;

/// Bytes of a symbol (gABI, "Symbol Table").
const SYMBOL: usize = 24;
/// `STT_OBJECT` and `STT_FUNC`
const VARIABLE: u8 = 1;
const FUNCTION: u8 = 2;
/// Maximum number of symbols that are read.
const MAX_SYMBOLS: usize = 1 << 20;
/// Maximum number of bytes of their names.
const MAX_STRINGS: usize = 64 << 20;
/// Maximum number of names of one address that are compared.
const MAX_NAMES: usize = 64;
/// Number of bytes of the table of hashes that are read at a time.
const CHUNK: usize = 4096;

/// Functions of one object, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    functions: Vec<Function>,
    /// Names of the functions: all of them may be parts of a single one.
    strings: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Function {
    start: u64,
    bytes: u64,
    /// Position of its name.
    name: u32,
}

impl Symbols {
    /// Reads the table; empty if there is none.
    pub(crate) fn read(image: &Image) -> Self {
        let mut symbols = read(image, FUNCTION).unwrap_or_default();
        symbols.functions.sort_by_key(|function| function.start);
        symbols
    }

    /// Adds functions: address, size and name of each.
    pub(crate) fn add<'n>(&mut self, functions: impl Iterator<Item = (u64, u64, &'n str)>) {
        for (start, bytes, name) in functions {
            let Ok(place) = u32::try_from(self.strings.len()) else { break };
            self.strings.extend(name.bytes().chain([0]));
            self.functions.push(Function { start, bytes, name: place });
        }
        self.functions.sort_by_key(|function| function.start);
    }

    /// The function that contains an address. Among several names, the one without the prefix of library-internal
    /// names.
    pub(crate) fn name(&self, address: u64) -> Option<String> {
        let behind = self.functions.partition_point(|function| function.start <= address);
        let before = self.functions.get(..behind)?;
        let start = before.last()?.start;
        let same = before.iter().rev().take(MAX_NAMES).take_while(|function| function.start == start);
        let holding = same.filter(|function| address - function.start < function.bytes.max(1));
        let name = holding
            .filter_map(|function| self.text(function))
            .min_by_key(|name| name.iter().take_while(|byte| **byte == b'_').count())?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// Address of a function.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        let name = name.as_bytes();
        self.functions.iter().find(|function| self.text(function) == Some(name)).map(|function| function.start)
    }

    fn text(&self, function: &Function) -> Option<&[u8]> {
        tables::name(&self.strings, usize::try_from(function.name).ok()?)
    }
}

/// Address of an exported variable.
pub(crate) fn variable(image: &Image, name: &str) -> Option<u64> {
    read(image, VARIABLE)?.address(name)
}

/// Symbols of a kind.
fn read(image: &Image, kind: u8) -> Option<Symbols> {
    let dynamic = image.dynamic()?;
    let entry = |tag: u64| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
    let (table, strings) = (image.resolved(entry(tag::SYMBOLS)?), image.resolved(entry(tag::STRINGS)?));
    let count = count(image, image.resolved(entry(tag::GNU_HASH)?))?.min(MAX_SYMBOLS);
    let strings_bytes = usize::try_from(entry(tag::STRINGS_BYTES)?).ok().filter(|bytes| *bytes <= MAX_STRINGS)?;
    let symbols = image.table(table, count.checked_mul(SYMBOL)?)?;
    let strings = image.table(strings, strings_bytes)?;
    let functions = symbols.as_chunks::<SYMBOL>().0.iter().filter_map(|it| symbol(image, it, kind)).collect();
    Some(Symbols { functions, strings })
}

/// A symbol, if it is of this kind and defined here.
fn symbol(image: &Image, symbol: &[u8; SYMBOL], wanted: u8) -> Option<Function> {
    let word = |at: usize| Some(u64::from_le_bytes(*symbol.get(at..)?.first_chunk()?));
    let name = u32::from_le_bytes(*symbol.first_chunk()?);
    let (kind, section) = (symbol.get(4)? & 15, u16::from_le_bytes(*symbol.get(6..)?.first_chunk()?));
    if kind != wanted || section == 0 {
        return None;
    }
    Some(Function { start: image.bias.wrapping_add(word(8)?), bytes: word(16)?, name })
}

/// Number of symbols: the last one of the last chain of the hash table has the highest number.
fn count(image: &Image, table: u64) -> Option<usize> {
    let memory = image.memory();
    let word = |index: u64| memory.half(table.wrapping_add(index * 4));
    let [buckets, first, bloom] = [word(0)?, word(1)?, word(2)?].map(u64::from);
    let start = 4 + 2 * bloom;
    let bytes = usize::try_from(buckets).ok().filter(|buckets| *buckets <= MAX_SYMBOLS)?.checked_mul(4)?;
    let all = image.table(table.wrapping_add(start * 4), bytes)?;
    let last = all.as_chunks::<4>().0.iter().map(|bucket| u32::from_le_bytes(*bucket)).max()?;
    let last = u64::from(last);
    if last < first {
        return usize::try_from(first).ok();
    }
    let chain = table.wrapping_add((start + buckets + (last - first)) * 4);
    for chunk in (0..MAX_SYMBOLS * 4).step_by(CHUNK) {
        let hashes = image.table_up_to(chain.wrapping_add(chunk as u64), CHUNK)?;
        let is_last = |hash: &[u8; 4]| u32::from_le_bytes(*hash) & 1 == 1;
        if let Some(place) = hashes.as_chunks::<4>().0.iter().position(is_last) {
            return usize::try_from(last).ok()?.checked_add(chunk / 4 + place + 1);
        }
        if hashes.len() < CHUNK {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::objects;
    use crate::process::Process;

    /// An object in this process's memory, each of whose functions has the same long name.
    fn forged(functions: usize, name: usize) -> (Vec<u64>, Vec<Vec<u8>>) {
        let bytes = |words: Vec<u64>| words.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
        let halves = |words: Vec<u32>| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        let strings = [vec![b'A'; name - 1], vec![0]].concat();
        // Position of no name, STT_FUNC, in section 1; address and size.
        let symbols = bytes((0..functions as u64).flat_map(|it| [(1 << 48) | (2 << 32), 0x800 + it, 1]).collect());
        let last = u32::try_from(functions - 1).unwrap();
        let hashes = halves([1, 1, 0, 0, last].into_iter().chain((0..functions).map(|_| 1)).collect());
        let tables = vec![symbols, strings, hashes];
        let at = |table: usize| tables[table].as_ptr().addr() as u64;
        let dynamic = [tag::SYMBOLS, at(0), tag::STRINGS, at(1), tag::STRINGS_BYTES, name as u64, tag::GNU_HASH, at(2)];
        let mut object = vec![0_u64; 512];
        // An ELF header with two program headers at 64: all of it, and the dynamic section at 0x400.
        object[0] = u64::from_le_bytes(*b"\x7fELF\x02\x01\x01\0");
        object[2] = 3 | (62 << 16) | (1 << 32);
        (object[4], object[6]) = (64, (64 << 32) | (56 << 48));
        object[7] = 2;
        object[8..16].copy_from_slice(&[1 | (7 << 32), 0, 0, 0, 4096, 4096, 4096, 2 | (6 << 32)]);
        object[16..22].copy_from_slice(&[0x400, 0x400, 0x400, 0x100, 0x100, 8]);
        object[128..136].copy_from_slice(&dynamic);
        (object, tables)
    }

    #[test]
    fn functions_that_share_one_long_name_take_no_memory_for_it() {
        let (object, _tables) = forged(2000, 1 << 20);
        let own = Memory(Process { pid: std::process::id() });
        let symbols = Symbols::read(&Image::read(own, object.as_ptr().addr() as u64).unwrap());
        assert_eq!((symbols.functions.len(), symbols.strings.len()), (2000, 1 << 20));
        let address = symbols.functions[5].start;
        assert_eq!(symbols.name(address).map(|name| name.len()), Some(4096));
        let resident = Process { pid: std::process::id() }.file("statm");
        let pages: usize = std::fs::read_to_string(resident).unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        assert!(pages < 1 << 18, "{pages} pages");
    }

    #[test]
    fn functions_of_the_c_library_are_found_by_name_and_by_address() {
        let own = Process { pid: std::process::id() };
        let objects = objects::of(&own.mappings().unwrap());
        let library = objects.iter().find(|object| object.is("libc.so")).unwrap();
        let symbols = Symbols::read(&Image::read(Memory(own), library.start).unwrap());
        let address = symbols.address("getpid").unwrap();
        assert_eq!(address, libc::getpid as *const () as usize as u64);
        assert_eq!(symbols.name(address + 1).as_deref(), Some("getpid"));
        assert_eq!(symbols.address("no_such_function"), None);
        let image = Image::read(Memory(own), library.start).unwrap();
        let environment = variable(&image, "environ").and_then(|address| Memory(own).word(address)).unwrap();
        let first = Memory(own).word(environment).and_then(|first| Memory(own).text(first)).unwrap();
        assert!(first.contains('='), "{first}");
    }
}
