//! Queries of a tool about the calling thread, at any time. Async-signal-safe: loads, and a call of the runtime for
//! threads without a record.

use crate::adapter;
use crate::identity::Identity;
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread::{Thread, is_initial};
use crate::tls;
use system::memory::read_same;

/// Activity of a thread: its state, its wait and its region at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The thread's state.
    pub state: State,
    /// The id of the mutex or barrier that the thread waits for; meaningless in states that don't wait.
    pub wait_id: u64,
    /// The id of the region that the thread executes, or 0.
    pub region: u64,
}

/// The calling thread's packed state; if that doesn't contain a state, [`now`] has to be queried. `None` for a thread
/// without a record.
#[inline(always)]
pub fn word() -> Option<PackedState> {
    tls::get().map(|thread| thread.activity.now())
}

/// The calling thread's activity.
#[inline(never)]
pub fn now() -> Moment {
    let Some(thread) = tls::get() else {
        return Moment { state: adapter::unseen_state(), wait_id: 0, region: 0 };
    };
    let now = thread.activity.now();
    let (wait_id, region) = (thread.activity.wait_id(), now.region());
    if now.is_plain() {
        Moment { state: now.state(), wait_id, region }
    } else if !now.is_leaving() {
        let state = if adapter::in_parallel() { State::WorkParallel } else { State::WorkSerial };
        Moment { state, wait_id, region }
    } else if thread.current.region().is_some_and(|record| record.is_open(region)) {
        Moment { state: State::WaitBarrierImplicitParallel, wait_id, region }
    } else {
        Moment { state: State::Idle, wait_id, region: 0 }
    }
}

/// The id of the region around the current one, or 0; `None` on a thread that is not its region's primary thread (and
/// not the initial thread outside of all regions).
pub fn parent_region() -> Option<u64> {
    let Some(thread) = tls::get() else { return is_initial().then_some(0) };
    match now().region {
        0 => thread.identity.is_initial().then_some(0),
        id => own_parallel(thread, id).filter(|r| r.is_primary(thread)).map(Region::parent),
    }
}

/// Id and parent's id of the task that the calling thread executes; 0 if no adapter tracks tasks, and in the thread pool. For interfaces
/// that have only parallel regions: a target region or a league on the host device counts as part of the task that encountered it, and
/// a deferred target task as part of the task that it interrupts.
pub fn task() -> (u64, u64) {
    let Some((thread, task)) = tls::get().and_then(|thread| Some((thread, thread.current.task()?))) else {
        return (0, 0);
    };
    if thread.identity.is_worker() && now().state == State::Idle {
        return (0, 0);
    }
    let regions = || std::iter::successors(thread.current.region(), |region| region.enclosing());
    let task = regions().fold(task, |task, region| region.encountering_task_of(task).unwrap_or(task));
    let task = if task.flags() & flag::TARGET == 0 { task } else { task.below().unwrap_or(task) };
    let parent = regions().fold(task.parent(), |id, region| region.encountering_id_of(id).unwrap_or(id));
    (thread.task_ids.id_of(task), parent)
}

/// The task at an ancestor level of the calling thread (0: the current one), and the region that it binds to (`None`
/// for the implicit parallel region around an initial task, or if it [is gone](is_region_gone)). A worker at its
/// region's last barrier has only its implicit task: the tasks around it may be gone. Async-signal-safe.
pub fn task_at(level: usize) -> Option<(&'static Task, Option<&'static Region>)> {
    counted_task_at(level, 0)
}

/// [`task_at`] that does not count tasks with one of the [`flag`]s `left_out`. Async-signal-safe.
#[inline(never)]
pub fn counted_task_at(level: usize, left_out: u32) -> Option<(&'static Task, Option<&'static Region>)> {
    let thread = tls::get()?;
    let now = thread.activity.now();
    let at_barrier = now.is_leaving();
    if at_barrier && self::now().state == State::Idle || now.is_idle() {
        return None;
    }
    if thread.identity.is_worker() && thread.current.region().is_none() && now.state() == State::Overhead {
        // The worker starts or ends.
        return None;
    }
    let mut task = thread.current.task()?;
    let mut region = thread.reporting.region_of_task(own(thread, now.region()));
    if at_barrier && region.is_none() {
        // The other threads have just left it.
        return None;
    }
    if level > 0 && (at_barrier || is_region_gone()) {
        return None;
    }
    let mut left = level;
    loop {
        if task.flags() & left_out == 0 {
            if left == 0 {
                return Some((task, region));
            }
            left -= 1;
        }
        if !task.is_created() {
            region = region?.enclosing();
        }
        task = task.below()?;
    }
}

