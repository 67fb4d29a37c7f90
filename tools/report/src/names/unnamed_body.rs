//! Outlined functions in files without symbols: functions whose addresses are passed to a runtime.
//!
//! Even a stripped file has its imports, and its unwinding table has the begins of functions. So a call of
//! `GOMP_parallel` with a function's address in the argument register makes that function a body, and the function
//! around the call its author.

use std::collections::HashMap;

use object::Object;

use super::ConstructKind;
use super::image::Image;
use super::launch::{Launchers, behind};
use super::unwind::Functions;

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
    let mut found = HashMap::new();
    if launchers.is_empty() {
        return found;
    }
    let image = Image::of(own);
    for (start, code) in image.sections() {
        for (offset, window) in code.windows(7).enumerate() {
            let at = start.wrapping_add(offset as u64);
            let Some(taken) = Taken::at(&image, window, at) else { continue };
            if functions.begin(taken.body) != Some(taken.body) || found.contains_key(&taken.body) {
                continue;
            }
            if let Some(body) = taken.passed(&image, &launchers, |address| functions.begin(address)) {
                found.insert(taken.body, body);
            }
        }
    }
    found
}

/// Reach, in bytes, of an address that is already in an argument register.
const NEAR: u64 = 64;
/// Reach, in bytes, of an address that is moved from another register: in a loop, or without optimization.
const FAR: u64 = 4096;
/// Largest distance, in bytes, from that move to the call.
const BEFORE: u64 = 32;

/// Numbers of registers: Intel's manual, volume 2, 3.1.1.
const RDX: u8 = 2;
const RDI: u8 = 7;
const R9: u8 = 9;
/// Registers that a body's address may be passed in: `GOMP_parallel`, `GOMP_task`; `__kmpc_fork_call`;
/// `__kmpc_omp_task_alloc`.
const ARGUMENTS: [u8; 3] = [RDI, RDX, R9];

/// An instruction that loads an address into a register.
#[derive(Clone, Copy, Debug)]
struct Taken {
    body: u64,
    register: u8,
    at: u64,
    /// Address behind the instruction.
    next: u64,
}

impl Taken {
    fn at(image: &Image, window: &[u8], at: u64) -> Option<Self> {
        match *window {
            // lea displacement(%rip), register (REX.W 8D /r)
            [rex @ (0x48 | 0x4c), 0x8d, register, a, b, c, d] if register & 0xc7 == 5 => {
                let register = ((rex & 4) << 1) | (register >> 3);
                Some(Self { body: behind(at, 7, [a, b, c, d]), register, at, next: at.wrapping_add(7) })
            }
            // mov $address, register, in programs at fixed addresses (B8+ rd)
            [code @ 0xb8..=0xbf, a, b, c, d, ..] if image.fixed => {
                let body = u64::from(u32::from_le_bytes([a, b, c, d]));
                Some(Self { body, register: code & 7, at, next: at.wrapping_add(5) })
            }
            _ => None,
        }
    }

    /// Finds the call that gets the address, in the same function.
    fn passed(self, image: &Image, launchers: &Launchers, begin: impl Fn(u64) -> Option<u64>) -> Option<UnnamedBody> {
        let function = begin(self.at)?;
        let direct = ARGUMENTS.contains(&self.register);
        let reach = if direct { NEAR } else { FAR };
        let within =
            (0..reach).map(|ahead| self.next.wrapping_add(ahead)).take_while(|at| begin(*at) == Some(function));
        within.into_iter().find_map(|at| {
            let (kind, returns) = launchers.call_at(image, at)?;
            let passed = if direct { !self.is_replaced(image, at, &begin) } else { self.is_moved(image, at) };
            passed.then_some(UnnamedBody { kind, returns })
        })
    }

    /// True if another function's address is loaded before `call`: then this one belonged to another call.
    fn is_replaced(self, image: &Image, call: u64, begin: impl Fn(u64) -> Option<u64>) -> bool {
        (self.next..call).any(|at| {
            let other = image.from(at).get(..7).and_then(|window| Self::at(image, window, at));
            other.is_some_and(|other| ARGUMENTS.contains(&other.register) && begin(other.body) == Some(other.body))
        })
    }

    /// True if the address is moved to the argument register just before a call: mov register, register (REX.W 89 /r),
    /// or with 32 bits.
    fn is_moved(self, image: &Image, call: u64) -> bool {
        let from = call.saturating_sub(BEFORE).max(self.next);
        let length = usize::try_from(call - from).unwrap_or(0);
        let before = image.from(from).get(..length).unwrap_or_default();
        let is = |window: &[u8]| {
            let [rex, 0x89, registers] = *window else { return false };
            let source = ((rex & 4) << 1) | ((registers >> 3) & 7);
            let target = ((rex & 1) << 3) | (registers & 7);
            rex & 0xf8 == 0x48 && registers >= 0xc0 && source == self.register && ARGUMENTS.contains(&target)
        };
        let narrow = |window: &[u8]| {
            let [0x89, registers] = *window else { return false };
            image.fixed
                && registers >= 0xc0
                && (registers >> 3) & 7 == self.register
                && ARGUMENTS.contains(&(registers & 7))
        };
        before.windows(3).any(is) || before.windows(2).any(narrow)
    }
}
