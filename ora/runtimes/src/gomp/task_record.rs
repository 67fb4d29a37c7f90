//! Records that travel with tasks, and records of the calls that create them.
#![allow(unsafe_code)] // records are read by their addresses

use super::call_data::Dependences;
use ompt_core::explicit_task::Creation;
use ompt_core::graph::Node;
use ompt_core::iterations::Iterations;
use ompt_core::task::{Task, flag};
use ompt_core::tls::{self, CallSite};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::memory::of_tagged_word;

/// The record that travels with a task.
#[repr(C)]
pub(super) struct Record {
    /// The first field: a task's arguments end at its record ([`Task::set_memory`]). It gets no id in a taskloop, whose chunks get theirs
    /// when they start.
    pub(super) task: Task,
    /// The program's outlined function.
    pub(super) function: usize,
    /// The work to be done when the task is complete, if calls are reported. One of:
    /// - 0: none;
    /// - libgomp's handle of the task's event, which also has to be fulfilled;
    /// - a [`Node`], which has the event's handle, and after whose end no sibling is reported to depend on the task;
    /// - [`CHUNK`]: none, and the record belongs to a [`Chunk`].
    pub(super) end: AtomicUsize,
    /// The function that determines whether the task is cancelled: `GOMP_cancellation_point`. Used only if libgomp doesn't check itself,
    /// because it assumes that the arguments have a copy function; otherwise 0.
    pub(super) cancellation: usize,
}

impl Record {
    /// A record for a copy of the task, with `end` as the work at its end.
    #[inline(always)]
    pub(super) fn copy(&self, end: usize) -> Self {
        Self { task: self.task.clone(), end: AtomicUsize::new(end), ..*self }
    }

    /// The field `end`.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.end.load(Relaxed)
    }

    /// Orders writes to the task's record before the reads of the thread that executes it. libgomp's queue also does so, by a lock that
    /// ThreadSanitizer doesn't see.
    #[inline(always)]
    pub(super) fn publish(&self) {
        // Pairs with the load of `acquire`.
        self.end.store(self.end(), Release);
    }

    /// Begins to read a task's record. See [`publish`](Self::publish).
    #[inline(always)]
    pub(super) fn acquire(&self) {
        // Pairs with the store of `publish`.
        self.end.load(Acquire);
    }
}

/// Arguments of fewer words than this count as few. A power of two.
pub(super) const FEW_WORDS: usize = 8;

/// The record of a task with few arguments, and the data needed if it runs immediately.
#[repr(C)]
pub(super) struct FastRecord {
    pub(super) record: Record,
    /// The program's arguments.
    pub(super) data: usize,
}

const FAST_RECORD: usize = size_of::<FastRecord>() / 8;

/// The block that libgomp gets instead of the program's arguments if these are few, and a word before it.
#[repr(C)]
pub(super) struct Block {
    /// `level::EVENTS`: bits of the token of the creation's start, and a bit that says that the task has not run; 0 as soon as the task
    /// runs immediately. `level::OMPT`: the distance from the arguments to the record. `level::TRACKED`: not written.
    _word: MaybeUninit<u64>,
    /// A copy of the program's arguments, followed by the record.
    pub(super) words: [MaybeUninit<u64>; FEW_WORDS + FAST_RECORD],
}

impl Block {
    pub(super) const EMPTY: Self =
        Self { _word: MaybeUninit::uninit(), words: [const { MaybeUninit::uninit() }; FEW_WORDS + FAST_RECORD] };
}

