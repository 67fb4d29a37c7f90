//! Where our own code lies. Where a compiler ends a function with a jump to the runtime, that call returns to whoever called
//! the function: to us, if it is one that runtimes call by way of us. A tool wants addresses of the program's.

use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::objects::any_image;

/// Where our own code starts, and how long it is; nothing where it lies among the program's, in its executable.
static START: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Whether the address is one of ours.
#[inline(always)]
pub(super) fn has(address: usize) -> bool {
    address.wrapping_sub(START.load(Relaxed)) < LENGTH.load(Relaxed)
}

/// Finds our own code. To be called when a tool starts.
pub(super) fn find() {
    any_image(&mut |image, _| {
        // The executable has no name.
        let own = if image.name().is_empty() { None } else { image.code_around(find as *const () as usize) };
        if let Some(code) = &own {
            START.store(code.start, Relaxed);
            LENGTH.store(code.len(), Relaxed);
        }
        own.is_some()
    });
}

/// As if our code lay there.
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
