//! The functions of a shared library and what each refers to, read from `objdump`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// What a function calls, jumps to or takes the address of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A function of this library, by its place in [`Image::functions`].
    Own(usize),
    /// A function that another library defines.
    Import(String),
    /// Whatever a register, or memory that no linker fills in, holds the address of.
    Pointer,
}

/// One function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) targets: BTreeSet<Target>,
}

/// The functions of a library.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) functions: Vec<Function>,
}

/// What a word that the dynamic linker fills in will hold.
enum Word {
    Address(u64),
    Symbol(String),
}

impl Image {
    /// Disassembles `library`.
    pub(crate) fn read(library: &Path) -> Result<Self> {
        let words = workspace::read(Command::new("objdump").arg("--dynamic-reloc").arg(library))?;
        let code = workspace::read(
            Command::new("objdump").args(["--disassemble", "--no-show-raw-insn", "--demangle"]).arg(library),
        )?;
        let image = Self::parse(&words, &code);
        if image.functions.len() < 10 {
            bail!("{} has no names of functions in it: is it stripped?", library.display());
        }
        Ok(image)
    }

    fn parse(words: &str, code: &str) -> Self {
        let words: BTreeMap<u64, Word> = words.lines().filter_map(word).collect();
        let starts: BTreeMap<u64, usize> =
            code.lines().filter_map(label).enumerate().map(|(index, (start, _))| (start, index)).collect();
        let mut functions: Vec<Function> = Vec::new();
        for line in code.lines() {
            if let Some((_, name)) = label(line) {
                functions.push(Function { name: name.to_owned(), targets: BTreeSet::new() });
            } else if is_through_pointer(line) {
                if let Some(function) = functions.last_mut() {
                    function.targets.insert(Target::Pointer);
                }
            } else if let Some(address) = reference(line) {
                let here = functions.len().saturating_sub(1);
                let target = match words.get(&address) {
                    Some(Word::Symbol(name)) => Some(Target::Import(name.clone())),
                    Some(Word::Address(address)) => starts.get(address).map(|own| Target::Own(*own)),
                    // A jump into the middle of another function's code counts as one to that function.
                    None if is_branch(line) => starts.range(..=address).next_back().map(|(_, own)| Target::Own(*own)),
                    // What stands in a variable.
                    None if branch(line).is_some() => Some(Target::Pointer),
                    None => starts.get(&address).map(|own| Target::Own(*own)),
                };
                if let (Some(target), Some(function)) = (target, functions.get_mut(here))
                    && target != Target::Own(here)
                {
                    function.targets.insert(target);
                }
            }
        }
        Self { functions }
    }

    /// The name of a target, without the marks of versions and linkage tables.
    pub(crate) fn name<'a>(&'a self, target: &'a Target) -> &'a str {
        let name = match target {
            Target::Own(index) => self.functions.get(*index).map_or("?", |function| function.name.as_str()),
            Target::Import(name) => name.as_str(),
            Target::Pointer => "(a pointer)",
        };
        name.split('@').next().unwrap_or(name)
    }

    /// The function of this name.
    pub(crate) fn find(&self, name: &str) -> Result<usize> {
        self.functions
            .iter()
            .position(|function| function.name == name)
            .with_context(|| format!("the library has no function {name}"))
    }
}

