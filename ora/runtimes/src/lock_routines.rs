//! Events of lock routines, for every adapter that interposes them. Only routines that set a lock can wait; the others are reported to
//! tools that follow each lock.
#![allow(unsafe_code)] // calls a runtime's routines

use ompt_core::detail::{Detail, Mutex};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};

pub(crate) type Routine = unsafe extern "C-unwind" fn(usize);
/// Returns 0, or the nesting count after the call.
pub(crate) type Test = unsafe extern "C-unwind" fn(usize) -> i32;

/// Events of a thread that requests a mutex, and acquires it. Code that runs only for subscribed tools is in separate functions, which
/// keeps it out of the fast paths.
pub(crate) const TAKING: EventSet = EventSet::of(&[Event::MutexAcquire, Event::MutexAcquired, Event::NestLockBegin]);
/// Events of a thread that releases a mutex.
pub(crate) const GIVING_BACK: EventSet = EventSet::of(&[Event::MutexReleased, Event::NestLockEnd]);

/// Detail of each of these events.
#[inline(always)]
pub(crate) fn detail(kind: Mutex, wait_id: u64) -> Detail<'static> {
    Detail::Mutex { kind, wait_id, hint: 0 }
}

/// Reports that the thread has released a mutex.
#[inline(never)]
pub(crate) fn report_released(kind: Mutex, wait_id: u64) {
    let is_reported = |thread: &&'static Thread| kind == Mutex::Atomic && thread.instrumented().is_in_atomic();
    let thread = here().filter(|thread| !is_reported(thread));
    thread.inspect(|thread| thread.raise_with(Event::MutexReleased, &detail(kind, wait_id)));
}

/// A program's call of a routine that sets a lock.
pub(crate) struct Setting {
    lock: usize,
    test: Test,
    set: Routine,
}

impl Setting {
    /// The call that sets `lock`.
    ///
    /// # Safety
    /// The program makes that call, which returns later than the result is used: so `lock` is initialised (OpenMP 5.0, 3.3.4). `test` and
    /// `set` are the routines for locks of its kind.
    #[inline(always)]
    pub(crate) unsafe fn new(lock: usize, test: Test, set: Routine) -> Self {
        Self { lock, test, set }
    }

    /// Sets the lock, a nestable one or not, and reports it.
    #[inline(always)]
    pub(crate) fn set(self, nest: bool) {
        let Self { lock, test, set } = self;
        if armed(TAKING) {
            let set_reported = if nest { set_reported::<1> } else { set_reported::<0> };
            // SAFETY: `test` and `set` are for locks of this kind, and `lock` is initialised (`new`).
            return unsafe { set_reported(lock, test, set) };
        }
        // SAFETY: `test` is for locks of this kind, and `lock` is initialised (`new`).
        if unsafe { test(lock) } == 0 {
            // SAFETY: `set` is for locks of this kind, and `lock` is initialised (`new`).
            unsafe { wait(lock, nest, set) }
        }
    }
}

/// Sets a lock while tools have subscribed to [`TAKING`].
///
/// # Safety
/// As for [`Setting::new`]; `NEST` is 1 for a nestable lock.
#[inline(never)]
unsafe fn set_reported<const NEST: u8>(lock: usize, test: Test, set: Routine) {
    let nest = NEST == 1;
    let Some(thread) = here() else {
        // SAFETY: `set` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
        return unsafe { set(lock) };
    };
    let detail = detail(if nest { Mutex::NestLock } else { Mutex::Lock }, lock as u64);
    thread.raise_with(Event::MutexAcquire, &detail);
    // SAFETY: `test` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
    let mut count = unsafe { test(lock) };
    if count == 0 {
        // SAFETY: `set` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
        unsafe { wait(lock, nest, set) };
        count = 1;
    }
    report_acquired(thread, nest, count, &detail);
}

/// # Safety
/// `set` is the routine for locks of `lock`'s kind, and `lock` is initialised.
#[cold]
#[inline(never)]
unsafe fn wait(lock: usize, nest: bool, set: Routine) {
    let Some(thread) = here() else {
        // SAFETY: `set` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
        return unsafe { set(lock) };
    };
    let state = if nest { State::WaitNestLock } else { State::WaitLock };
    let wait = thread.waits().begin(Span::LOCK_WAIT, state, lock as u64);
    // SAFETY: `set` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
    unsafe { set(lock) };
    thread.waits().end(wait);
}

/// Reports a lock that is set, and its nesting count: a nestable lock that the thread already owned is only nested more deeply.
#[inline(always)]
fn report_acquired(thread: &'static Thread, nest: bool, count: i32, detail: &Detail<'_>) {
    if nest && count > 1 {
        thread.raise_with(Event::NestLockBegin, detail);
    } else {
        thread.raise_with(Event::MutexAcquired, detail);
    }
}

/// A program's call of a routine that tests a lock.
pub(crate) struct Testing {
    lock: usize,
    test: Test,
}

