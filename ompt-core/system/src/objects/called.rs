//! The function that a call instruction of a loaded object calls, also through the procedure linkage table.
#![allow(unsafe_code)] // reads a word of a loaded object

use super::image::{Image, any_image};
use crate::arch::{CALL_BYTES, STUB_BYTES, Target, call_before, linkage_slot};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The function that the instruction before `return_address` calls. `None` if that is not a form of call that compilers
/// use for functions of other objects, or if no loaded object contains the code. Takes the dynamic linker's lock.
pub fn called_before(return_address: usize) -> Option<usize> {
    let code = code_of(return_address.checked_sub(CALL_BYTES)?)?;
    match call_before(*code.first_chunk()?, return_address)? {
        Target::Slot(slot) => word(slot),
        Target::Code(callee) => {
            // Bytes that look like a call may be part of another instruction: then the operand is an arbitrary address.
            let code = code_of(callee)?;
            linkage_slot(&code, callee).and_then(word).or(Some(callee))
        }
    }
}

/// The first bytes at an address in the code of a loaded object; zeros follow the end of the code.
fn code_of(address: usize) -> Option<[u8; STUB_BYTES]> {
    let image = image_of(address)?;
    let mut copy = [0; STUB_BYTES];
    let code = image.code_at(address);
    copy.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    (!code.is_empty()).then_some(copy)
}

fn image_of(address: usize) -> Option<Image> {
    let mut found = None;
    any_image(&mut |image, _| {
        found = image.contains(address).then_some(image);
        found.is_some()
    });
    found
}

/// The word at an address in a loaded object, which the linker may be about to write (lazy binding).
fn word(address: usize) -> Option<usize> {
    let is_there =
        address.is_multiple_of(align_of::<usize>()) && image_of(address)?.contains(address + size_of::<usize>() - 1);
    // SAFETY: the word is aligned, and within a loaded segment of an object that stays loaded, as a thread is about to
    // return to its code. Data segments are mapped readable (gABI, "Program Header"). The linker writes such a word as
    // a whole.
    is_there.then(|| unsafe { &*(address as *const AtomicUsize) }.load(Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn callee() -> i32 {
        black_box(7)
    }

    /// Calls a function of another object, and one of its own.
    #[inline(never)]
    fn caller() -> i32 {
        // SAFETY: getppid(2) has no preconditions.
        let parent = unsafe { libc::getppid() };
        parent + callee()
    }

    #[test]
    fn functions_of_this_object_and_of_another_are_found() {
        assert!(black_box(caller()) > 0);
        let begin = caller as *const () as usize;
        for function in [libc::getppid as *const () as usize, callee as *const () as usize] {
            assert!((begin..begin + 64).filter_map(called_before).any(|called| called == function), "{function:x}");
        }
    }

    static OPERANDS: [u64; 4] = [0xe8e8_e8e8_e8e8_e8e8; 4];

    #[test]
    fn bytes_that_are_no_code_call_nothing() {
        for address in [0, 5, 6, 4096, usize::MAX, &raw const OPERANDS as usize + 8] {
            assert_eq!(called_before(black_box(address)), None, "{address:x}");
        }
    }
}
