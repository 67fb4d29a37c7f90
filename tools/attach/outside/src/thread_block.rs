//! Address of a thread's block in memory, from which its thread-local variables are reached. Unsafe: a system call.
//!
//! The kernel reports the address of a thread's list of robust mutexes, even for another thread (get_robust_list(2)). glibc stores that
//! list in the thread's descriptor. The block starts with the descriptor, or comes after it.
#![allow(unsafe_code)]

use std::collections::BTreeMap;

use crate::arch;
use crate::memory::Memory;
use crate::unwind::Stacks;

/// Maximum distance of the list from the start of the descriptor, in bytes. In glibc 2.17 to 2.41 it is 736.
const MAX_DISTANCE: u64 = 2048;
/// Distance from the thread's number to the list, in bytes (glibc, struct pthread: tid, pid, robust_prev,
/// robust_head).
const LIST_AFTER_NUMBER: u64 = 16;

/// The location of blocks in a process.
#[derive(Clone, Copy, Debug)]
pub struct ThreadBlocks {
    memory: Memory,
    /// `None` if the C library doesn't describe it, and the block starts with it.
    descriptor: Option<Descriptor>,
}

/// A thread's descriptor, as glibc describes it to debuggers (nptl_db/structs.def).
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    bytes: u64,
    /// Offset of the thread's number in it.
    number: u64,
}

/// Descriptors of threads at one moment.
#[derive(Clone, Debug)]
pub struct Descriptors {
    bytes: u64,
    /// The threads by the start of their descriptors.
    by_address: BTreeMap<u64, u32>,
}

impl Descriptors {
    /// The thread whose descriptor contains an address.
    pub fn owner(&self, address: u64) -> Option<u32> {
        let (begin, tid) = self.by_address.range(..=address).next_back()?;
        (address - begin < self.bytes).then_some(*tid)
    }
}

impl Descriptor {
    fn of(stacks: &mut Stacks) -> Option<Self> {
        let memory = stacks.memory();
        let bytes = memory.half(stacks.library_variable("_thread_db_sizeof_pthread")?)?.into();
        // Its size in bits, the number of elements, and its offset.
        let number = memory.half(stacks.library_variable("_thread_db_pthread_tid")?.wrapping_add(8))?.into();
        Some(Self { bytes, number })
    }
}

impl ThreadBlocks {
    /// Reads the location for a process. `None` if its C library is another one, or doesn't describe its threads.
    pub fn of(stacks: &mut Stacks) -> Option<Self> {
        let descriptor = Descriptor::of(stacks);
        (descriptor.is_some() || !arch::BLOCK_FOLLOWS_DESCRIPTOR).then(|| Self { memory: stacks.memory(), descriptor })
    }

    /// The thread pointer of a thread. `None` if it does not have such a list, or the C library isn't glibc.
    pub fn pointer(&self, tid: u32) -> Option<u64> {
        let list = robust_list(tid)?;
        if !arch::BLOCK_FOLLOWS_DESCRIPTOR {
            return self.begin(list);
        }
        let Descriptor { bytes, number } = self.descriptor?;
        let own = list.checked_sub(LIST_AFTER_NUMBER)?;
        let is_it = self.memory.half(own) == Some(tid);
        is_it.then(|| own.wrapping_sub(number).wrapping_add(bytes))
    }

    /// The descriptors of these threads, without content if the C library doesn't describe them.
    pub fn descriptors(&self, threads: &[u32]) -> Descriptors {
        let bytes = self.descriptor.map_or(0, |descriptor| descriptor.bytes);
        let begin = |block: u64| if arch::BLOCK_FOLLOWS_DESCRIPTOR { block.wrapping_sub(bytes) } else { block };
        let with_tid = |tid: &u32| Some((begin(self.pointer(*tid)?), *tid));
        Descriptors { bytes, by_address: threads.iter().filter_map(with_tid).collect() }
    }

    /// The start of the descriptor that contains this list.
    fn begin(&self, list: u64) -> Option<u64> {
        let mut distances = (0..MAX_DISTANCE).step_by(8).map(|distance| list.wrapping_sub(distance));
        // The block starts with its own address, and has it again in its third word (tcbhead_t: tcb, dtv, self).
        distances.find(|begin| {
            let word = |at: u64| self.memory.word(begin.wrapping_add(at));
            word(0) == Some(*begin) && word(16) == Some(*begin)
        })
    }
}

/// Address of a thread's list of robust mutexes. `None` if there is none.
pub(crate) fn robust_list(tid: u32) -> Option<u64> {
    let (mut list, mut bytes) = (0_usize, 0_usize);
    // SAFETY: the kernel writes a pointer and a length, both to writable variables (get_robust_list(2)).
    let answer = unsafe { libc::syscall(libc::SYS_get_robust_list, tid, &raw mut list, &raw mut bytes) };
    u64::try_from(list).ok().filter(|list| answer == 0 && *list != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::objects;
    use crate::process::Process;

    fn blocks() -> ThreadBlocks {
        let own = Process { pid: std::process::id() };
        ThreadBlocks::of(&mut Stacks::new(Memory(own), objects::of(&own.mappings().unwrap()))).unwrap()
    }

    #[test]
    fn the_block_of_this_thread_is_where_its_thread_pointer_leads() {
        let found = blocks().pointer(system::threads::id());
        assert_eq!(found, Some(system::arch::thread_pointer() as u64));
    }

    #[test]
    fn a_descriptor_is_owned_by_its_thread() {
        let (number, numbers) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let other = thread::spawn(move || {
            number.send(system::threads::id()).unwrap();
            ends.recv()
        });
        let numbers = [system::threads::id(), numbers.recv().unwrap()];
        // pthread_self(3): the descriptor's address.
        let (descriptors, descriptor) = (blocks().descriptors(&numbers), other.as_pthread_t());
        assert_eq!(descriptors.owner(descriptor), Some(numbers[1]));
        assert_eq!(descriptors.owner(descriptor - 1), None);
        drop(end);
        assert!(other.join().unwrap().is_err());
    }
}
