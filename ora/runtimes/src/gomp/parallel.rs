//! Parallel regions: `GOMP_parallel` and its kin, the pairs of calls that gcc up to 4.8 emits, and the function that
//! libgomp runs in every member of a team in place of the program's.
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::LATE;
use super::bank::{Visitor, bank, real};
use super::idle::frame_of_caller;
use super::schedule;
use super::table::Entry;
use super::work::{self, Shape};
use ompt_core::detail::Work;
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::thread::{Thread, here, here_as_worker};
use ompt_core::tls::{self, Call};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::Ordering::*;
use system::arch::stack_pointer;

/// The host's words of a region ([`Region::word`]).
pub(super) mod word {
    use ompt_core::detail::Work;
    use ompt_core::region::Region;
    use std::sync::atomic::Ordering::Relaxed;

    /// What libgomp looks at through the pointer to the program's data, which we replace by the region's.
    pub(in super::super) const MIRROR: usize = 0;
    pub(in super::super) const DATA: usize = 1;
    /// The work that the construct itself has to share: a loop's first value, bound and step. Step 0: as many sections as the
    /// bound says; none for 0.
    pub(in super::super) const FIRST: usize = 2;
    pub(in super::super) const BOUND: usize = 13;
    pub(in super::super) const STEP: usize = 15;
    /// 1: all members of the team meet in one more barrier before libgomp's last one.
    pub(in super::super) const SPLIT: usize = 3;
    /// Who executes the newest single region with copyprivate: see `work`.
    pub(in super::super) const COPY: usize = 4;
    /// Turns of ordered loops: see `ordered`.
    pub(in super::super) const TURNS: usize = 5;
    /// The number of the bank that the region is of; << `KIND`, the kind of the work.
    const BANK: usize = 14;
    const KIND: u32 = 8;

    /// Notes the bank, and the kind of the work that the construct itself has to share.
    #[inline(always)]
    pub(super) fn set_bank(region: &Region, bank: usize, kind: Work) {
        region.word(BANK).store(bank | (kind as usize) << KIND, Relaxed);
    }

    /// The number of the bank that the region is of.
    pub(in super::super) fn bank(region: &Region) -> usize {
        region.word(BANK).load(Relaxed) & ((1 << KIND) - 1)
    }

    /// The kind of the work that the construct itself has to share, which is a loop.
    pub(super) fn kind(region: &Region) -> Work {
        Work::from_number((region.word(BANK).load(Relaxed) >> KIND) as u64).unwrap_or(Work::Loop)
    }
}

type Function = unsafe extern "C-unwind" fn(*mut usize);
type Short = unsafe extern "C-unwind" fn(usize, usize, usize, usize) -> usize;
type Long = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;

/// A region by one call of four arguments. `TOLD`, here and below: calls are told, so that frames are kept, and what else
/// only tools of OMPT ask for.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn call<const B: usize, const E: usize, const TOLD: bool>(
    function: usize,
    data: usize,
    threads: usize,
    flags: usize,
) -> usize {
    // SAFETY: the entry is `GOMP_parallel` or `GOMP_parallel_reductions`: function, data, two `unsigned`, and nothing or an
    // `unsigned` returned (libgomp_g.h), and bound, since its wrapper runs.
    let parallel: Short = unsafe { real::<B, E, _>() };
    let Some((thread, region)) = enter::<B, TOLD>(Form::Call, function, data, threads, None) else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        return unsafe { parallel(function, data, threads, flags) };
    };
    if E == Entry::GOMP_parallel_reductions as usize {
        // SAFETY: the data of `GOMP_parallel_reductions` begin with the address of the array of reductions (libgomp's
        // parallel.c).
        region.word(word::MIRROR).store(unsafe { *(data as *const usize) }, Relaxed);
    }
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Thread::new_region`).
    let result = unsafe { parallel(member_address::<B, TOLD>(), ptr::from_ref(region) as usize, threads, flags) };
    thread.end_region(region);
    result
}

/// A region by one call with work to share. The longest form has eight arguments; in shorter ones the rest is the caller's
/// frame, passed on unread.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn call_with_work<const B: usize, const E: usize, const TOLD: bool>(
    function: usize,
    data: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    a6: usize,
    a7: usize,
) {
    // SAFETY: every entry with this wrapper takes a function, its data and up to six words, and returns nothing (libgomp_g.h),
    // and bound, since its wrapper runs; words that it does not read have no effect (psABI 3.2.3).
    let parallel: Long = unsafe { real::<B, E, _>() };
    let work = Some(shared::<B, E>([a3, a4, a5]));
    let Some((thread, region)) = enter::<B, TOLD>(Form::Call, function, data, a2, work) else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        unsafe { parallel(function, data, a2, a3, a4, a5, a6, a7) };
        return;
    };
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Thread::new_region`).
    unsafe { parallel(member_address::<B, TOLD>(), ptr::from_ref(region) as usize, a2, a3, a4, a5, a6, a7) };
    thread.end_region(region);
}

