//! Reads of this process's memory that may be gone, or may never have existed.
#![allow(unsafe_code)] // a system call

/// Words at an address; `None` if no memory is mapped there.
pub(crate) fn read<const WORDS: usize>(address: usize) -> Option<[usize; WORDS]> {
    let mut words = [0_usize; WORDS];
    let length = size_of_val(&words);
    let from = libc::iovec { iov_base: std::ptr::with_exposed_provenance_mut(address), iov_len: length };
    let to = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: length };
    // SAFETY: getpid(2) takes nothing.
    let process = unsafe { libc::syscall(libc::SYS_getpid) };
    // SAFETY: process_vm_readv(2) writes at most `length` bytes, the size of `words`; if memory is not mapped, it
    // fails.
    let got = unsafe {
        libc::syscall(libc::SYS_process_vm_readv, process, &raw const to, 1_usize, &raw const from, 1_usize, 0_usize)
    };
    (address != 0 && usize::try_from(got) == Ok(length)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_where_there_is_some() {
        let words = [1_usize, 2, 3];
        assert_eq!(read(words.as_ptr().addr() + 8), Some([2, 3]));
        assert_eq!((read::<1>(0), read::<1>(8)), (None, None));
    }
}
