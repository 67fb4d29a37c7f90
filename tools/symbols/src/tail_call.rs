//! The body that a function passes on in its last call, which is a jump.
//!
//! A function that ends with a region ends in `jmp GOMP_parallel` or `jmp __kmpc_fork_call`, if the region uses none of its variables. The
//! runtime then returns to the caller of that function, so the call before the return address is that of the function.
//!
//! The body counts if no other code can have returned there: each jump out of the function leads to a runtime, with this
//! body, or to another function of the file, for which the same is true.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use system::arch::Target;
use system::arch::instructions::MachineCode;

use crate::argument::Code;
use crate::callee::{Callee, Imports};
use crate::passed_body::PassedBody;
use crate::step::{Step, step};
use crate::symbol_table::Symbols;
use crate::time::is_over;

/// Most functions that jump to each other.
const MAX_FUNCTIONS: usize = 8;
/// Most jumps out of these functions.
const MAX_JUMPS: usize = 32;
/// Most instructions of a function, and of all functions of a file.
const MAX_INSTRUCTIONS: usize = 1 << 14;
const MAX_IN_FILE: usize = 1 << 22;

/// Bodies of the functions of a file that were looked up.
#[derive(Debug)]
pub(super) struct TailCalls {
    known: HashMap<u64, Option<PassedBody>>,
    instructions_left: usize,
}

impl Default for TailCalls {
    fn default() -> Self {
        Self { known: HashMap::new(), instructions_left: MAX_IN_FILE }
    }
}

/// A file, and what is known about its functions.
pub(super) struct Search<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) symbols: &'a Symbols,
    pub(super) imports: &'a Imports,
}

impl TailCalls {
    /// The body that the function with this start passes on by jumps.
    pub(super) fn body(&mut self, search: &Search<'_>, function: u64) -> Option<PassedBody> {
        match self.known.entry(function) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(search.body(function, &mut self.instructions_left)),
        }
    }
}

/// Jumps of a function: their addresses, and where they lead.
#[derive(Debug, Default)]
struct Jumps {
    within: Vec<(u64, u64)>,
    out: Vec<(u64, Target)>,
}

impl Jumps {
    /// True if the instruction that loads the body's address is on all ways to the jump that passes it on.
    fn load_always(&self, body: &PassedBody) -> bool {
        let between = body.loaded_at..=body.passed_at;
        let skips = |(from, to): &(u64, u64)| !between.contains(from) && between.contains(to) && *to != body.loaded_at;
        !self.within.iter().any(skips)
    }
}

impl Search<'_> {
    fn body(&self, function: u64, instructions_left: &mut usize) -> Option<PassedBody> {
        let mut found: Option<PassedBody> = None;
        let (mut functions, mut index, mut jumps_left) = (vec![function], 0, MAX_JUMPS);
        while let Some(begin) = functions.get(index).copied() {
            index += 1;
            if is_over() {
                return None;
            }
            let jumps = self.jumps(begin, instructions_left)?;
            for (at, target) in &jumps.out {
                jumps_left = jumps_left.checked_sub(1)?;
                match self.imports.callee(self.symbols, self.code, *target)? {
                    Callee::Launcher if is_over() => return None,
                    Callee::Launcher => {
                        let body = PassedBody::of(self.code, self.symbols, *at, begin)?;
                        let first = found.get_or_insert(body);
                        if first.address != body.address || !jumps.load_always(&body) {
                            return None;
                        }
                    }
                    Callee::Own(other) if functions.contains(&other) => {}
                    Callee::Own(other) if functions.len() < MAX_FUNCTIONS => functions.push(other),
                    Callee::Own(_) | Callee::Other => return None,
                }
            }
        }
        found
    }

    /// The jumps of the function with this start. `None` if one of them leads to an unknown place.
    fn jumps(&self, begin: u64, instructions_left: &mut usize) -> Option<Jumps> {
        let end = self.symbols.containing(begin).filter(|symbol| symbol.address == begin)?.end;
        let code = self.code.instructions(begin)?;
        let (mut found, mut at) = (Jumps::default(), begin);
        for _ in 0..MAX_INSTRUCTIONS {
            if at >= end {
                return Some(found);
            }
            *instructions_left = instructions_left.checked_sub(1)?;
            let (step, next) = step_at(&code, at)?;
            match step {
                Step::Jumps(target) | Step::Branches(target) if (begin..end).contains(&target) => {
                    found.within.push((at, target));
                }
                Step::Jumps(target) | Step::Branches(target) => {
                    found.out.push((at, Target::Code(usize::try_from(target).ok()?)));
                }
                // A jump through the GOT.
                Step::Escapes => found.out.push((at, code.call(at)?.target)),
                _ => {}
            }
            at = next;
        }
        None
    }
}