/// Copies a task's arguments to the words of a block, which begin at `start`, and puts the record after them.
///
/// # Safety
/// Nothing else uses the block, and the result is used no longer than the block lives. `distance` is a multiple of 8, at most
/// [`FEW_WORDS`] words and at least `size`. The record's data have `size` bytes, which is less than [`FEW_WORDS`] words and a multiple of 4.
#[inline(always)]
pub(super) unsafe fn fill(start: *mut u8, distance: usize, record: FastRecord, size: usize) -> &'static FastRecord {
    let (data, place) = (record.data as *const u8, start.wrapping_add(distance).cast::<FastRecord>());
    // SAFETY: by this function's `# Safety` `distance` is a multiple of 8 and at most `FEW_WORDS` words, after which a block has room for a
    // record; a block is aligned to 8.
    unsafe { place.write(record) };
    // SAFETY: by this function's `# Safety` `data` has `size` bytes, which are less than `FEW_WORDS` words and a multiple of 4; a block has
    // room for `FEW_WORDS` words.
    unsafe { copy_arguments(data, start, size) };
    // SAFETY: written above; by this function's `# Safety` it is used no longer than the block lives.
    unsafe { &*place }
}

/// Copies few arguments.
///
/// # Safety
/// As for `copy_nonoverlapping`; the size is a multiple of 4, and less than [`FEW_WORDS`] words.
#[inline(always)]
unsafe fn copy_arguments(from: *const u8, to: *mut u8, size: usize) {
    for at in (0..FEW_WORDS - 1).map(|word| word * 8) {
        if at + 8 > size {
            break;
        }
        // SAFETY: `at + 8` is at most `size`: by this function's `# Safety` both have that many bytes.
        unsafe { copy_at::<u64>(from, to, at) };
    }
    if size & 4 != 0 {
        // SAFETY: `size` is a multiple of 4 and not 0: by this function's `# Safety` both have four bytes before its end.
        unsafe { copy_at::<u32>(from, to, size - 4) };
    }
}

/// Copies a `T` at that offset, aligned or not.
///
/// # Safety
/// `from` has a `T` at that offset, and `to` has room for one there.
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

/// Value of [`Record::end`] for chunks of a taskloop, which have no work at their end. It is neither a node nor one of libgomp's handles.
pub(super) const CHUNK: usize = 2;

/// The record that travels with each task of a taskloop whose chunks are reported.
#[repr(C)]
struct Chunk {
    record: Record,
    /// The iteration space of the whole taskloop.
    space: Iterations,
}

/// The iteration space of the taskloop that a task is a chunk of, if chunks are reported.
///
/// # Safety
/// A record whose `end` is [`CHUNK`] was made by [`write_record`].
#[inline(always)]
pub(super) unsafe fn space_of_chunk(record: &Record) -> Option<Iterations> {
    if record.end() != CHUNK {
        return None;
    }
    // SAFETY: `end` is `CHUNK`: by this function's `# Safety` `write_record` made the record, as the first field of a `Chunk`.
    Some(unsafe { ptr::from_ref(record).cast::<Chunk>().as_ref()? }.space)
}

/// The room that a task's record takes, in bytes.
#[inline(always)]
pub(super) fn size_of_record(space: Option<&Iterations>) -> usize {
    if space.is_some() { size_of::<Chunk>() } else { size_of::<Record>() }
}

/// Writes a task's record, and the additional data of a taskloop's chunk.
///
/// # Safety
/// There are [`size_of_record`] bytes, suitably aligned.
#[inline(always)]
pub(super) unsafe fn write_record(place: *mut Record, record: Record, space: Option<&Iterations>) {
    if let Some(space) = space {
        record.end.store(CHUNK, Relaxed);
        // SAFETY: by this function's `# Safety` there is room for a `Chunk`, as `size_of_record` returns for a `space`.
        unsafe { place.cast::<Chunk>().write(Chunk { record, space: *space }) };
    } else {
        // SAFETY: by this function's `# Safety` there is room for a `Record`, as `size_of_record` returns without a `space`.
        unsafe { place.write(record) };
    }
}

