//! Lookup of an object's own symbols by either kind of hash table (System V gABI, "Hash Table"; GNU's `DT_GNU_HASH`).
#![allow(unsafe_code)] // reads the dynamic linker's tables

use super::{Object, dt};
use std::ffi::CStr;

impl Object {
    fn symbol(&self, index: usize) -> Option<libc::Elf64_Sym> {
        let symbols = self.table::<libc::Elf64_Sym>(dt::SYMTAB)?;
        // SAFETY: `index` is from a relocation, a bucket or a hash chain, which number symbols of this table (gABI,
        // "Symbol Table").
        Some(unsafe { symbols.wrapping_add(index).read() })
    }

    /// The function that the object defines under this name, in this version or in its default one.
    pub fn function(&self, name: &CStr, version: Option<&CStr>) -> Option<*const ()> {
        let versions = self.table::<u16>(dt::VERSYM);
        self.find(name, &mut |index, symbol| {
            let here = symbol.st_shndx != 0 && symbol.st_info & 0xf == 2;
            // SAFETY: the version table has an entry for each symbol (LSB, "Symbol Version Table").
            let own = versions.map(|v| unsafe { v.wrapping_add(index).read() });
            let right = match (version, own) {
                (None, own) => own.is_none_or(|own| own & 0x8000 == 0),
                (Some(version), own) => self.defined_version(own? & 0x7fff) == Some(version),
            };
            #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
            let address = self.base().wrapping_add(symbol.st_value as usize);
            (here && right).then_some(address as *const ())
        })
    }

    /// True if the object defines a symbol of this name, of any type and version.
    pub fn defines(&self, name: &CStr) -> bool {
        self.find(name, &mut |_, symbol| (symbol.st_shndx != 0).then_some(())).is_some()
    }

    /// The name of the exported function with this index among them. Valid while the object is loaded.
    pub fn exported_function(&self, position: usize) -> Option<&'static CStr> {
        let table = self.table::<u32>(dt::GNU_HASH)?;
        // SAFETY: a word of the loaded table: its header gives the number of buckets, its chains end at a set low bit.
        let word = |index: usize| unsafe { table.wrapping_add(index).read() };
        let [buckets, first, bloom] = [0, 1, 2].map(|index| word(index) as usize);
        let start = 4 + 2 * bloom;
        // Chains are contiguous and in the order of symbols: the last one starts at the highest bucket.
        let mut index = first;
        let last = (0..buckets).map(|bucket| word(start + bucket) as usize).max().filter(|last| *last >= first)?;
        let mut left = position;
        loop {
            let symbol = self.symbol(index)?;
            if symbol.st_shndx != 0 && symbol.st_info & 0xf == 2 {
                if left == 0 {
                    let strings = self.table::<u8>(dt::STRTAB)?;
                    // SAFETY: `st_name` is an offset into the string table, whose strings end in a zero (gABI, "String
                    // Table").
                    return Some(unsafe { CStr::from_ptr(strings.wrapping_add(symbol.st_name as usize).cast()) });
                }
                left -= 1;
            }
            if index >= last && word(start + buckets + index - first) & 1 == 1 {
                return None;
            }
            index += 1;
        }
    }

    /// Looks up a name in the object's hash table of either kind.
    fn find<T>(&self, name: &CStr, choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>) -> Option<T> {
        if let Some(table) = self.table::<u32>(dt::GNU_HASH) {
            return self.find_by_gnu_hash(table, name, choose);
        }
        self.find_by_hash(self.table::<u32>(dt::HASH)?, name, choose)
    }

    /// System V's hash table: the numbers of buckets and symbols, then buckets and chains of symbol numbers that end
    /// with 0.
    fn find_by_hash<T>(
        &self,
        table: *const u32,
        name: &CStr,
        choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>,
    ) -> Option<T> {
        // SAFETY: a word of the loaded table: its header gives the numbers of buckets and chains (gABI, "Hash Table").
        let word = |index: u32| unsafe { table.wrapping_add(index as usize).read() };
        let hash = name.to_bytes().iter().fold(0_u32, |h, c| {
            let h = (h << 4).wrapping_add(u32::from(*c));
            let high = h & 0xf000_0000;
            (h ^ high >> 24) & !high
        });
        let buckets = word(0);
        let mut index = word(2 + hash.checked_rem(buckets)?);
        while index != 0 {
            let symbol = self.symbol(index as usize)?;
            if self.string(symbol.st_name as usize) == Some(name)
                && let Some(found) = choose(index as usize, symbol)
            {
                return Some(found);
            }
            index = word(2 + buckets + index);
        }
        None
    }

    /// The GNU hash table: a Bloom filter, then buckets that hold the first symbol of a chain. The last hash of a chain
    /// is odd.
    fn find_by_gnu_hash<T>(
        &self,
        table: *const u32,
        name: &CStr,
        choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>,
    ) -> Option<T> {
        // SAFETY: a word of the loaded table: its header gives the number of buckets, its chains end at a set low bit.
        let word = |index: usize| unsafe { table.wrapping_add(index).read() };
        let hash = name.to_bytes().iter().fold(5381_u32, |h, c| h.wrapping_mul(33).wrapping_add(u32::from(*c)));
        let [buckets, first, bloom, shift] = [0, 1, 2, 3].map(word);
        // The filter's words have 64 bits, two of which are set for each name; they are read in halves.
        let place = 4 + 2 * (hash / 64).checked_rem(bloom)? as usize;
        let bit = |hash: u32| word(place + (hash / 32 % 2) as usize) >> (hash % 32) & 1 == 1;
        if !bit(hash) || !bit(hash.checked_shr(shift)?) {
            return None;
        }
        let start = 4 + 2 * bloom as usize;
        let mut index = word(start + hash.checked_rem(buckets)? as usize);
        if index < first {
            return None;
        }
        loop {
            let here = word(start + buckets as usize + (index - first) as usize);
            let symbol = self.symbol(index as usize)?;
            if here | 1 == hash | 1
                && self.string(symbol.st_name as usize) == Some(name)
                && let Some(found) = choose(index as usize, symbol)
            {
                return Some(found);
            }
            if here & 1 == 1 {
                return None;
            }
            index += 1;
        }
    }
}
