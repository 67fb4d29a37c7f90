//! Address of a thread's block in memory, from which its thread-local variables are reached. Unsafe: a system call.
//!
//! The kernel tells the address of a thread's list of robust mutexes, also that of another thread (get_robust_list(2)). glibc keeps that
//! list in the thread's descriptor, which begins with the block.
#![allow(unsafe_code)]

use crate::memory::Memory;

/// Largest distance of the list from the begin of the descriptor, in bytes. In glibc 2.17 to 2.41 it is 736.
const FURTHEST: u64 = 2048;

/// The thread pointer of a thread. `None`: it has no such list, the C library isn't glibc, or on processors where the block lies behind
/// the descriptor.
pub fn thread_pointer(memory: Memory, tid: u32) -> Option<u64> {
    let (mut list, mut bytes) = (0_usize, 0_usize);
    // SAFETY: the kernel writes a pointer and a length, both there to be written (get_robust_list(2)).
    let answer = unsafe { libc::syscall(libc::SYS_get_robust_list, tid, &raw mut list, &raw mut bytes) };
    let list = u64::try_from(list).ok().filter(|list| answer == 0 && *list != 0)?;
    let distances = (0..FURTHEST).step_by(8);
    // The block begins with its own address, and has it again in its third word (tcbhead_t: tcb, dtv, self).
    distances.map(|distance| list - distance).find(|begin| {
        let word = |at: u64| memory.word(begin.wrapping_add(at));
        word(0) == Some(*begin) && word(16) == Some(*begin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Process;

    #[test]
    fn the_block_of_this_thread_is_its_descriptors_begin() {
        // SAFETY: takes nothing.
        let own = unsafe { libc::pthread_self() };
        let memory = Memory(Process { pid: std::process::id() });
        let found = thread_pointer(memory, system::threads::id());
        let wanted = (system::arch::MACHINE == "x86-64").then_some(own);
        assert_eq!(found, wanted);
    }
}