/// The outlined function of an explicit task; 0 for another task.
pub(super) fn function_of(task: &'static Task) -> usize {
    if task.flags() & flag::EXPLICIT == 0 {
        return 0;
    }
    // SAFETY: each explicit task of this adapter that is a thread's current one is the first field of its `Record` (`task_fast`,
    // `write_record`, and `task::create` while it reports a creation's end).
    unsafe { ptr::from_ref(task).cast::<Record>().as_ref() }.map_or(0, |record| record.function)
}

/// A call of `GOMP_task` or `GOMP_taskloop` that the thread is in, with the data needed if the task runs within it.
pub(super) struct Creating {
    /// The block that libgomp got instead of the program's arguments; null if libgomp copies the arguments by our copy function.
    pub(super) block: Cell<*mut usize>,
    /// The program's arguments, and how many words at the block's start libgomp has written for them.
    pub(super) data: *mut usize,
    pub(super) written: usize,
    /// True if the task runs on `data` if it runs immediately, although libgomp's block has a copy.
    pub(super) original: Cell<bool>,
    /// The creation, until its end is reported. `None` for a taskloop: the creation of a chunk is reported when the chunk starts.
    creation: Cell<Option<Creation>>,
    /// The program's call.
    pub(super) call: CallSite,
}

/// The words that libgomp finds through the pointer to the arguments if it calls our copy function.
#[repr(C)]
pub(super) struct Copying<'a> {
    /// A task's event handle in the first word, a taskloop's reductions in the third.
    pub(super) words: [Cell<usize>; 3],
    pub(super) creating: &'a Creating,
    /// The program's copy function; 0 if the arguments are just bytes.
    pub(super) copy: usize,
    pub(super) size: usize,
    pub(super) distance: usize,
    pub(super) record: Record,
    /// See [`Work`].
    pub(super) told: bool,
    pub(super) dependences: Option<Dependences<'a>>,
    pub(super) chunks_of: Option<&'a Iterations>,
}

/// The program's part of a call.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) function: usize,
    pub(super) data: usize,
    pub(super) copy: usize,
    pub(super) size: usize,
    pub(super) align: usize,
    pub(super) reductions: usize,
    /// True if each new task has to be reported at its final address, before it is queued. That requires a copy
    /// function in any case.
    pub(super) told: bool,
    /// The dependences, if there are any.
    pub(super) dependences: Option<Dependences<'a>>,
    /// `GOMP_cancellation_point`, if tasks can be cancelled; otherwise 0.
    pub(super) cancellation: usize,
    /// The iteration space of a taskloop, if its chunks are reported. A reference, because undeferred tasks nest on the stack.
    pub(super) chunks_of: Option<&'a Iterations>,
}

impl Creating {
    #[inline(always)]
    pub(super) fn new(creation: Option<Creation>, data: usize, written: usize) -> Self {
        let (creation, data) = (Cell::new(creation), data as *mut usize);
        Self {
            block: Cell::new(ptr::null_mut()),
            data,
            written,
            original: Cell::new(false),
            creation,
            call: tls::call(),
        }
    }

    /// True if the call creates one task, and is not a taskloop.
    pub(super) fn is_of_one_task(&self) -> bool {
        let creation = self.creation.take();
        self.creation.set(creation);
        creation.is_some()
    }

    /// Takes the creation, if its end has not been reported.
    #[inline(always)]
    pub(super) fn take(&self) -> Option<Creation> {
        self.creation.take()
    }
}

/// The node of a word, if the word refers to one.
fn node(word: usize) -> Option<&'static Node> {
    // SAFETY: `word` is a record's `end`: 0, `CHUNK` and libgomp's handles (addresses of aligned semaphores) are even, and it is odd
    // only if it came from `tagged_word`.
    unsafe { of_tagged_word(word) }
}

/// The event that the task of such a word waits for, or 0.
pub(super) fn event_of(end: usize) -> usize {
    node(end).map_or(end, Node::event)
}

/// Does the work that is due when the task of such a word is complete, or discarded.
#[cold]
pub(super) fn complete(end: usize) {
    node(end).inspect(|node| node.end());
}
