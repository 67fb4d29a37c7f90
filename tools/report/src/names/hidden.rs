//! Bodies of constructs in a file without symbols: the functions whose addresses a runtime's functions get.
//!
//! Imports are told even by a stripped file, and where functions begin by the table for unwinding. So a call of
//! `GOMP_parallel` with a function's address in the register of the argument makes that function a body, and the
//! function around the call its author.

use std::collections::HashMap;

use object::Object;

use super::ConstructKind;
use super::image::Image;
use super::launch::{Launchers, REACH, behind};
use super::unwind::Functions;

/// A body without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) kind: ConstructKind,
    /// Where the call of the runtime returns to, in the author's function; of a jump, the jump.
    pub(super) returns: u64,
}

/// Of one file, by the address of their first instruction.
pub(super) fn hidden<'data>(own: &impl Object<'data>, functions: &Functions) -> HashMap<u64, Hidden> {
    let launchers = Launchers::of(own, &Default::default());
    let mut found = HashMap::new();
    if launchers.is_empty() {
        return found;
    }
    let image = Image::of(own);
    for (start, code) in image.sections() {
        for (offset, window) in code.windows(10).enumerate() {
            let at = start.wrapping_add(offset as u64);
            let Some((body, length)) = argument(&image, window, at) else { continue };
            if functions.begin(body) != Some(body) || found.contains_key(&body) {
                continue;
            }
            if let Some((kind, returns)) = (length..REACH).find_map(|ahead| launchers.call_at(&image, at + ahead)) {
                found.insert(body, Hidden { kind, returns });
            }
        }
    }
    found
}

/// The address that goes to a register of the runtime's argument for a body, and the instruction's length.
fn argument(image: &Image, window: &[u8], at: u64) -> Option<(u64, u64)> {
    match *window {
        // lea displacement(%rip), %rdi or %rdx (REX.W 8D /r): GOMP_parallel, GOMP_task; __kmpc_fork_call
        [0x48, 0x8d, 0x3d | 0x15, a, b, c, d, ..] => Some((behind(at, 7, [a, b, c, d]), 7)),
        // The same with %r9: __kmpc_omp_task_alloc
        [0x4c, 0x8d, 0x0d, a, b, c, d, ..] => Some((behind(at, 7, [a, b, c, d]), 7)),
        // Without optimization by way of %rax: mov %rax, %rdi or %rdx (REX.W 89 /r)
        [0x48, 0x8d, 0x05, a, b, c, d, 0x48, 0x89, 0xc7 | 0xc2] => Some((behind(at, 7, [a, b, c, d]), 10)),
        // mov $address, %edi or %edx, in programs at fixed addresses (B8+ rd)
        [0xbf | 0xba, a, b, c, d, ..] if image.fixed => Some((u64::from(u32::from_le_bytes([a, b, c, d])), 5)),
        _ => None,
    }
}