/// The region at an ancestor level of the calling thread (0: the one around its current task, which is outside of a
/// region whose start or end is being reported). Target regions on the host device are included. Async-signal-safe.
pub fn region_at(level: usize) -> Option<&'static Region> {
    regions()?.nth(level).filter(|_| level == 0 || !is_leaving())
}

/// [`region_at`] that counts only parallel regions. Async-signal-safe.
pub fn parallel_region_at(level: usize) -> Option<&'static Region> {
    regions()?.filter(|region| region.non_parallel_number() == 0).nth(level).filter(|_| level == 0 || !is_leaving())
}

/// The regions around the calling thread's current task, from the innermost one outward.
fn regions() -> Option<impl Iterator<Item = &'static Region>> {
    let thread = tls::get()?;
    let innermost = own(thread, now().region)?;
    Some(std::iter::successors(thread.reporting.region_of_task(Some(innermost)), |region| region.enclosing()))
}

/// True if the calling thread has left its region's body: the regions around it may be gone.
fn is_leaving() -> bool {
    tls::get().is_some_and(|thread| thread.activity.now().is_leaving())
}

/// Number and device of the target construct that the calling thread executes, possibly as a member of a team in the
/// target region; `None` outside of target constructs. Async-signal-safe.
pub fn target() -> Option<(u64, i32)> {
    let of_chain = || regions()?.find(|region| region.target().is_some()).filter(|_| !is_leaving());
    let region = || read_same(of_chain, |region| Some((region.target()?, region.device()))).flatten();
    tls::get()?.target.construct().or_else(region)
}

/// The result of `read` on the region at that level. Also `None` if the region's record got another owner meanwhile,
/// because this thread reports its exit late. Async-signal-safe if `read` is.
pub fn of_region_at<T>(level: usize, read: impl Fn(&'static Region) -> T) -> Option<T> {
    read_same(|| region_at(level), read)
}

/// [`of_region_at`] for parallel regions.
pub fn of_parallel_region_at<T>(level: usize, read: impl Fn(&'static Region) -> T) -> Option<T> {
    read_same(|| parallel_region_at(level), read)
}

/// True if the calling thread has left a region whose record may have another owner, because the thread reports its
/// exit late. Async-signal-safe.
pub fn is_region_gone() -> bool {
    let id = now().region;
    id != 0 && tls::get().is_some_and(|thread| own(thread, id).is_none())
}

/// The id of the parallel region at that level, or 0. Also 0 if the region's record has another owner, because this
/// thread reports its exit late.
pub fn region_id_at(level: usize) -> u64 {
    match (level, tls::get()) {
        (0, Some(thread)) if !thread.reporting.is_of_region() => now().region,
        _ => of_parallel_region_at(level, Region::id).unwrap_or(0),
    }
}

/// The thread whose initial task is the outermost task around the calling thread. Async-signal-safe.
pub fn initial_thread() -> Option<&'static Identity> {
    let thread = tls::get()?;
    let outermost = std::iter::successors(thread.current.region(), |region| region.enclosing()).last();
    Some(outermost.and_then(|region| region.primary()).unwrap_or(&thread.identity))
}

/// The record of a region that the thread is in, target regions included. A signal handler may run while the stack of
/// regions changes: the id determines the record.
fn own(thread: &Thread, id: u64) -> Option<&'static Region> {
    let is_it = |region: &&Region| region.id() == id && (id != 0 || region.non_parallel_number() != 0);
    std::iter::successors(thread.current.region(), |region| region.enclosing()).find(is_it)
}

/// [`own`] for parallel regions.
fn own_parallel(thread: &Thread, id: u64) -> Option<&'static Region> {
    let is_it = |region: &&Region| region.id() == id && region.non_parallel_number() == 0;
    std::iter::successors(thread.current.region(), |region| region.enclosing()).find(is_it)
}
