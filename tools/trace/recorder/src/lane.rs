//! Lanes: where threads write their events.
//!
//! A lane belongs to one thread at a time, and to another one when that has ended: short-lived threads take no space
//! of their own.
#![allow(unsafe_code)] // memory of the mapping, and a thread-local word with the lane's address

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*, compiler_fence, fence};

use system::errno::Errno;
use system::memory::{Link, TreiberStack};
use system::threads;
use trace_format::{CHUNK_WORDS, ChunkHeader, Event, Kind, LONGEST, id};

use crate::chunk::{self, Chunk};
use crate::last_task::LastTask;
use crate::open_regions::OpenRegions;
use crate::ring::Ring;
use crate::settings::settings;
use crate::{clock, file, file_header, system_call, unload};

system::thread_words!("ora_tracer_lane", 1);

/// The maximum number of lanes; events of further threads are lost.
const MAX_LANES: usize = 1 << 13;
/// Number of return addresses that a lane remembers.
const SEEN: usize = 64;

static ALL: [Link<Lane>; MAX_LANES] = [const { Link::none() }; MAX_LANES];
static COUNT: AtomicU32 = AtomicU32::new(0);
/// Lanes that belong to no thread, by their numbers plus one.
static UNUSED: TreiberStack = TreiberStack::empty();

/// Events of a sequence of threads. All fields belong to the thread that has the lane; they are atomic for the sake
/// of forked children.
#[derive(Debug)]
pub(crate) struct Lane {
    number: u32,
    /// Link to the next lane that belongs to no thread.
    next_unused: AtomicU64,
    /// True while an event is written: a signal handler that interrupts that writes none.
    is_busy: AtomicBool,
    /// Address of the next event, and the end of the chunk.
    next: AtomicPtr<AtomicU64>,
    end: AtomicPtr<AtomicU64>,
    /// Time of the chunk's start, by both clocks.
    begin: AtomicU64,
    begin_ns: AtomicU64,
    /// The chunk; null if there is none.
    base: AtomicPtr<AtomicU64>,
    bytes: AtomicUsize,
    chunks: AtomicU64,
    regions: AtomicU64,
    tasks: AtomicU64,
    /// The thread's number in the kernel, and its kind in the upper half.
    thread: AtomicU64,
    last_task: LastTask,
    /// Return addresses whose code is known, and the number of unloads up to then.
    seen: [AtomicUsize; SEEN],
    unloads: AtomicUsize,
    ring: Ring,
    pub(crate) open_regions: OpenRegions,
}

/// The calling thread's lane; `None` if it has none yet.
#[inline(always)]
pub(crate) fn current() -> Option<&'static Lane> {
    // SAFETY: 0, or the address of a lane that `take` leaked.
    unsafe { ptr::with_exposed_provenance::<Lane>(word::<0>()).as_ref() }
}

/// Gives the calling thread, which has none, a lane of the open file. Returns `None`, and an event is lost, if all
/// are taken.
pub(crate) fn take() -> Option<&'static Lane> {
    let unused = |number: u64| ALL.get(usize::try_from(number).ok()?.checked_sub(1)?)?.get();
    let lane = UNUSED.pop(|number| unused(number).map(|lane| &lane.next_unused)).and_then(unused).or_else(|| {
        let number = COUNT.fetch_add(1, Relaxed);
        let place = ALL.get(number as usize)?;
        place.set(Some(Box::leak(Box::new(Lane::new(number)))));
        place.get()
    });
    match lane {
        Some(lane) => {
            if settings().is_attached {
                // Its start is not reported, or comes next.
                let kind = if system_call::process() == threads::id() { INITIAL } else { WORKER };
                lane.set_thread(kind, threads::id());
            }
            set_word::<0>(ptr::from_ref(lane).expose_provenance());
        }
        None => file_header::count_lost(1),
    }
    lane
}

/// `ompt_thread_initial` and `ompt_thread_worker`.
const INITIAL: u16 = 1;
const WORKER: u16 = 2;