/// The first half of a pair: the caller itself executes the program's function between the two.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn start<const B: usize, const E: usize, const TOLD: bool>(
    function: usize,
    data: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    a6: usize,
    a7: usize,
) {
    // SAFETY: every entry with this wrapper takes a function, its data and up to six words, and returns nothing (libgomp_g.h),
    // and bound, since its wrapper runs; words that it does not read have no effect (psABI 3.2.3).
    let parallel: Long = unsafe { real::<B, E, _>() };
    let work = (E != Entry::GOMP_parallel_start as usize).then(|| shared::<B, E>([a3, a4, a5]));
    let Some((thread, region)) = enter::<B, TOLD>(Form::Pair, function, data, a2, work) else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        unsafe { parallel(function, data, a2, a3, a4, a5, a6, a7) };
        return;
    };
    // SAFETY: `member` takes the region's address as its data, and calls the program's function; regions are valid for ever
    // (`Thread::new_region`).
    unsafe { parallel(member_address::<B, TOLD>(), ptr::from_ref(region) as usize, a2, a3, a4, a5, a6, a7) };
    let frame = if TOLD { region.call().frame } else { 0 };
    if TOLD {
        take_place::<B>(thread, region, frame);
    }
    thread.start_work(frame);
    if TOLD {
        expect_work(thread, region);
    }
}

/// What is shared out by an entry that starts a region with work: its shape and kind, and the arguments that say how much.
type Shared = (Shape, Work, [usize; 3]);

#[inline(always)]
fn shared<const B: usize, const E: usize>(arguments: [usize; 3]) -> Shared {
    let sections = E == Entry::GOMP_parallel_sections as usize || E == Entry::GOMP_parallel_sections_start as usize;
    if sections {
        (Shape::Sections, Work::Sections, arguments)
    } else {
        (Shape::Loop, schedule::of::<B, E>(&arguments), arguments)
    }
}

/// The second half of a pair. A region whose first half was not seen ends unreported.
///
/// # Safety
/// As `GOMP_parallel_end` asks for.
pub(super) unsafe extern "C-unwind" fn end<const B: usize, const E: usize>() {
    // SAFETY: the entry is `void GOMP_parallel_end (void)` (libgomp_g.h), and bound, since its wrapper runs.
    let real_end: unsafe extern "C-unwind" fn() = unsafe { real::<B, E, _>() };
    let mine = here().and_then(|t| Some((t, t.region().filter(|r| r.is_primary(t) && r.is_pair())?)));
    if let Some((thread, region)) = mine {
        thread.begin_last_barrier();
        // SAFETY: the calling thread is the primary one, at the end of its body; libgomp runs `member` in the others, which
        // meet there, too.
        unsafe { meet::<B>(region) };
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        unsafe { real_end() };
        thread.end_region(region);
    } else {
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        unsafe { real_end() };
    }
}

/// A new region of the calling thread, announced. `None` where there is no memory: the region then goes unreported.
#[inline(never)]
fn enter<const B: usize, const TOLD: bool>(
    form: Form,
    function: usize,
    data: usize,
    threads: usize,
    work: Option<Shared>,
) -> Option<(&'static Thread, &'static Region)> {
    /// What a worker can tell in time only if it passes a barrier that we see.
    const LATE_EVENTS: EventSet = EventSet::of(&[Event::RegionBarrierWaitEnd, Event::IdleBegin]);
    let thread = here()?;
    let (call, requested) = if TOLD { (tls::call(), requested::<B>(threads)) } else { (Call::default(), 0) };
    let region = thread.new_region(form, Encounter { call, function, requested })?;
    region.word(word::DATA).store(data, Relaxed);
    if TOLD {
        let (kind, bounds) = match work {
            Some((Shape::Sections, kind, [count, ..])) => (kind, [0, count, 0]),
            Some((_, kind, bounds)) => (kind, bounds),
            None => (Work::Loop, [0; 3]),
        };
        word::set_bank(region, B, kind);
        [word::FIRST, word::BOUND, word::STEP]
            .iter()
            .zip(bounds)
            .for_each(|(i, it)| region.word(*i).store(it, Relaxed));
    }
    // Cancellation lets members skip barriers: an extra one would hang.
    let split = armed(LATE_EVENTS) && !LATE.load(Relaxed) && !bank::<B>().cancels();
    region.word(word::SPLIT).store(usize::from(split), Relaxed);
    thread.begin_region(region);
    thread.start_implicit_task(region);
    Some((thread, region))
}

/// How many threads a construct asks for: the number in its call, or, for 0, what the runtime would take.
fn requested<const B: usize>(threads: usize) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // the argument is an unsigned int
    match threads as u32 {
        0 => bank::<B>().number(Entry::omp_get_max_threads),
        threads => threads,
    }
}

