//! Functions of a shared library and their references, decoded from its machine code.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use object::elf::{R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64};
use object::{
    File, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget, SectionKind,
    SymbolKind,
};

/// Target of a call, a jump or an address computation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// A function of this library, by its index in [`Image::functions`].
    Own(usize),
    /// A function that another library defines.
    Import(String),
    /// Unknown: the address is in a register, or in memory that no linker fills in.
    Pointer,
}

/// A function and its references.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) targets: BTreeSet<Target>,
    /// Number of conditional branches.
    pub(super) branches: usize,
    /// Number of those that touch a 32-byte boundary (Intel, "Mitigations for Jump Conditional Code Erratum").
    pub(super) split: usize,
}

/// Functions of a library.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) functions: Vec<Function>,
}

/// Reference made by an instruction.
#[derive(Debug, PartialEq, Eq)]
enum Reference {
    /// Jumps to this address.
    Branch(u64),
    /// Jumps to the address that is stored at this address.
    BranchThrough(u64),
    /// Reads, writes or takes the address of the data at this address.
    Data(u64),
    /// Jumps to the address in a register, or in memory that a register points to.
    Pointer,
}

impl Image {
    /// Decodes the functions of `library`.
    pub(super) fn read(library: &Path) -> Result<Self> {
        let bytes = std::fs::read(library).with_context(|| format!("can't read {}", library.display()))?;
        let file = File::parse(bytes.as_slice()).with_context(|| library.display().to_string())?;
        let image = Self::decode(&file).with_context(|| library.display().to_string())?;
        ensure!(image.functions.len() >= 10, "{} has no names of functions: is it stripped?", library.display());
        Ok(image)
    }

    fn decode(file: &File<'_>) -> Result<Self> {
        let names = names(file);
        let starts: BTreeMap<u64, usize> = names.keys().enumerate().map(|(index, start)| (*start, index)).collect();
        let mut functions: Vec<_> = names.into_values().map(|name| Function { name, ..Function::default() }).collect();
        let (words, stubs) = (words(file, &starts)?, stubs(file)?);
        let target = |reference| match reference {
            Reference::Pointer => Some(Target::Pointer),
            Reference::Branch(to) => match stubs.get(&to) {
                Some(word) => words.get(word).cloned(),
                // A jump into the middle of another function's code counts as a jump to that function.
                None => starts.range(..=to).next_back().map(|(_, own)| Target::Own(*own)),
            },
            // A variable may contain any pointer.
            Reference::BranchThrough(word) => words.get(&word).cloned().or(Some(Target::Pointer)),
            Reference::Data(at) => words.get(&at).cloned().or(starts.get(&at).map(|own| Target::Own(*own))),
        };
        for section in file.sections().filter(is_code) {
            let mut here = None;
            for instruction in &mut Decoder::with_ip(64, section.data()?, section.address(), DecoderOptions::NONE) {
                here = starts.get(&instruction.ip()).copied().or(here);
                let Some((index, function)) = here.and_then(|index| Some((index, functions.get_mut(index)?))) else {
                    continue;
                };
                if instruction.flow_control() == FlowControl::ConditionalBranch {
                    function.branches += 1;
                    function.split += usize::from(instruction.ip() / 32 != instruction.next_ip() / 32);
                }
                if let Some(target) = reference(&instruction).and_then(target)
                    && target != Target::Own(index)
                {
                    function.targets.insert(target);
                }
            }
        }
        Ok(Self { functions })
    }

    /// Name of a target.
    pub(super) fn name<'a>(&'a self, target: &'a Target) -> &'a str {
        match target {
            Target::Own(index) => self.functions.get(*index).map_or("?", |function| function.name.as_str()),
            Target::Import(name) => name.as_str(),
            Target::Pointer => "(a pointer)",
        }
    }

    /// Finds the functions of these names. Fails if there are none.
    pub(super) fn find(&self, what: &str, is_one: impl Fn(&str) -> bool) -> Result<BTreeSet<usize>> {
        let functions = self.functions.iter().enumerate().filter(|(_, function)| is_one(&function.name));
        let found: BTreeSet<_> = functions.map(|(index, _)| index).collect();
        ensure!(!found.is_empty(), "the library has no function {what}");
        Ok(found)
    }
}

/// True if a section contains functions. Entries of the linkage table are not decoded as functions: see [`stubs`].
fn is_code<'data>(section: &impl ObjectSection<'data>) -> bool {
    section.kind() == SectionKind::Text && !is_stubs(section)
}

fn is_stubs<'data>(section: &impl ObjectSection<'data>) -> bool {
    section.name().is_ok_and(|name| name.starts_with(".plt"))
}

/// Entries of the procedure linkage table by address, with the word through which each jumps. At most one other instruction (`endbr64`)
/// precedes that jump.
fn stubs(file: &File<'_>) -> Result<BTreeMap<u64, u64>> {
    let mut found = BTreeMap::new();
    for section in file.sections().filter(is_stubs) {
        let mut before = None;
        for instruction in &mut Decoder::with_ip(64, section.data()?, section.address(), DecoderOptions::NONE) {
            if let Some(Reference::BranchThrough(word)) = reference(&instruction) {
                found.insert(instruction.ip(), word);
                if let Some(before) = before {
                    found.entry(before).or_insert(word);
                }
            }
            before = Some(instruction.ip());
        }
    }
    Ok(found)
}