/// Drops the chunks of a file that is complete, at the end of a session of a process that continues. Threads keep their lanes, whose
/// counts continue: no id occurs twice. A thread that is writing keeps its chunk.
pub(crate) fn drop_chunks() {
    for lane in ALL.iter().take(COUNT.load(Relaxed) as usize).filter_map(Link::get) {
        if lane.is_busy.load(Relaxed) {
            continue;
        }
        lane.drop_all();
        lane.chunks.store(0, Relaxed);
    }
    chunk::drop_rest();
}

/// Drops all chunks in a forked child: they belong to the parent. Must be called while the child has one thread.
pub(crate) fn forget() {
    set_word::<0>(0);
    UNUSED.clear();
    chunk::drop_rest();
    let count = (COUNT.load(Relaxed) as usize).min(MAX_LANES);
    for lane in ALL.iter().take(count).rev().filter_map(Link::get) {
        lane.drop_all();
        [&lane.chunks, &lane.regions, &lane.tasks, &lane.thread].iter().for_each(|count| count.store(0, Relaxed));
        lane.open_regions.forget();
        lane.is_busy.store(false, Relaxed);
        lane.put_unused();
    }
}

/// Numbers of the threads that have or had a lane, without duplicates, including the calling one and the process's
/// first one.
pub(crate) fn thread_numbers() -> Vec<u32> {
    let lanes = ALL.iter().take(COUNT.load(Relaxed) as usize).filter_map(Link::get);
    #[allow(clippy::cast_possible_truncation)] // the lower half
    let mut numbers: Vec<u32> = lanes.map(|lane| lane.thread.load(Relaxed) as u32).filter(|tid| *tid != 0).collect();
    numbers.extend([system_call::process(), threads::id()]);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn unmap(chunk: Chunk) {
    // SAFETY: callers have taken the chunk out of its lane, whose thread is the calling one or doesn't exist here.
    unsafe { system_call::unmap(chunk.base.cast(), chunk.bytes) };
}

impl Lane {
    fn new(number: u32) -> Self {
        let nowhere = || AtomicPtr::new(ptr::null_mut());
        let zero = || AtomicU64::new(0);
        Self {
            number,
            next_unused: AtomicU64::new(0),
            is_busy: AtomicBool::new(false),
            next: nowhere(),
            end: nowhere(),
            begin: zero(),
            begin_ns: zero(),
            base: nowhere(),
            bytes: AtomicUsize::new(0),
            chunks: zero(),
            regions: zero(),
            tasks: zero(),
            thread: zero(),
            last_task: LastTask::new(),
            seen: [const { AtomicUsize::new(0) }; SEEN],
            unloads: AtomicUsize::new(0),
            ring: Ring::new(),
            open_regions: OpenRegions::new(),
        }
    }

    /// Writes an event with the current time, and returns that; 0 if it was lost.
    #[inline(always)]
    pub(crate) fn put(&self, kind: Kind, operand: u16, word: u64) -> u64 {
        if self.is_busy.load(Relaxed) {
            file_header::count_lost(1);
            return 0;
        }
        self.is_busy.store(true, Relaxed);
        // A handler that interrupts from here on sees that.
        compiler_fence(SeqCst);
        let now = clock::now();
        let since = now.saturating_sub(self.begin.load(Relaxed));
        let place = self.next.load(Relaxed);
        let written = if place != self.end.load(Relaxed) && since <= LONGEST {
            self.write(place, Event::head(kind, operand, since), word);
            now
        } else {
            self.put_in_next(kind, operand, word)
        };
        compiler_fence(SeqCst);
        self.is_busy.store(false, Relaxed);
        written
    }

    /// Writes that the thread starts an undeferred task whose creation was its last event, with the time of that: reading the clock takes a
    /// third of the time of an event. Returns false, with nothing written, if it is another task.
    #[inline(always)]
    pub(crate) fn put_at_once(&self, kind: Kind, operand: u16, task: u64) -> bool {
        if self.is_busy.load(Relaxed) {
            return false;
        }
        self.is_busy.store(true, Relaxed);
        compiler_fence(SeqCst);
        let place = self.next.load(Relaxed);
        let is_it = self.last_task.begins_at_once(task, place) && place != self.end.load(Relaxed);
        if is_it {
            // SAFETY: the event before this address is the task's creation, so it is in the lane's chunk, which is mapped as long as it
            // belongs to the lane; only this thread unmaps it.
            let creation = unsafe { &*place.wrapping_sub(2) };
            self.write(place, Event::head(kind, operand, Event::since(creation.load(Relaxed))), task);
        }
        compiler_fence(SeqCst);
        self.is_busy.store(false, Relaxed);
        is_it
    }

    /// Writes an event at its address, which is in the chunk.
    #[inline(always)]
    fn write(&self, place: *mut AtomicU64, head: u64, word: u64) {
        // SAFETY: callers have checked that the address is before the end of the lane's chunk, which consists of whole events
        // and is mapped as long as it belongs to the lane; only this thread unmaps it.
        let [first, second] = unsafe { &*place.cast::<[AtomicU64; 2]>() };
        second.store(word, Relaxed);
        // Release: publishes the other word to a reader of the file, another process; no load of this one pairs with it.
        first.store(head, Release);
        self.next.store(place.wrapping_add(2), Relaxed);
    }

    /// Writes an event to the lane's next chunk, after one for the time that it took to obtain this chunk.
    #[cold]
    #[inline(never)]
    fn put_in_next(&self, kind: Kind, operand: u16, word: u64) -> u64 {
        let errno = Errno::save();
        let asked = clock::now();
        let is_there = file::is_open() && self.go_on();
        if is_there {
            let now = clock::now();
            let since = now.saturating_sub(self.begin.load(Relaxed));
            self.write(self.next.load(Relaxed), Event::head(Kind::Recorder, 0, since), now.saturating_sub(asked));
            self.write(self.next.load(Relaxed), Event::head(kind, operand, since), word);
        } else {
            file_header::count_lost(1);
        }
        errno.restore();
        if is_there { asked } else { 0 }
    }

    /// Moves on to the next chunk; returns false if there is none.
    fn go_on(&self) -> bool {
        let (settings, number) = (settings(), self.chunks.load(Relaxed));
        let is_ring = settings.last_ns > 0 || settings.slow_ns > 0;
        let old = self.chunk();
        [&self.next, &self.end].iter().for_each(|place| place.store(ptr::null_mut(), Relaxed));
        let used = match old {
            Some(old) if is_ring => self.turn(old, settings.last_ns),
            Some(old) if number > 0 && chunk::is_window(number - 1) => {
                // SAFETY: a mapped chunk, which belongs to the lane alone: it is not written to meanwhile.
                if !file::append(unsafe { std::slice::from_raw_parts(old.base.cast(), old.bytes) }) {
                    return false;
                }
                Some(old)
            }
            _ => None,
        };
        if used.is_none() && !is_ring {
            self.base.store(ptr::null_mut(), Relaxed);
            old.into_iter().for_each(unmap);
        }
        let Some(chunk) = used.or_else(|| chunk::fresh(self.number, number, is_ring)) else { return false };
        self.begin_chunk(chunk, number, used.is_some());
        true
    }

    /// Puts a full chunk into the ring; returns the oldest one if it is to be reused.
    fn turn(&self, full: Chunk, last_ns: u64) -> Option<Chunk> {
        let now_ns = clock::monotonic_ns();
        self.base.store(ptr::null_mut(), Relaxed);
        self.ring.keep(full, self.begin_ns.load(Relaxed), now_ns);
        let oldest = self.ring.oldest(now_ns, last_ns)?;
        file_header::count_overwritten(oldest.events() as u64);
        Some(oldest)
    }

    /// Writes a chunk's header, and assigns the chunk to the lane.
    #[allow(clippy::cast_possible_truncation)] // halves of a word
    fn begin_chunk(&self, chunk: Chunk, number: u64, is_used: bool) {
        // SAFETY: a mapped chunk with this number of words, which belongs to the lane alone.
        let words = unsafe { std::slice::from_raw_parts(chunk.base, chunk.words()) };
        if is_used {
            // Cleared memory is not taken for a chunk.
            words.iter().take(1).for_each(|word| word.store(0, Relaxed));
            // Release: a reader of the file, another process, that finds new words in a chunk finds its first one cleared, or the
            // next header; no load of this process pairs with it.
            fence(Release);
            // SAFETY: the same memory, which only this thread can access.
            unsafe { ptr::write_bytes(chunk.base, 0, chunk.words()) };
        }
        let pair = clock::pair();
        let header = ChunkHeader {
            bytes: u32::try_from(chunk.bytes).unwrap_or(0),
            lane: self.number,
            number,
            begin: pair.tick,
            begin_ns: pair.ns,
            regions: self.regions.load(Relaxed),
            tasks: self.tasks.load(Relaxed),
            tid: self.thread.load(Relaxed) as u32,
            thread_kind: (self.thread.load(Relaxed) >> 32) as u16,
        };
        for (word, value) in words.iter().zip(header.words()).skip(1) {
            word.store(value, Relaxed);
        }
        if let Some(first) = words.first() {
            // Release: publishes the header to a reader of the file, another process; no load of this one pairs with it.
            first.store(header.words()[0], Release);
        }
        self.chunks.store(number + 1, Relaxed);
        self.begin.store(pair.tick, Relaxed);
        self.begin_ns.store(pair.ns, Relaxed);
        self.base.store(chunk.base, Relaxed);
        self.bytes.store(chunk.bytes, Relaxed);
        self.next.store(chunk.base.wrapping_add(CHUNK_WORDS), Relaxed);
        self.end.store(chunk.base.wrapping_add(CHUNK_WORDS + 2 * chunk.events()), Relaxed);
    }

    /// Drops the chunks, and forgets their content.
    fn drop_all(&self) {
        self.chunk().into_iter().for_each(unmap);
        self.ring.forget(unmap);
        [&self.next, &self.end, &self.base].iter().for_each(|place| place.store(ptr::null_mut(), Relaxed));
        self.last_task.forget();
        self.forget_code();
    }

    #[cold]
    fn forget_code(&self) {
        self.seen.iter().for_each(|seen| seen.store(0, Relaxed));
    }

    /// The chunk that is written to.
    fn chunk(&self) -> Option<Chunk> {
        let base = self.base.load(Relaxed);
        (!base.is_null()).then(|| Chunk { base, bytes: self.bytes.load(Relaxed) })
    }

    /// A thread starts on the lane.
    pub(crate) fn begin_thread(&self, kind: u16, tid: u32) {
        self.set_thread(kind, tid);
        self.put(Kind::ThreadBegin, kind, tid.into());
    }

    /// The calling thread, which has the lane, ends: the lane goes to another one.
    pub(crate) fn end_thread(&self) {
        set_word::<0>(0);
        self.put_unused();
    }

    /// Adds the lane to the unused ones, as it is.
    fn put_unused(&self) {
        UNUSED.push(u64::from(self.number) + 1, &self.next_unused);
    }

    /// Sets the thread to which the lane belongs.
    fn set_thread(&self, kind: u16, tid: u32) {
        self.thread.store(u64::from(tid) | u64::from(kind) << 32, Relaxed);
    }

    /// Counts a region, and returns its id.
    #[inline]
    pub(crate) fn count_region(&self) -> u64 {
        id(self.number, add_one(&self.regions))
    }

    /// Counts a task, and returns its id. `begins`: it is undeferred, and its creation was the lane's last event.
    #[inline]
    pub(crate) fn count_task(&self, begins: bool) -> u64 {
        let id = id(self.number, add_one(&self.tasks));
        self.last_task.set(id, begins, self.next.load(Relaxed));
        id
    }

    /// Id of the task that the lane has created last; 0 if there is none.
    #[inline]
    pub(crate) fn last_task(&self) -> u64 {
        self.last_task.id()
    }

    /// True if this return address is new to the lane, or has been forgotten.
    #[inline]
    pub(crate) fn is_new(&self, code: usize) -> bool {
        // Calls are some bytes long, so the lowest bits contain little information.
        let unloads = unload::count();
        if self.unloads.load(Relaxed) != unloads {
            self.unloads.store(unloads, Relaxed);
            self.forget_code();
        }
        let Some(seen) = self.seen.get((code >> 2 ^ code >> 8) % SEEN) else { return false };
        let is_new = seen.load(Relaxed) != code;
        if is_new {
            seen.store(code, Relaxed);
        }
        is_new
    }
}

/// Adds one to a count that only this thread changes.
#[inline(always)]
fn add_one(count: &AtomicU64) -> u64 {
    let next = count.load(Relaxed) + 1;
    count.store(next, Relaxed);
    next
}