impl Testing {
    /// The call that tests `lock`.
    ///
    /// # Safety
    /// The program makes that call, which returns later than the result is used: so `lock` is initialised (OpenMP 5.0, 3.3.6).
    /// `test` is the routine for locks of its kind.
    #[inline(always)]
    pub(crate) unsafe fn new(lock: usize, test: Test) -> Self {
        Self { lock, test }
    }

    /// Tests the lock, a nestable one or not, and reports it.
    #[inline(always)]
    pub(crate) fn test(self, nest: bool) -> i32 {
        let Self { lock, test } = self;
        if armed(TAKING) {
            // SAFETY: `test` is for locks of this kind, and `lock` is initialised (`new`).
            return unsafe { test_reported(lock, nest, test) };
        }
        // SAFETY: `test` is for locks of this kind, and `lock` is initialised (`new`).
        unsafe { test(lock) }
    }
}

/// Tests a lock while tools have subscribed to [`TAKING`].
///
/// # Safety
/// As for [`Testing::new`].
#[inline(never)]
unsafe fn test_reported(lock: usize, nest: bool, test: Test) -> i32 {
    let Some(thread) = here() else {
        // SAFETY: `test` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
        return unsafe { test(lock) };
    };
    let kind = if nest { Mutex::TestNestLock } else { Mutex::TestLock };
    let detail = detail(kind, lock as u64);
    thread.raise_with(Event::MutexAcquire, &detail);
    // SAFETY: `test` is for locks of this kind, and `lock` is initialised (by this function's `# Safety`).
    let count = unsafe { test(lock) };
    if count != 0 {
        report_acquired(thread, nest, count, &detail);
    }
    count
}

/// A program's call of a routine that unsets a lock.
pub(crate) struct Unsetting {
    lock: usize,
    unset: Routine,
}

impl Unsetting {
    /// The call that unsets `lock`.
    ///
    /// # Safety
    /// The program makes that call, which returns later than the result is used: so the current task owns `lock` (OpenMP 5.0,
    /// 3.3.5). `unset` is the routine for locks of its kind.
    #[inline(always)]
    pub(crate) unsafe fn new(lock: usize, unset: Routine) -> Self {
        Self { lock, unset }
    }

    /// Unsets the lock, which is not nestable, and reports it.
    #[inline(always)]
    pub(crate) fn unset(self) {
        // SAFETY: `unset` is for locks of this kind, and the current task owns `lock` (`new`); the call is made once.
        unsafe { (self.unset)(self.lock) };
        if armed(GIVING_BACK) {
            report_released(Mutex::Lock, self.lock as u64);
        }
    }
}

/// A program's call of a routine that unsets a nestable lock.
pub(crate) struct UnsettingNest {
    lock: usize,
    test: Test,
    unset: Routine,
}

impl UnsettingNest {
    /// The call that unsets `lock`.
    ///
    /// # Safety
    /// The program makes that call, which returns later than the result is used: so the current task owns `lock` (OpenMP 5.0,
    /// 3.3.5). `test` and `unset` are the routines for nestable locks.
    #[inline(always)]
    pub(crate) unsafe fn new(lock: usize, test: Test, unset: Routine) -> Self {
        Self { lock, test, unset }
    }

    /// Unsets the lock, and reports it.
    #[inline(always)]
    pub(crate) fn unset(self) {
        let Self { lock, test, unset } = self;
        if armed(GIVING_BACK) {
            // SAFETY: both routines are for nestable locks, and the current task owns `lock` (`new`).
            return unsafe { unset_nest_reported(lock, test, unset) };
        }
        // SAFETY: `unset` is for nestable locks, and the current task owns `lock` (`new`).
        unsafe { unset(lock) };
    }
}

/// Unsets a nestable lock while tools have subscribed to [`GIVING_BACK`].
///
/// # Safety
/// As for [`UnsettingNest::new`].
#[inline(never)]
unsafe fn unset_nest_reported(lock: usize, test: Test, unset: Routine) {
    // SAFETY: `test` is for nestable locks, and the current task owns `lock` (by this function's `# Safety`), which is
    // therefore initialised.
    let count = unsafe { test(lock) };
    if count != 0 {
        // SAFETY: the test above set the lock once more: the current task owns it.
        unsafe { unset(lock) };
    }
    // SAFETY: the current task owns `lock` (by this function's `# Safety`), and what the test added is undone.
    unsafe { unset(lock) };
    if count <= 2 {
        report_released(Mutex::NestLock, lock as u64);
    } else if let Some(thread) = here() {
        thread.raise_with(Event::NestLockEnd, &detail(Mutex::NestLock, lock as u64));
    }
}

/// Reports that a lock was initialised, or that it is about to be destroyed.
pub(crate) fn report_lifetime(event: Event, nest: u8, lock: usize) {
    if armed(EventSet::of(&[event]))
        && let Some(thread) = here()
    {
        let kind = if nest == 1 { Mutex::NestLock } else { Mutex::Lock };
        thread.raise_with(event, &detail(kind, lock as u64));
    }
}
