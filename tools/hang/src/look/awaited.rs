//! Object that a thread waits for: a lock's address, and the words that change when the wait ends.

use attach_outside::memory::Memory;
use attach_outside::unwind;

use super::{Observer, Raw, futex};
use crate::construct;
use crate::interpreter;
use crate::model::{Resource, ResourceKind, Thread, Wait};

/// Number of bytes of a stack that distinguish iterations of a loop.
const STACK_BYTES: usize = 4096;
/// Bytes of a lock of LLVM's runtime (kmp_lock.h, kmp_base_queuing_lock).
const LOCK_BYTES: usize = 64;

impl Observer {
    /// The lock that a thread waits for. `call`: the frame that has called the entry.
    pub(super) fn resource(
        &mut self,
        kind: ResourceKind,
        entry: &str,
        raw: &Raw,
        call: Option<&unwind::Frame>,
    ) -> Resource {
        let memory = Memory(self.process);
        // A register of an awake thread may hold something else meanwhile: a lock that is taken is 1 or -1.
        let is_taken = |address: &&u64| {
            futex(raw.kernel).is_some() || memory.half(**address).is_some_and(|word| word == 1 || word == u32::MAX)
        };
        // The entry's argument, or the word that its loop reads. Threads of other runtimes wait for private words instead.
        let awaited = raw.awaited.iter().take(2).find(is_taken).copied().filter(|_| self.is_gnu());
        let mut of_call = |place: usize| {
            let frame = call.filter(|frame| frame.stack != 0)?;
            self.code.registers_of_call(&self.stacks, frame)?.argument(place)
        };
        let address = match construct::own_lock(entry, |_| None) {
            None => awaited.or_else(|| construct::own_lock(entry, &mut of_call)),
            only => only,
        };
        Resource { kind, address, name: address.and_then(|address| self.variable(address)), owner: None }
    }

    /// Content of memory and registers that changes as the thread makes progress. For an awake thread, it includes the program's part of
    /// its stack: a later iteration of a loop differs in a variable.
    pub(super) fn witness(&self, thread: &Thread, raw: &Raw) -> Vec<u8> {
        let memory = Memory(self.process);
        let mut witness = self.awaited_words(thread);
        let number = if interpreter::is_awaited(&thread.wait) {
            interpreter::caller(thread)
        } else {
            thread.polls.or_else(|| thread.program_frame()).filter(|_| !thread.asleep)
        };
        let program = number.and_then(|number| raw.stack.frames.get(number));
        if let Some(frame) = program.filter(|frame| frame.stack != 0) {
            let mut bytes = vec![0; STACK_BYTES];
            let got = memory.read_some(frame.stack, &mut bytes).unwrap_or_default();
            bytes.truncate(got);
            witness.extend(bytes);
        }
        if let Some(frame) = program.filter(|frame| frame.stack != 0 && !interpreter::is_awaited(&thread.wait)) {
            witness.extend(frame.kept.0.iter().flat_map(|value| value.unwrap_or_default().to_ne_bytes()));
        }
        witness
    }

    /// Words that change when a wait ends.
    fn awaited_words(&self, thread: &Thread) -> Vec<u8> {
        let memory = Memory(self.process);
        match (&thread.wait, self.layout) {
            (Wait::Barrier { team: Some(team), .. }, Some((_, layout))) => layout.barrier(memory, *team),
            (Wait::Mutex(Resource { address: Some(address), .. }), _) => {
                let mut words = memory.bytes(*address, 4).unwrap_or_default();
                if !self.is_gnu() {
                    words.extend(llvms_lock(memory, *address));
                }
                words
            }
            _ => Vec::new(),
        }
    }
}

/// The words of a lock of LLVM's runtime. The program's own word points to a record that starts with the lock's address (kmp_lock.h,
/// kmp_indirect_lock). The words change when the lock changes hands, and when another thread starts to wait.
fn llvms_lock(memory: Memory, address: u64) -> Vec<u8> {
    let lock = memory.word(address).and_then(|record| memory.word(record));
    lock.and_then(|lock| memory.bytes(lock, LOCK_BYTES).ok()).unwrap_or_default()
}
