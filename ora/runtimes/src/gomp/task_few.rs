//! Tasks with few arguments, as both quick ways create them.
#![allow(unsafe_code)] // copies arguments

/// `GOMP_task`, as far as it is read for such a task: function, data, copy function, size, alignment, whether it may be queued, flags.
pub(super) type CreateSimpleTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize);

/// Fewer words of arguments than these are few. A power of two.
pub(super) const FEW: usize = 8;

/// Copies few arguments.
///
/// # Safety
/// As for `copy_nonoverlapping`; the size is a multiple of 4, and less than [`FEW`] words.
#[inline(always)]
pub(super) unsafe fn copy_arguments(from: *const u8, to: *mut u8, size: usize) {
    for at in (0..FEW - 1).map(|word| word * 8) {
        if at + 8 > size {
            break;
        }
        // SAFETY: `at + 8` is at most `size`: by this function's `# Safety` both have so many bytes.
        unsafe { copy_at::<u64>(from, to, at) };
    }
    if size & 4 != 0 {
        // SAFETY: `size` is a multiple of 4 and not 0: by this function's `# Safety` both have four bytes before its end.
        unsafe { copy_at::<u32>(from, to, size - 4) };
    }
}

/// # Safety
/// Both have a `T` there, aligned or not.
#[inline(always)]
unsafe fn copy_at<T>(from: *const u8, to: *mut u8, at: usize) {
    // SAFETY: by this function's `# Safety` `from` has a `T` at that offset.
    let from = unsafe { from.add(at) };
    // SAFETY: by this function's `# Safety` `to` has room for a `T` at that offset.
    let to = unsafe { to.add(at) };
    // SAFETY: by this function's `# Safety` there is an integer there, aligned or not.
    let value = unsafe { from.cast::<T>().read_unaligned() };
    // SAFETY: by this function's `# Safety` there is room for an integer, aligned or not.
    unsafe { to.cast::<T>().write_unaligned(value) };
}
