//! Rules of locks, critical, atomic and ordered regions (OpenMP 5.0, 4.5.2.14 to 4.5.2.16).
//!
//! `mutex_released` is called after the release, so another thread may already have acquired the mutex and reported
//! that. But between the release and its callback the thread does nothing that has a callback: the late callback must
//! be its next.

use validate_layout::event::{Event, Mutex as Which};
use validate_layout::rule::Rule;

use crate::constants::{endpoint, mutex};
use crate::engine::Engine;

/// The common kind of a lock's operations: `test_lock` and `lock` refer to one kind of lock.
fn family(kind: i32) -> i32 {
    match kind {
        mutex::TEST_LOCK => mutex::LOCK,
        mutex::TEST_NEST_LOCK => mutex::NEST_LOCK,
        other => other,
    }
}

impl Engine {
    pub(crate) fn mutex(&mut self, thread: u64, event: &Event) {
        match *event {
            Event::MutexAcquire { init, kind, wait, .. } => {
                check_mutex(self, kind, wait, init);
                if init {
                    lock_init(self, kind, wait);
                } else {
                    check_life(self, wait);
                    self.model.thread(thread).acquiring = Some((wait, kind));
                }
            }
            Event::Mutex { which, kind, wait, .. } => {
                check_mutex(self, kind, wait, which == Which::Destroy);
                match which {
                    Which::Destroy => lock_destroy(self, wait),
                    Which::Acquired => mutex_acquired(self, thread, kind, wait),
                    Which::Released => mutex_released(self, thread, kind, wait),
                }
            }
            Event::NestLock { endpoint, wait, .. } => nest_lock(self, thread, endpoint, wait),
            _ => {}
        }
    }

    /// Checks that a thread that must have released a mutex reports that with its next event.
    pub(crate) fn check_releases(&mut self, thread: u64, event: &Event) {
        let owed = self.model.thread(thread).releasing.last().copied();
        let Some(owed) = owed else { return };
        let said = match event {
            Event::Mutex { which: Which::Released, wait, .. } => self.model.thread(thread).releasing.contains(wait),
            _ => false,
        };
        self.findings.check(Rule::MutexExclusive, said, || format!("another thread has acquired {owed:#x} meanwhile"));
        if !said {
            self.model.thread(thread).releasing.clear();
        }
    }

    /// Checks at the end of an implicit task that its thread isn't in a region that excludes others.
    pub(crate) fn check_left(&mut self, thread: u64) {
        let held = self.model.thread(thread).held.clone();
        let is_region = |wait: &u64| self.model.mutexes.get(wait).is_some_and(|mutex| !mutex::is_lock(mutex.kind));
        let left = held.into_iter().find(is_region);
        self.findings.check(Rule::MutexLeft, left.is_none(), || format!("{:#x} is held", left.unwrap_or_default()));
    }
}

fn check_mutex(engine: &mut Engine, kind: i32, wait: u64, only_locks: bool) {
    let fits = if only_locks { mutex::is_lock(kind) } else { (mutex::LOCK..=mutex::ORDERED).contains(&kind) };
    engine.findings.check(Rule::MutexKind, fits, || format!("kind {kind}"));
    engine.findings.check(Rule::MutexWait, wait != 0, || "wait id 0".to_owned());
}

fn lock_init(engine: &mut Engine, kind: i32, wait: u64) {
    let lock = engine.model.mutexes.entry(wait).or_default();
    *lock = crate::model::Mutex { kind, initialized: true, ..Default::default() };
}

fn lock_destroy(engine: &mut Engine, wait: u64) {
    let lock = engine.model.mutexes.entry(wait).or_default();
    let alive = lock.initialized;
    (lock.initialized, lock.destroyed) = (false, true);
    engine.findings.check(Rule::LockLife, alive, || format!("{wait:#x} is destroyed, and was not initialized"));
}

fn check_life(engine: &mut Engine, wait: u64) {
    let destroyed = engine.model.mutexes.get(&wait).is_some_and(|lock| lock.destroyed);
    engine.findings.check(Rule::LockLife, !destroyed, || format!("{wait:#x} is used after it was destroyed"));
}

fn mutex_acquired(engine: &mut Engine, thread: u64, kind: i32, wait: u64) {
    let pending = engine.model.thread(thread).acquiring.take();
    let say = || format!("{wait:#x} of kind {kind}, after mutex_acquire of {pending:#x?}");
    engine.findings.check(Rule::MutexAcquire, pending == Some((wait, kind)), say);
    engine.model.criticals_of_others |= kind == mutex::CRITICAL && engine.model.first != Some(thread);
    let known = engine.model.mutexes.entry(wait).or_default();
    let before = known.holder.replace(thread);
    (known.kind, known.depth) = (kind, 0);
    engine.findings.check(Rule::MutexExclusive, before != Some(thread), || format!("{wait:#x} is acquired again"));
    if let Some(before) = before.filter(|before| *before != thread) {
        let late = engine.model.thread(before);
        late.held.retain(|held| *held != wait);
        late.releasing.push(wait);
    }
    if !mutex::is_lock(kind) {
        engine.model.thread(thread).held.push(wait);
    }
}

fn mutex_released(engine: &mut Engine, thread: u64, kind: i32, wait: u64) {
    let own = engine.model.thread(thread);
    let late = own.releasing.iter().position(|releasing| *releasing == wait);
    if let Some(late) = late {
        own.releasing.swap_remove(late);
        engine.findings.check(Rule::MutexRelease, true, String::new);
        return;
    }
    let known = engine.model.mutexes.entry(wait).or_default();
    let (holder, held_kind, depth) = (known.holder.take(), known.kind, known.depth);
    known.depth = 0;
    let entitled = if mutex::is_lock(kind) { holder.is_some() } else { holder == Some(thread) };
    let same = family(kind) == family(held_kind);
    let say = || format!("{wait:#x} of kind {kind}, held by thread {holder:?} as kind {held_kind}");
    engine.findings.check(Rule::MutexRelease, entitled && same, say);
    if family(kind) == mutex::NEST_LOCK {
        engine.findings.check(Rule::NestLock, depth == 0, || format!("{wait:#x} is released with depth {depth}"));
    }
    if let Some(holder) = holder {
        engine.model.thread(holder).held.retain(|held| *held != wait);
    }
}

fn nest_lock(engine: &mut Engine, thread: u64, endpoint: i32, wait: u64) {
    let begin = endpoint == endpoint::BEGIN;
    engine.findings.check(Rule::SyncEndpoint, begin || endpoint == endpoint::END, || format!("endpoint {endpoint}"));
    if begin {
        engine.model.thread(thread).acquiring = None;
    }
    let known = engine.model.mutexes.entry(wait).or_default();
    let (holder, depth) = (known.holder, known.depth);
    known.depth = if begin { depth + 1 } else { depth.saturating_sub(1) };
    let sound = holder == Some(thread) && (begin || depth > 0);
    let say = || format!("endpoint {endpoint} of {wait:#x}, held by thread {holder:?} with depth {depth}");
    engine.findings.check(Rule::NestLock, sound, say);
}
