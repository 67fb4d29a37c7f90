//! Exported functions and variables of a loaded object, from its table in memory.

use crate::image::{Image, tag};

/// Bytes of a symbol (gABI, "Symbol Table").
const SYMBOL: usize = 24;
/// `STT_OBJECT` and `STT_FUNC`
const VARIABLE: u8 = 1;
const FUNCTION: u8 = 2;
/// Most symbols that are read.
const MOST: usize = 1 << 20;

/// Functions of one object, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols(Vec<Function>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    start: u64,
    bytes: u64,
    name: String,
}

impl Symbols {
    /// Reads the table; empty where there is none.
    pub(crate) fn read(image: &Image) -> Self {
        let mut functions = read(image, FUNCTION).unwrap_or_default();
        functions.sort_by_key(|function| function.start);
        Self(functions)
    }

    /// The function that an address lies in. Of several names, the one without a mark of the library's own.
    pub(crate) fn name(&self, address: u64) -> Option<&str> {
        let behind = self.0.partition_point(|function| function.start <= address);
        let before = self.0.get(..behind)?;
        let start = before.last()?.start;
        let same = before.iter().rev().take_while(|function| function.start == start);
        let holding = same.filter(|function| address - function.start < function.bytes.max(1));
        holding
            .min_by_key(|function| function.name.bytes().take_while(|byte| *byte == b'_').count())
            .map(|it| it.name.as_str())
    }

    /// Address of a function.
    pub(crate) fn address(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|function| function.name == name).map(|function| function.start)
    }
}

/// Address of an exported variable.
pub(crate) fn variable(image: &Image, name: &str) -> Option<u64> {
    read(image, VARIABLE)?.into_iter().find(|variable| variable.name == name).map(|variable| variable.start)
}

/// Symbols of a kind.
fn read(image: &Image, kind: u8) -> Option<Vec<Function>> {
    let dynamic = image.dynamic()?;
    let entry = |tag: u64| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
    let (table, strings) = (image.resolved(entry(tag::SYMBOLS)?), image.resolved(entry(tag::STRINGS)?));
    let count = count(image, image.resolved(entry(tag::GNU_HASH)?))?.min(MOST);
    let strings_bytes = usize::try_from(entry(tag::STRINGS_BYTES)?).ok().filter(|bytes| *bytes < 64 << 20)?;
    let symbols = image.memory().bytes(table, count.checked_mul(SYMBOL)?).ok()?;
    let strings = image.memory().bytes(strings, strings_bytes).ok()?;
    Some(symbols.as_chunks::<SYMBOL>().0.iter().filter_map(|it| symbol(image, it, kind, &strings)).collect())
}

/// A symbol that is of this kind and defined here.
fn symbol(image: &Image, symbol: &[u8; SYMBOL], wanted: u8, strings: &[u8]) -> Option<Function> {
    let word = |at: usize| Some(u64::from_le_bytes(*symbol.get(at..)?.first_chunk()?));
    let name = u32::from_le_bytes(*symbol.first_chunk()?);
    let (kind, section) = (symbol.get(4)? & 15, u16::from_le_bytes(*symbol.get(6..)?.first_chunk()?));
    if kind != wanted || section == 0 {
        return None;
    }
    let name = strings.get(usize::try_from(name).ok()?..)?.split(|byte| *byte == 0).next()?;
    Some(Function {
        start: image.bias.wrapping_add(word(8)?),
        bytes: word(16)?,
        name: String::from_utf8_lossy(name).into_owned(),
    })
}

/// Number of symbols: the last one of the last chain of the hash table has the highest number.
fn count(image: &Image, table: u64) -> Option<usize> {
    let memory = image.memory();
    let word = |index: u64| memory.half(table.wrapping_add(index * 4));
    let [buckets, first, bloom] = [word(0)?, word(1)?, word(2)?].map(u64::from);
    let start = 4 + 2 * bloom;
    let all = memory.bytes(table.wrapping_add(start * 4), usize::try_from(buckets).ok()?.checked_mul(4)?).ok()?;
    let last = all.as_chunks::<4>().0.iter().map(|bucket| u32::from_le_bytes(*bucket)).max()?;
    let last = u64::from(last);
    if last < first {
        return usize::try_from(first).ok();
    }
    for symbol in last..last + MOST as u64 {
        if word(start + buckets + (symbol - first))? & 1 == 1 {
            return usize::try_from(symbol + 1).ok();
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

    #[test]
    fn functions_of_the_c_library_are_found_by_name_and_by_address() {
        let own = Process { pid: std::process::id() };
        let objects = objects::of(&own.mappings().unwrap());
        let library = objects.iter().find(|object| object.is("libc.so")).unwrap();
        let symbols = Symbols::read(&Image::read(Memory(own), library.start).unwrap());
        let address = symbols.address("getpid").unwrap();
        assert_eq!(address, libc::getpid as *const () as usize as u64);
        assert_eq!(symbols.name(address + 1), Some("getpid"));
        assert_eq!(symbols.address("no_such_function"), None);
        let image = Image::read(Memory(own), library.start).unwrap();
        let environment = variable(&image, "environ").and_then(|address| Memory(own).word(address)).unwrap();
        let first = Memory(own).word(environment).and_then(|first| Memory(own).text(first)).unwrap();
        assert!(first.contains('='), "{first}");
    }
}
