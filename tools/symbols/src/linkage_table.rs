//! Entries of procedure linkage tables, named after the functions that they jump to: `rand@plt`.

use std::collections::HashMap;

use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use system::arch::instructions::MachineCode;

use crate::brief::brief;
use crate::image::processor;
use crate::linkage_name::plain;

/// Sections with such entries; a table's first entry, which binds lazily, has no name.
const SECTIONS: [&str; 4] = [".plt", ".plt.sec", ".plt.got", ".plt.bnd"];
/// Most bytes of all names: several times those of the largest programs.
const MAX_NAMES: usize = 64 << 20;

/// Linkage table of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkageTable(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    begin: u64,
    end: u64,
    name: String,
}

impl LinkageTable {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let Some(processor) = processor(object.architecture()) else { return Self::default() };
        let slots = slots(object);
        let mut names_left = MAX_NAMES;
        let mut entries = Vec::new();
        for section in SECTIONS.iter().filter_map(|name| object.section_by_name(name)) {
            let Ok(bytes) = section.data() else { continue };
            let code = MachineCode { processor, bytes, begin: section.address(), is_fixed: false };
            entries.extend(self::entries(&code, &slots, &mut names_left));
        }
        entries.sort_by_key(|entry| entry.begin);
        Self(entries)
    }

    /// Name of the entry that an address lies in.
    pub(super) fn name(&self, address: u64) -> Option<&str> {
        let after = self.0.partition_point(|entry| entry.begin <= address);
        let entry = self.0.get(after.checked_sub(1)?)?;
        (address < entry.end).then_some(&entry.name)
    }
}

/// Names of imported functions by the words of the GOT that hold their addresses.
fn slots<'data>(object: &impl Object<'data>) -> HashMap<u64, &'data str> {
    let names = object.dynamic_symbols().filter_map(|symbol| Some((symbol.index(), symbol.name().ok()?)));
    let names: HashMap<_, _> = names.filter(|(_, name)| !name.is_empty()).collect();
    let slot = |(address, relocation): (u64, object::Relocation)| match relocation.target() {
        RelocationTarget::Symbol(index) => Some((address, *names.get(&index)?)),
        _ => None,
    };
    object.dynamic_relocations().into_iter().flatten().filter_map(slot).collect()
}

/// The entries of a section. An entry ends where the next one begins.
fn entries(code: &MachineCode<'_>, slots: &HashMap<u64, &str>, names_left: &mut usize) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut last = None;
    for at in code.places() {
        // An entry's jump is found anew at the instructions between its beginning and the jump.
        let Some(slot) = code.linkage_slot(at).filter(|slot| last != Some(*slot)) else { continue };
        last = Some(slot);
        if let Some(before) = found.last_mut() {
            before.end = before.end.min(at);
        }
        let Some(symbol) = slots.get(&slot) else { continue };
        let Some(left) = names_left.checked_sub(symbol.len()) else { break };
        *names_left = left;
        let name = format!("{}@plt", brief(&plain(symbol, false)));
        found.push(Entry { begin: at, end: code.begin.saturating_add(code.bytes.len() as u64), name });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::arch::instructions::Processor;

    fn named(processor: Processor, bytes: &[u8], slots: &[(u64, &str)]) -> Vec<(u64, u64, String)> {
        let code = MachineCode { processor, bytes, begin: 0x1000, is_fixed: false };
        let found = entries(&code, &slots.iter().copied().collect(), &mut 1000);
        found.into_iter().map(|entry| (entry.begin, entry.end, entry.name)).collect()
    }

    #[test]
    fn entries_of_x86_64_have_the_names_of_the_functions_behind_them() {
        // push *0x2000; jmp *0x2008: the entry that binds lazily. Then `jmp *slot; push index; jmp 0x1000` twice.
        let mut bytes = vec![0xff, 0x35, 0xfa, 0x0f, 0, 0, 0xff, 0x25, 0xfc, 0x0f, 0, 0, 0x0f, 0x1f, 0x40, 0];
        for (slot, at) in [(0x2010_u32, 0x1010_u32), (0x2018, 0x1020)] {
            bytes.extend([[0xff, 0x25].as_slice(), &(slot - at - 6).to_le_bytes()].concat());
            bytes.extend([0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0]);
        }
        let slots = [(0x2010, "rand"), (0x2018, "_Z3addIdET_S0_")];
        let expected = [(0x1010, 0x1020, "rand@plt".to_owned()), (0x1020, 0x1030, "add<double>@plt".to_owned())];
        assert_eq!(named(Processor::X86_64, &bytes, &slots), expected);
        // endbr64; bnd jmp *slot: an entry of .plt.sec. Nobody knows the first slot.
        let mut bytes = Vec::new();
        for (slot, at) in [(0x3000_u32, 0x1000_u32), (0x2010, 0x1010)] {
            bytes.extend(
                [[0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25].as_slice(), &(slot - at - 11).to_le_bytes()].concat(),
            );
            bytes.extend([0x0f, 0x1f, 0x44, 0, 0]);
        }
        assert_eq!(named(Processor::X86_64, &bytes, &slots), [(0x1010, 0x1020, "rand@plt".to_owned())]);
    }

    #[test]
    fn entries_of_aarch64_have_the_names_of_the_functions_behind_them() {
        // bti c; adrp x16, 0x11000; ldr x17, [x16, #0x18 + 8 * n]; add x16, x16, #0x18 + 8 * n; br x17; nop
        let entry = |n: u32| {
            [0xd503_245f, 0x9000_0090, 0xf940_0e11 + (n << 10), 0x9100_6210 + (n << 13), 0xd61f_0220, 0xd503_201f]
        };
        let bytes: Vec<u8> = [entry(0), entry(1)].concat().into_iter().flat_map(u32::to_le_bytes).collect();
        let expected = [(0x1000, 0x1018, "rand@plt".to_owned()), (0x1018, 0x1030, "sin@plt".to_owned())];
        assert_eq!(named(Processor::Aarch64, &bytes, &[(0x11018, "rand"), (0x11020, "sin")]), expected);
    }
}