/// What libgomp is to run in each member of the team.
fn member_address<const B: usize, const TOLD: bool>() -> usize {
    if TOLD { told_member::<B> as *const () as usize } else { member::<B, false> as *const () as usize }
}

system::note_and_jump! {
    /// As [`member`], and notes its frame.
    fn told_member<const B: usize>(), "ora_thread", 16, member::<B, true>
}

/// What libgomp runs in each thread of a team of which only the workers are meant.
///
/// # Safety
/// `work` points to what is to be done with them.
pub(super) unsafe extern "C-unwind" fn visit(work: *const c_void) {
    // SAFETY: by this function's `# Safety` `work` points to a `Visitor`: `Bank::on_workers` keeps it until all threads have
    // run this.
    let work = unsafe { work.cast::<Visitor>().read() };
    tls::get().filter(|thread| thread.is_worker()).inspect(|thread| work(thread));
}

/// The thread learns its number in the team.
fn take_place<const B: usize>(thread: &'static Thread, region: &'static Region, frame: usize) {
    let [number, size] = [Entry::omp_get_thread_num, Entry::omp_get_num_threads].map(|get| bank::<B>().number(get));
    thread.take_place(region, number, size, frame);
}

/// The thread will take part in the work that its region has from the start.
#[inline(always)]
fn expect_work(thread: &'static Thread, region: &'static Region) {
    let bounds = [word::FIRST, word::BOUND, word::STEP].map(|i| region.word(i).load(Relaxed));
    match bounds {
        [_, 0, 0] => {}
        [_, count, 0] => thread.expect_sections(region, work::number(count)),
        bounds => thread.expect_loop(word::kind(region), Shape::Loop.iterations(&bounds)),
    }
}

/// The extra barrier of a region that has one. Its primary thread decided before the team started, and every member obeys.
///
/// # Safety
/// Called by every member of the team, at the end of its body.
unsafe fn meet<const B: usize>(region: &Region) {
    if region.word(word::SPLIT).load(Relaxed) == 0 {
        return;
    }
    // SAFETY: the routine is `int omp_get_num_threads (void)` (omp.h), and bound: `Bank::needed` lists it.
    let team_size: extern "C" fn() -> i32 = unsafe { real::<B, { Entry::omp_get_num_threads as usize }, _>() };
    if team_size() > 1 {
        // SAFETY: the entry is `void GOMP_barrier (void)` (libgomp_g.h), and bound: `Bank::needed` lists it.
        let barrier: unsafe extern "C-unwind" fn() = unsafe { real::<B, { Entry::GOMP_barrier as usize }, _>() };
        // SAFETY: by this function's `# Safety` every member of the team comes here: none is missing at the barrier.
        unsafe { barrier() };
    }
}

/// What libgomp runs in each member of the team.
unsafe extern "C-unwind" fn member<const B: usize, const TOLD: bool>(region: *const Region) {
    // SAFETY: `call`, `call_with_work` and `start` pass the address of a region, and regions are valid for ever
    // (`Thread::new_region`).
    let region: &'static Region = unsafe { &*region };
    let frame = if TOLD { tls::call().frame } else { 0 };
    // SAFETY: `enter` stored the outlined function that compiled code passed, of type `void (void *)` (libgomp_g.h).
    let function: Function = unsafe { std::mem::transmute(region.function()) };
    let data = region.word(word::DATA).load(Relaxed) as *mut usize;
    // The primary thread has been seen.
    let Some(thread) = here_as_worker() else {
        // SAFETY: compiled code passed the function with these data (`enter` stored both); libgomp would make the same call.
        unsafe { function(data) };
        // SAFETY: the calling thread is a member of the team at the end of its body, as all others will be.
        return unsafe { meet::<B>(region) };
    };
    let worker = !region.is_primary(thread);
    if worker {
        if TOLD {
            // Known also where the way out of the pool is told.
            region.set_size(bank::<B>().number(Entry::omp_get_num_threads));
            if thread.idle_frame() == 0 {
                thread.set_idle_frame(frame_of_caller(frame));
            }
        }
        thread.enter_as_worker(region, stack_pointer());
    }
    if TOLD {
        take_place::<B>(thread, region, frame);
    }
    thread.start_work(frame);
    if TOLD {
        expect_work(thread, region);
    }
    // SAFETY: compiled code passed the function with these data (`enter` stored both); libgomp would make the same call.
    unsafe { function(data) };
    thread.begin_last_barrier();
    // SAFETY: the calling thread is a member of the team at the end of its body, as all others will be.
    unsafe { meet::<B>(region) };
    if worker {
        if region.word(word::SPLIT).load(Relaxed) != 0 {
            thread.return_to_pool();
        } else {
            thread.leave_body();
        }
    }
}
