//! Outlined functions in files without symbols: functions whose addresses are passed to a runtime.
//!
//! Even a stripped file has its imports, and its unwinding table has the starts of functions. So a call of
//! `GOMP_parallel` with a function's address in the argument register makes that function a body, and the function
//! around the call its author.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use object::Object;
use system::arch::instructions::Taken;

use crate::image::Image;
use crate::launch::Launchers;
use crate::name::ConstructKind;
use crate::unwind::Functions;

/// An outlined function without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnnamedBody {
    pub(super) kind: ConstructKind,
    /// Return address of the call of the runtime, in the author's function; for a jump, its own address.
    pub(super) returns: u64,
}

/// Finds the unnamed bodies of a file, by the address of their first instruction.
pub(super) fn unnamed_bodies<'data>(own: &impl Object<'data>, functions: &Functions) -> HashMap<u64, UnnamedBody> {
    let launchers = Launchers::of(own, &Default::default());
    if launchers.is_empty() {
        return HashMap::new();
    }
    bodies(&Image::of(own), &launchers, functions)
}

fn bodies(image: &Image, launchers: &Launchers, functions: &Functions) -> HashMap<u64, UnnamedBody> {
    let mut found = HashMap::new();
    let Some(processor) = image.processor() else { return found };
    let search = Search { image, launchers, functions, arguments: ARGUMENTS.map(|index| processor.argument(index)) };
    for code in image.sections() {
        for at in code.places() {
            let Some(taken) = code.taken(at).filter(|taken| search.is_function(taken.address)) else { continue };
            if let Entry::Vacant(place) = found.entry(taken.address)
                && let Some(body) = search.passed(at, taken)
            {
                place.insert(body);
            }
        }
    }
    found
}

/// Maximum distance, in bytes, to an address that is already in an argument register.
const NEAR: u64 = 64;
/// Maximum distance, in bytes, to an address that is moved from another register: in a loop, or without optimization.
const MAX_DISTANCE: u64 = 4096;
/// Maximum distance, in bytes, from that move to the call.
const BEFORE: u64 = 64;

/// Arguments in which a body's address may be passed, counted from 0: `GOMP_parallel`, `GOMP_task`;
/// `__kmpc_fork_call`; `__kmpc_omp_task_alloc`.
const ARGUMENTS: [usize; 3] = [0, 2, 5];

/// A file, and what is known about its functions.
struct Search<'a> {
    image: &'a Image,
    launchers: &'a Launchers,
    functions: &'a Functions,
    /// Registers of [`ARGUMENTS`].
    arguments: [Option<u8>; 3],
}

impl Search<'_> {
    /// True if a function starts at the address.
    fn is_function(&self, address: u64) -> bool {
        self.functions.begin(address) == Some(address)
    }

    fn is_argument(&self, register: u8) -> bool {
        self.arguments.contains(&Some(register))
    }

    /// Finds the call that gets the address taken at `at`, in the same function.
    fn passed(&self, at: u64, taken: Taken) -> Option<UnnamedBody> {
        let function = self.functions.begin(at)?;
        let direct = self.is_argument(taken.register);
        let reach = if direct { NEAR } else { MAX_DISTANCE };
        let mut within = self
            .image
            .places(taken.next, taken.next.saturating_add(reach))
            .take_while(|at| self.functions.begin(*at) == Some(function));
        within.find_map(|call| {
            let (kind, returns) = self.launchers.call_at(self.image, call)?;
            let passed = if direct { !self.is_replaced(taken, call) } else { self.is_moved(taken, call) };
            passed.then_some(UnnamedBody { kind, returns })
        })
    }

    /// True if another function's address is loaded before `call`: then this one belonged to another call.
    fn is_replaced(&self, taken: Taken, call: u64) -> bool {
        let is_other = |other: Taken| self.is_argument(other.register) && self.is_function(other.address);
        self.image.places(taken.next, call).any(|at| self.image.taken(at).is_some_and(is_other))
    }

    /// True if the address is moved to the argument register just before a call.
    fn is_moved(&self, taken: Taken, call: u64) -> bool {
        let from = call.saturating_sub(BEFORE).max(taken.next);
        let mut moves = self.image.places(from, call).filter_map(|at| self.image.moved(at));
        moves.any(|copy| copy.from == taken.register && self.is_argument(copy.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::arch::instructions::Processor;

    #[test]
    fn bodies_in_code_of_aarch64_are_found() {
        // By gcc 16 -O2: a function at 0xed0 that calls `GOMP_parallel` at 0xa10 and then jumps there.
        let two = [
            0xa9be_7bfd,
            0x5280_0003,
            0x5280_0002,
            0x9100_03fd,
            0x9100_63e1,
            0xb900_1be0,
            0x9000_0000,
            0x9133_8000,
            0x97ff_fec8,
            0xa8c2_7bfd,
            0x5280_0003,
            0x5280_0002,
            0xd280_0001,
            0x9000_0000,
            0x9133_0000,
            0x17ff_fec1,
        ];
        // A part of another one at 0xa58: the address at 0xe20 is moved to the argument's register.
        let saved = [
            0x9133_0294,
            0xa902_5bf5,
            0x9000_0016,
            0x9000_0015,
            0x9136_32d6,
            0x9133_82b5,
            0xf900_1bf7,
            0x9000_0017,
            0x9138_82f7,
            0x5280_0013,
            0x9101_23e1,
            0xaa17_03e0,
            0x5280_0003,
            0x5280_0002,
            0xfd00_27ef,
            0x97ff_ffdf_u32,
        ];
        let mut bytes = vec![0; 0x600];
        for (at, words) in [(0xed0, two), (0xa58, saved)] {
            let code = words.iter().flat_map(|word| word.to_le_bytes());
            bytes[at - 0xa00..].iter_mut().zip(code).for_each(|(to, from)| *to = from);
        }
        let image = Image::new(Processor::Aarch64, 0xa00, &bytes);
        let launchers = Launchers::with_own(0xa10, ConstructKind::Parallel);
        let begins = [(0xa50, 0xab0), (0xcc0, 0xcd0), (0xce0, 0xcf0), (0xd8c, 0xd90), (0xe20, 0xe30), (0xed0, 0xf10)];
        let mut found: Vec<_> = bodies(&image, &launchers, &Functions::from(begins)).into_iter().collect();
        found.sort_unstable_by_key(|(body, _)| *body);
        let body = |returns| UnnamedBody { kind: ConstructKind::Parallel, returns };
        assert_eq!(found, [(0xcc0, body(0xf0c)), (0xce0, body(0xef4)), (0xe20, body(0xa98))]);
    }
}
