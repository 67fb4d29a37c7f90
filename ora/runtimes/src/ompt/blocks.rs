//! Blocks: the record of a runtime's region or task. The runtime's own tool word (`ompt_data_t`) points to a block, which has a separate
//! word for each of the program's tools.
//!
//! Blocks are in a type-stable pool. So a comparison distinguishes our word from one that a tool wrote before the words were ours, and a
//! late reader finds another object's block, never other memory.

use super::TOOLS;
use super::runtime::{WordAt, there};
use super::thread_fields::Fields;
use ompt_core::explicit_task::SuspendedCell;
use ompt_core::region::Region;
use ompt_core::task::Task;
use ompt_core::thread::here;
use ompt_core::tls;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use system::memory::{Link, Pool, Pooled};

/// Record of one region or task.
#[repr(C, align(64))]
pub(super) struct Block {
    /// The tools' own words.
    pub(super) words: [AtomicU64; TOOLS],
    /// Task record, if it is an explicit task.
    pub(super) task: Task,
    /// The region, or the implicit task's region.
    pub(super) region: Link<Region>,
    /// The wait that the task is in.
    pub(super) wait: [AtomicU64; 6],
    /// Saved state of the task while it is suspended.
    pub(super) suspended: SuspendedCell,
    /// Token of a masked region, and the task's state before it combined results.
    pub(super) masked: AtomicU64,
    pub(super) before_reduction: AtomicU64,
    /// Next unused block. For a region that isn't over: the block of the enclosing region on its thread.
    next: AtomicU64,
    /// True for a region whose start was reported, so that its end will also be.
    begun: AtomicBool,
    /// True if the task is over while the runtime's word still points here.
    over: AtomicBool,
}

system::zeroed!(Block { words, task, region, wait, suspended, masked, before_reduction, next, begun, over });

impl Pooled for Block {
    fn next(&self) -> &AtomicU64 {
        &self.next
    }

    fn next_list(&self) -> &AtomicU64 {
        let [first, ..] = &self.words;
        first
    }
}

static POOL: Pool<Block> = Pool::empty();

/// The largest number of blocks of ended regions that a thread keeps.
const KEPT: u64 = 64;

/// Reserves the pool. Called before the first block is needed.
pub(super) fn set_up() {
    POOL.set_up();
}

/// The block that a runtime's word points to. Async-signal-safe.
#[inline(always)]
pub(super) fn of(word: WordAt<'_>) -> Option<&'static Block> {
    // Acquire: pairs with the compare-exchange in `new_for`, which publishes the block's empty fields.
    at(there(word)?.load(Acquire))
}

/// The block at this address, if a block starts there: a tool of the program may have stored any number in the runtime's word.
#[inline(always)]
pub(super) fn at(address: u64) -> Option<&'static Block> {
    POOL.beginning_at(address)
}

/// The block that a runtime's word points to, or a new one: then the word's old value becomes the first tool's. `None` for a null pointer,
/// and if the system refuses memory.
#[inline(always)]
pub(super) fn of_or_new(word: WordAt<'_>) -> Option<&'static Block> {
    of(word).or_else(|| new_for(word))
}

#[inline(never)]
fn new_for(word: WordAt<'_>) -> Option<&'static Block> {
    let word = there(word)?;
    let old = word.load(Relaxed);
    let block = new()?;
    let [first, ..] = &block.words;
    first.store(old, Relaxed);
    // Release: publishes the block's fields; pairs with the load in `of`. Acquire, on failure: pairs with another thread's success here. On
    // success it pairs with nothing: `old` is used only as a number.
    match word.compare_exchange(old, from_ref(block) as u64, AcqRel, Acquire) {
        Ok(_) => Some(block),
        Err(other) => {
            // Another thread stored its block first.
            give(block);
            at(other)
        }
    }
}

/// Takes an empty block.
fn new() -> Option<&'static Block> {
    let block = POOL.take(Fields::of(here()?).blocks)?;
    block.suspended.clear();
    let words = block.words.iter().chain(&block.wait);
    words.chain([&block.masked, &block.before_reduction]).for_each(|word| word.store(0, Relaxed));
    block.region.set(None);
    block.task.set_flags(0);
    block.begun.store(false, Relaxed);
    block.over.store(false, Relaxed);
    Some(block)
}

/// Clears the runtime's word, and frees its block.
pub(super) fn free(word: WordAt<'_>) {
    if let Some((word, block)) = there(word).zip(of(word)) {
        word.store(0, Relaxed);
        give(block);
    }
}

/// Ends the explicit task of the word, which is over on the calling thread. Until that thread leaves the runtime's code for the task's end,
/// another thread may find the task among its own task's dependences, and report it. So the word stays unchanged, and the block stays
/// reserved until the calling thread needs one. (A runtime begins each task with an empty word.)
pub(super) fn free_task(word: WordAt<'_>) {
    if let Some(block) = of(word).filter(|block| !block.over.swap(true, Relaxed)) {
        give(block);
    }
}

/// Like [`free`], for the implicit parallel region around an initial task, whose end is not reported. A league's end
/// is.
pub(super) fn free_implicit(word: WordAt<'_>) {
    if of(word).is_some_and(|block| !block.begun.load(Relaxed)) {
        free(word);
    }
}

/// Records that the calling thread has begun the region of the block.
pub(super) fn begin_region(block: &'static Block) {
    let Some(thread) = here() else { return };
    block.begun.store(true, Relaxed);
    let innermost = Fields::of(thread).innermost;
    block.next.store(innermost.load(Relaxed), Relaxed);
    innermost.store(from_ref(block) as u64, Relaxed);
}

/// The block of the innermost region that the thread has begun. At a region's end it is that region's block, no matter which region the
/// runtime names, and the runtime's word must not be read: LLVM's names a word in the record of a team that it has already released. If
/// gcc's code has nested regions of one thread, that word belongs to another region (LLVM 16 and 19, and Intel's; not 14). If teams inside
/// teams end, another thread may have taken the record for its own team, or may have freed it, as AddressSanitizer found with LLVM 19.
pub(super) fn innermost() -> Option<&'static Block> {
    at(Fields::of(tls::get()?).innermost.load(Relaxed))
}

/// Ends the innermost region that the calling thread has begun, which is the block's region.
///
/// Workers that have not woken up since may still be queried about the region. So the runtime's word stays unchanged, and the block is
/// reused only after many other regions of the thread have ended.
pub(super) fn end_region(block: &'static Block) {
    let Some(thread) = tls::get() else { return };
    let Fields { innermost, over: [first, last, count], .. } = Fields::of(thread);
    innermost.store(block.next.load(Relaxed), Relaxed);
    block.next.store(0, Relaxed);
    match at(last.load(Relaxed)) {
        Some(last) => last.next.store(from_ref(block) as u64, Relaxed),
        None => first.store(from_ref(block) as u64, Relaxed),
    }
    last.store(from_ref(block) as u64, Relaxed);
    count.store(count.load(Relaxed) + 1, Relaxed);
    if count.load(Relaxed) > KEPT
        && let Some(oldest) = at(first.load(Relaxed))
    {
        first.store(oldest.next.load(Relaxed), Relaxed);
        count.store(KEPT, Relaxed);
        give(oldest);
    }
}

/// Frees a block. May be called on a thread that has ended: runtimes end its initial task later, and that must not create a new thread
/// record.
fn give(block: &'static Block) {
    match tls::get() {
        Some(thread) => POOL.give(Fields::of(thread).blocks, block),
        None => POOL.give_to_all(block),
    }
}
