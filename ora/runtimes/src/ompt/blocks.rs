//! What we keep with a region or a task of a runtime's: its own word for its tool (`ompt_data_t`) points to a block, in which
//! each tool behind us has a word of its own.
//!
//! Blocks lie in a pool, so that a word which a tool wrote before we owned it is told from ours by a comparison, and a reader who
//! comes late finds another object's block, never other memory.
#![allow(unsafe_code)] // words hold addresses

use super::TOOLS;
use ompt_core::region::Region;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use system::memory::{Kept, Link, Pool, Pooled, Zeroed};

/// A runtime's word for its tool.
pub(super) type Word = AtomicU64;

/// What is kept with one region or task.
#[repr(C, align(64))]
pub(super) struct Block {
    /// A word for each tool.
    pub(super) words: [AtomicU64; TOOLS],
    /// The task's record, if it is an explicit one.
    pub(super) task: Task,
    /// The region, or the region that the implicit task is of.
    pub(super) region: Link<Region>,
    /// The wait that the task is in.
    pub(super) wait: [AtomicU64; 6],
    /// What goes on with the task while it is suspended.
    pub(super) suspended: [AtomicU64; 6],
    /// The token of a masked region; what the task did before it combined results.
    pub(super) masked: AtomicU64,
    pub(super) before_reduction: AtomicU64,
    /// The next unused block; of a region that isn't over, the block of the one around it on its thread.
    next: AtomicU64,
    /// It is for a region whose begin was told, and so will be its end.
    begun: AtomicBool,
    /// Its task is over, and the word still points here.
    over: AtomicBool,
}

// SAFETY: `Task` is `Zeroed`, and all other fields are atomic integers, booleans, or a `Link`, an atomic pointer: zero is a
// value of each.
unsafe impl Zeroed for Block {}

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

/// The calling thread's unused ones, in its words 0 and 1.
fn kept(thread: &'static Thread) -> Kept<'static> {
    Kept { first: thread.word(0), count: thread.word(1) }
}

/// Words of a thread for blocks of regions that are over: the first, the last, and how many they are.
const OVER: [usize; 3] = [12, 13, 14];
/// That of the innermost region that the thread has begun.
const INNERMOST: usize = 15;
/// How many blocks of regions that are over a thread keeps.
const KEPT: u64 = 64;

/// To be called before the first block is wanted.
pub(super) fn set_up() {
    POOL.set_up();
}

/// The block that a runtime's word points to. Async-signal-safe.
#[inline(always)]
pub(super) fn of(word: *const Word) -> Option<&'static Block> {
    // Acquire: pairs with the compare-exchange in `new_for`, which publishes the block's empty fields.
    at(there(word)?.load(Acquire))
}

/// The word, if there is one. LLVM's runtime up to 19 at least answers with an address in the first page for the team around
/// serialized teams: that of a word in a record that isn't there.
#[inline(always)]
pub(super) fn there(word: *const Word) -> Option<&'static Word> {
    const PAGE: usize = 4096;
    if word.addr() < PAGE {
        return None;
    }
    // SAFETY: not in the first page, so the address of an `ompt_data_t` that the runtime gave: aligned, and there as long as
    // the region, task or thread that it is for (OpenMP 5.0, 4.4.4.4), about which the runtime is reporting or asked.
    Some(unsafe { &*word })
}

/// The block at this address, if one begins there: a tool of the program's may have kept any number in the runtime's word.
#[inline(always)]
pub(super) fn at(address: u64) -> Option<&'static Block> {
    POOL.beginning_at(address)
}

/// The block that a runtime's word points to; where it points to none yet, a new one, and what was in the word is the first
/// tool's. `None` for a null pointer, and without memory.
#[inline(always)]
pub(super) fn of_or_new(word: *const Word) -> Option<&'static Block> {
    of(word).or_else(|| new_for(word))
}

#[inline(never)]
fn new_for(word: *const Word) -> Option<&'static Block> {
    let word = there(word)?;
    let old = word.load(Relaxed);
    let block = new()?;
    let [first, ..] = &block.words;
    first.store(old, Relaxed);
    // Release: publishes the block's fields; pairs with the load in `of`. Acquire, on failure: pairs with another thread's
    // success here. On success it pairs with nothing: `old` is used as a number only.
    match word.compare_exchange(old, from_ref(block) as u64, AcqRel, Acquire) {
        Ok(_) => Some(block),
        Err(other) => {
            // Another thread was first.
            give(block);
            at(other)
        }
    }
}

/// An empty block.
fn new() -> Option<&'static Block> {
    let block = POOL.take(kept(here()?))?;
    let words = block.words.iter().chain(&block.wait).chain(&block.suspended);
    words.chain([&block.masked, &block.before_reduction]).for_each(|word| word.store(0, Relaxed));
    block.region.set(None);
    block.task.set_flags(0);
    block.begun.store(false, Relaxed);
    block.over.store(false, Relaxed);
    Some(block)
}

/// The runtime's word points to its block no more, which is free for others.
pub(super) fn free(word: *const Word) {
    if let Some((word, block)) = there(word).zip(of(word)) {
        word.store(0, Relaxed);
        give(block);
    }
}

/// The explicit task that the word is for is over on the calling thread. Until that thread leaves the runtime's code for its end,
/// another one may find the task among those that its own depends on, and tell of it: the word stays what it is, and so does the
/// block until the calling thread wants one. (A runtime begins each task with an empty word.)
pub(super) fn free_task(word: *const Word) {
    if let Some(block) = of(word).filter(|block| !block.over.swap(true, Relaxed)) {
        give(block);
    }
}

/// As [`free`], for the implicit parallel region around an initial task, which has no end of its own. A league's has one.
pub(super) fn free_implicit(word: *const Word) {
    if of(word).is_some_and(|block| !block.begun.load(Relaxed)) {
        free(word);
    }
}

/// The calling thread has begun the region that the block is for.
pub(super) fn begin_region(block: &'static Block) {
    let Some(thread) = here() else { return };
    block.begun.store(true, Relaxed);
    block.next.store(thread.word(INNERMOST).load(Relaxed), Relaxed);
    thread.word(INNERMOST).store(from_ref(block) as u64, Relaxed);
}

/// The innermost region that the thread has begun is over, whichever the runtime names: LLVM's names another where gcc's code has
/// regions of one thread inside of each other, and where teams in teams end at the same time, since it reads the word in a
/// record that is another team's by then.
///
/// Workers that have not woken since may still be asked about the region: the runtime's word stays what it is, and the block is
/// not used again before so many other regions of the thread have ended.
pub(super) fn end_region() {
    let Some(thread) = tls::get() else { return };
    let Some(block) = at(thread.word(INNERMOST).load(Relaxed)) else { return };
    thread.word(INNERMOST).store(block.next.load(Relaxed), Relaxed);
    let [first, last, count] = OVER.map(|word| thread.word(word));
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

/// Of a thread that has ended, too: runtimes end its initial task later, and that makes it no new thread.
fn give(block: &'static Block) {
    match tls::get() {
        Some(thread) => POOL.give(kept(thread), block),
        None => POOL.give_to_all(block),
    }
}
