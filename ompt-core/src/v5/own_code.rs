//! Address range of this library's own code. If a compiler ends a function with a jump to the runtime, the call returns
//! to that function's caller. That is this library if runtimes call the function through it, but a tool expects
//! addresses of the program.

use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::objects::any_image;

/// Start and length of the range, in bytes; length 0 if the code is part of the program's executable.
static START: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// True if the address is in this library's code. Async-signal-safe: two loads.
#[inline(always)]
pub(super) fn has(address: usize) -> bool {
    address.wrapping_sub(START.load(Relaxed)) < LENGTH.load(Relaxed)
}

/// Finds the range. Called when a tool starts.
pub(super) fn find() {
    any_image(&mut |image, _| {
        // The executable's name is empty.
        let own = if image.name().is_empty() { None } else { image.code_around(find as *const () as usize) };
        if let Some(code) = &own {
            START.store(code.start, Relaxed);
            LENGTH.store(code.len(), Relaxed);
        }
        own.is_some()
    });
}

/// Sets another range.
#[cfg(test)]
pub(super) fn pretend(start: usize, length: usize) {
    START.store(start, Relaxed);
    LENGTH.store(length, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_part_of_the_executable_is_none_of_ours() {
        let _alone = crate::v5::tests::runtime::alone();
        find();
        for address in [find as *const () as usize, 0, 1, usize::MAX] {
            assert!(!has(address), "{address:#x}");
        }
    }
}