fn step_at(code: &MachineCode<'_>, at: u64) -> Option<(Step, u64)> {
    let from = usize::try_from(at.checked_sub(code.begin)?).ok()?;
    step(code.processor, code.bytes.get(from..)?, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::arch::instructions::Processor;

    const F: u64 = 0x40_1000;
    const SYMBOLS: [(u64, u64, &str); 5] = [
        (F, 0x40_1020, "f"),
        (0x40_1020, 0x40_1040, "g"),
        (0x40_1040, 0x40_1050, "f._omp_fn.0"),
        (0x40_1050, 0x40_1060, "f._omp_fn.1"),
        (0x40_1060, 0x40_1070, "GOMP_parallel"),
    ];

    /// The body that `f` passes on, and the address of the jump, by the code of `f` and `g`.
    fn body(code: &[(u64, &[u8])], symbols: &[(u64, u64, &str)]) -> Option<(u64, u64)> {
        let mut bytes = vec![0x90; 0x1_0000];
        for (address, code) in code {
            let from = usize::try_from(address - F).unwrap();
            bytes[from..from + code.len()].copy_from_slice(code);
        }
        let segments = [(0, bytes.len() as u64, F)];
        let processor = Some(Processor::X86_64);
        let code = Code { processor, bytes: &bytes, segments: &segments, is_fixed: true };
        let (symbols, imports) = (Symbols::from(symbols), Imports::default());
        let search = Search { code: &code, symbols: &symbols, imports: &imports };
        let mut calls = TailCalls::default();
        let found = calls.body(&search, F);
        assert_eq!((calls.body(&search, F), calls.known.len()), (found, 1));
        found.map(|body| (body.address, body.passed_at))
    }

    /// mov $0x401000 + body, %edi; jmp GOMP_parallel, at 0x401000 + at
    fn passes(at: u8, body: u8) -> [u8; 10] {
        [0xbf, body, 0x10, 0x40, 0, 0xe9, 0x60 - 10 - at, 0, 0, 0]
    }

    #[test]
    fn the_body_that_each_jump_to_a_runtime_gets_is_the_functions() {
        assert_eq!(body(&[(F, &passes(0, 0x40))], &SYMBOLS), Some((0x40_1040, 0x40_1005)));
        let twice = |other| body(&[(F, &passes(0, 0x40)), (F + 10, &passes(10, other))], &SYMBOLS);
        assert_eq!([twice(0x40), twice(0x50)], [Some((0x40_1040, 0x40_1005)), None]);
        // A number, and the address of something else.
        assert_eq!([1, 0x20].map(|other| body(&[(F, &passes(0, other))], &SYMBOLS)), [None; 2]);
        // ret
        assert_eq!(body(&[(F, &[0xc3])], &SYMBOLS), None);
    }

    #[test]
    fn functions_that_it_jumps_to_count_as_well() {
        // jmp g
        let jump: &[u8] = &[0xeb, 0x1e];
        assert_eq!(body(&[(F, jump), (F + 0x20, &passes(0x20, 0x40))], &SYMBOLS), Some((0x40_1040, 0x40_1025)));
        // jne g, before the same body's jump, and before another one's
        let either = |other| {
            let f = [&[0x75, 0x1e][..], &passes(2, 0x50)].concat();
            body(&[(F, &f), (F + 0x20, &passes(0x20, other))], &SYMBOLS)
        };
        assert_eq!([either(0x50), either(0x40)], [Some((0x40_1050, 0x40_1007)), None]);
        // jmp f, in g: a circle
        assert_eq!(body(&[(F, jump), (F + 0x20, &[0xeb, 0xde])], &SYMBOLS), None);
    }

    #[test]
    fn nothing_is_claimed_where_a_jump_or_a_way_to_it_is_not_known() {
        // jne *%rax has no encoding: jne +2; jmp *%rax
        let unknown = [&[0x75, 0x02, 0xff, 0xe0][..], &passes(4, 0x40)].concat();
        assert_eq!(body(&[(F, &unknown)], &SYMBOLS), None);
        // jne +5, which skips the load
        let skips = [&[0x75, 0x05][..], &passes(2, 0x40)].concat();
        assert_eq!(body(&[(F, &skips)], &SYMBOLS), None);
        // jne +0: the load is on both ways
        let meets = [&[0x75, 0x00][..], &passes(2, 0x40)].concat();
        assert_eq!(body(&[(F, &meets)], &SYMBOLS), Some((0x40_1040, 0x40_1007)));
        // No instruction: push %es
        assert_eq!(body(&[(F, &[0x06]), (F + 1, &passes(1, 0x40))], &SYMBOLS), None);
        let barrier = |name| SYMBOLS.map(|symbol| if symbol.2 == "g" { (symbol.0, symbol.1, name) } else { symbol });
        let waits = [&[0x75, 0x1e][..], &passes(2, 0x40)].concat();
        let found = |name| body(&[(F, &waits), (F + 0x20, &[0xc3])], &barrier(name));
        assert_eq!([found("g"), found("GOMP_barrier")], [Some((0x40_1040, 0x40_1007)), None]);
    }

    #[test]
    fn the_search_ends_in_any_code() {
        // A function of 64 KiB, and one whose end is not in the file.
        for end in [F + 0x1_0000, u64::MAX] {
            assert_eq!(body(&[(F, &[0x90; 0x60])], &[(F, end, "f")]), None);
        }
        // Each function jumps to the next one.
        let names: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
        let begins = (0..).map(|number| F + 2 * number);
        let symbols: Vec<_> = begins.zip(&names).map(|(begin, name)| (begin, begin + 2, name.as_str())).collect();
        assert_eq!(body(&[(F, &[0xeb, 0].repeat(99))], &symbols), None);
        // Jumps to the runtime only.
        let many: Vec<u8> =
            (0..100_u32).flat_map(|number| [&[0xe9][..], &(0x1000 - 5 * number - 5).to_le_bytes()].concat()).collect();
        assert_eq!(body(&[(F, &many)], &[(F, F + 500, "f"), (F + 0x1000, F + 0x1010, "GOMP_parallel")]), None);
    }

    #[test]
    fn all_functions_of_a_file_together_have_a_bound() {
        let (bytes, symbols) = ([0x90; 64], Symbols::from(&[(F, F + 64, "f"), (F + 1, F + 64, "g")][..]));
        let segments = [(0, 64, F)];
        let code = Code { processor: Some(Processor::X86_64), bytes: &bytes, segments: &segments, is_fixed: true };
        let search = Search { code: &code, symbols: &symbols, imports: &Imports::default() };
        let mut calls = TailCalls { instructions_left: 100, ..TailCalls::default() };
        assert_eq!([F, F + 1].map(|function| calls.body(&search, function)), [None; 2]);
        assert_eq!(calls.instructions_left, 0);
    }

    #[test]
    fn bodies_in_code_of_aarch64_are_found() {
        // adrp x0, 0x401000; add x0, x0, #0x40; b GOMP_parallel
        let words = [0x9000_0000, 0x9101_0000, 0x1400_0016_u32];
        let mut bytes = vec![0; 0x100];
        bytes.iter_mut().zip(words.into_iter().flat_map(u32::to_le_bytes)).for_each(|(to, from)| *to = from);
        let symbols = SYMBOLS.map(|symbol| if symbol.2 == "f" { (F, F + 12, "f") } else { symbol });
        let (symbols, imports) = (Symbols::from(&symbols[..]), Imports::default());
        let code =
            Code { processor: Some(Processor::Aarch64), bytes: &bytes, segments: &[(0, 0x100, F)], is_fixed: false };
        let found = TailCalls::default().body(&Search { code: &code, symbols: &symbols, imports: &imports }, F);
        assert_eq!(found.map(|body| (body.address, body.passed_at)), Some((0x40_1040, 0x40_1008)));
    }
}