/// Words that the dynamic linker fills in with the address of a function, except those of thread-local storage.
fn words(file: &File<'_>, starts: &BTreeMap<u64, usize>) -> Result<BTreeMap<u64, Target>> {
    let symbols = file.dynamic_symbol_table();
    let mut words = BTreeMap::new();
    for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { bail!("not an ELF file") };
        if matches!(r_type, R_X86_64_TPOFF64 | R_X86_64_DTPMOD64 | R_X86_64_DTPOFF64) {
            continue;
        }
        if let RelocationTarget::Symbol(index) = relocation.target() {
            let symbols = symbols.as_ref().context("relocations without symbols")?;
            words.insert(place, Target::Import(symbols.symbol_by_index(index)?.name()?.to_owned()));
        } else if let Some(own) = starts.get(&relocation.addend().cast_unsigned()) {
            words.insert(place, Target::Own(*own));
        }
    }
    Ok(words)
}

/// Names of functions, demangled and without versions, by address. If an address has several names, a global one is preferred, and then the first in
/// alphabetical order.
fn names(file: &File<'_>) -> BTreeMap<u64, String> {
    let code: HashSet<_> = file.sections().filter(is_code).map(|section| section.index()).collect();
    let mut names: BTreeMap<u64, (bool, &str)> = BTreeMap::new();
    for symbol in file.symbols() {
        let is_function = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label | SymbolKind::Unknown)
            && symbol.section_index().is_some_and(|section| code.contains(&section));
        let (true, Ok(name)) = (is_function, symbol.name()) else { continue };
        let new = (symbol.is_local(), name);
        names.entry(symbol.address()).and_modify(|old| *old = new.min(*old)).or_insert(new);
    }
    let plain = |name: &str| name.split('@').next().unwrap_or(name).to_owned();
    let demangled = |(_, name)| plain(&format!("{:#}", rustc_demangle::demangle(name)));
    names.into_iter().map(|(address, name)| (address, demangled(name))).collect()
}

fn reference(instruction: &Instruction) -> Option<Reference> {
    let (is_call, is_jump) = (instruction.mnemonic() == Mnemonic::Call, instruction.mnemonic() == Mnemonic::Jmp);
    if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64 {
        return Some(Reference::Branch(instruction.near_branch64()));
    }
    if instruction.is_ip_rel_memory_operand() {
        let address = instruction.ip_rel_memory_address();
        return Some(if is_call || is_jump { Reference::BranchThrough(address) } else { Reference::Data(address) });
    }
    // A jump through a register stays within the function and uses a table; a jump through memory is a tail call.
    let by_memory = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Memory;
    (is_call || (is_jump && by_memory)).then_some(Reference::Pointer)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Reference of a single instruction, decoded at address 0x1000.
    fn of(code: &[u8]) -> Option<Reference> {
        let mut decoder = Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE);
        let instruction = decoder.decode();
        assert_eq!((instruction.len(), decoder.can_decode()), (code.len(), false));
        reference(&instruction)
    }

    #[test]
    fn a_call_through_a_pointer_is_told_from_a_jump_by_a_table() {
        // call *%rax; call *0x18(%rcx); jmp *0x8(%rdi); notrack jmp *(%rax)
        for through in [&[0xff, 0xd0][..], &[0xff, 0x51, 0x18], &[0xff, 0x67, 0x08], &[0x3e, 0xff, 0x20]] {
            assert_eq!(of(through), Some(Reference::Pointer), "{through:x?}");
        }
        // jmp *%rax; ret; mov (%rax),%rax
        for other in [&[0xff, 0xe0][..], &[0xc3], &[0x48, 0x8b, 0x00]] {
            assert_eq!(of(other), None, "{other:x?}");
        }
    }

    const SOURCE: &str = "
#include <stdlib.h>
static void hidden(void) { __asm__ volatile(\"\"); }
void *kept;
void (*variable)(void);
__attribute__((noinline)) static void local(void) { __asm__ volatile(\"\"); }
void exported(void) { __asm__ volatile(\"\"); }
void calls(int n) { if (n) { local(); exported(); kept = malloc(8); } variable(); __asm__ volatile(\"\"); }
void takes(void) { kept = hidden; }
void through(void (*pointer)(void)) { pointer(); __asm__ volatile(\"\"); }
void plain(void) { kept = &kept; }
";

    #[test]
    fn calls_in_every_kind_of_library_have_their_targets() {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("library.c"), folder.path().join("library.so"));
        std::fs::write(&source, SOURCE).unwrap();
        for way in
            [&["-fplt", "-Wl,-z,lazy"][..], &["-fcf-protection=full", "-Wl,-z,ibtplt"], &["-fno-plt"], &["-Wl,-z,now"]]
        {
            let mut gcc = Command::new("gcc");
            gcc.args(["-O1", "-shared", "-fPIC"]).args(way).arg("-o").arg(&library).arg(&source);
            assert!(gcc.status().unwrap().success());
            let image = Image::read(&library).unwrap();
            let targets = |name: &str| {
                let function = image.functions.iter().find(|function| function.name == name).unwrap();
                function.targets.iter().map(|target| image.name(target)).collect::<BTreeSet<_>>()
            };
            assert!(targets("calls").is_superset(&BTreeSet::from(["local", "exported", "malloc"])), "{way:?}");
            assert!(targets("takes").contains("hidden"), "{way:?}");
            assert_eq!(targets("through"), BTreeSet::from(["(a pointer)"]), "{way:?}");
        }
    }
}