/// `0000000000001234 <name>:`
fn label(line: &str) -> Option<(u64, &str)> {
    let (address, rest) = line.split_once(' ')?;
    let name = rest.strip_prefix('<')?.strip_suffix(">:")?;
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

/// `000000000004c2f0 R_X86_64_GLOB_DAT  malloc@GLIBC_2.2.5`
fn word(line: &str) -> Option<(u64, Word)> {
    let mut parts = line.split_whitespace();
    let place = u64::from_str_radix(parts.next()?, 16).ok()?;
    let kind = parts.next().filter(|kind| kind.starts_with("R_"))?;
    let value = parts.next()?;
    if let Some(address) = value.strip_prefix("*ABS*+0x") {
        return Some((place, Word::Address(u64::from_str_radix(address, 16).ok()?)));
    }
    // Thread-local storage has no function in it.
    (!kind.contains("TPOFF") && !kind.contains("DTP")).then(|| (place, Word::Symbol(value.to_owned())))
}

/// The address that an instruction names: where it branches to, or what stands behind its `#`.
fn reference(line: &str) -> Option<u64> {
    let (_, instruction) = line.split_once(":\t")?;
    let text = match instruction.split_once("# ") {
        Some((_, address)) => address,
        None if is_branch(line) => instruction.split_once(char::is_whitespace)?.1.trim_start(),
        None => return None,
    };
    let digits = text.split_whitespace().next()?;
    u64::from_str_radix(digits.trim_start_matches("0x"), 16).ok()
}

/// What a branch on this line is called, and its operand.
fn branch(line: &str) -> Option<(&str, &str)> {
    let (_, instruction) = line.split_once(":\t")?;
    let mut words = instruction.split_whitespace().filter(|word| !matches!(*word, "bnd" | "addr32" | "notrack"));
    let name = words.next().filter(|name| name.starts_with("call") || name.starts_with('j'))?;
    Some((name, words.next()?))
}

/// Whether the instruction on this line goes straight to an address that it names.
fn is_branch(line: &str) -> bool {
    branch(line).is_some_and(|(_, operand)| !operand.starts_with('*'))
}

/// Whether it calls what a register or memory other than a word of the linker's holds. A jump to what a register holds is one
/// within a function, by a table; one by memory is the last call of a function.
fn is_through_pointer(line: &str) -> bool {
    let is_word = |operand: &str| operand.ends_with("(%rip)");
    branch(line).is_some_and(|(name, operand)| {
        operand.starts_with('*') && !is_word(operand) && (name.starts_with("call") || operand.contains('('))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "\
OFFSET           TYPE              VALUE
0000000000004000 R_X86_64_GLOB_DAT  malloc@GLIBC_2.2.5
0000000000004008 R_X86_64_RELATIVE  *ABS*+0x0000000000001020
0000000000004010 R_X86_64_TPOFF64   *ABS*+0x10
";
    const CODE: &str = "\
0000000000001000 <a::first::<b::T>>:
    1000:\tje     1008 <a::first::<b::T>+0x8>
    1002:\tcall   *0x2ff8(%rip)        # 4000 <malloc@GLIBC_2.2.5>
    1004:\tcall   *0x2ffe(%rip)        # 4008 <_DYNAMIC+0x8>
    1008:\tjmp    1030 <c::third>
0000000000001020 <second>:
    1020:\tlea    0xc(%rip),%rax        # 1030 <c::third>
    1024:\tcall   *0x3000(%rip)        # 4030 <VARIABLE+0x10>
    1026:\tmov    0x2fe4(%rip),%rax        # 4010 <x>
    1028:\tjne    1034 <c::third+0x4>
0000000000001030 <c::third>:
    1030:\tret
";

    #[test]
    fn a_call_through_a_pointer_is_told_from_a_jump_by_a_table() {
        for through in [
            "  10:\tcall   *%rax",
            "  10:\tcall   *0x18(%rcx)",
            "  10:\tjmp    *0x8(%rdi)",
            "  10:\tnotrack jmp *(%rax)",
        ] {
            assert!(is_through_pointer(through), "{through}");
        }
        for other in [
            "  10:\tjmp    *%rax",
            "  10:\tcall   *0x2ff8(%rip)        # 4000 <malloc>",
            "  10:\tjmp    1030 <f>",
            "  10:\tret",
        ] {
            assert!(!is_through_pointer(other), "{other}");
        }
    }

    #[test]
    fn calls_jumps_table_words_and_taken_addresses_are_targets() {
        let image = Image::parse(WORDS, CODE);
        let names: Vec<Vec<&str>> = image
            .functions
            .iter()
            .map(|function| function.targets.iter().map(|target| image.name(target)).collect())
            .collect();
        assert_eq!(names, [vec!["second", "c::third", "malloc"], vec!["c::third", "(a pointer)"], vec![]]);
        assert_eq!(image.functions[0].name, "a::first::<b::T>");
    }
}
