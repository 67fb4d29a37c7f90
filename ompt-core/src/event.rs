//! The events of an OpenMP program, sets of them, and spans (a start event with its end event).

/// One kind of event, named as in OMPT. Its number is its bit in an [`EventSet`].
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A thread has encountered a parallel construct; no member of the team has started yet.
    ParallelBegin,
    /// A parallel region is over, on the thread that encountered it.
    ParallelEnd,
    /// A worker has returned to the thread pool, or was created.
    IdleBegin,
    /// A worker leaves the pool for a region.
    IdleEnd,
    /// A thread arrives at the barrier that ends a region.
    RegionBarrierWaitBegin,
    /// A thread leaves the barrier that ends a region.
    RegionBarrierWaitEnd,
    /// A thread arrives at the barrier that ends a work-sharing construct.
    WorkBarrierWaitBegin,
    /// A thread leaves the barrier that ends a work-sharing construct.
    WorkBarrierWaitEnd,
    /// A thread arrives at an explicit barrier.
    ExplicitBarrierWaitBegin,
    /// A thread leaves an explicit barrier.
    ExplicitBarrierWaitEnd,
    /// A thread has to wait for a lock.
    LockWaitBegin,
    /// A thread has acquired the lock that it waited for.
    LockWaitEnd,
    /// A thread has to wait for a critical section.
    CriticalWaitBegin,
    /// A thread has entered the critical section that it waited for.
    CriticalWaitEnd,
    /// A thread has to wait for its turn in an ordered region.
    OrderedWaitBegin,
    /// A thread has got its turn in an ordered region.
    OrderedWaitEnd,
    /// A thread has to wait for the lock that guards an atomic update.
    AtomicWaitBegin,
    /// A thread has acquired the lock that guards an atomic update.
    AtomicWaitEnd,
    /// The primary thread enters a masked region.
    MaskedBegin,
    /// The primary thread leaves a masked region.
    MaskedEnd,
    /// The thread that executes a single region enters it.
    SingleBegin,
    /// The thread that executes a single region leaves it.
    SingleEnd,
    /// A thread enters an ordered region.
    OrderedBegin,
    /// A thread leaves an ordered region.
    OrderedEnd,
    /// A task starts to create an explicit task.
    TaskCreateBegin,
    /// A task has created an explicit task, which runs immediately (undeferred).
    TaskCreateEndImmediate,
    /// A task has created an explicit task, which is queued.
    TaskCreateEndDeferred,
    /// A thread starts to look for a task to run.
    TaskScheduleBegin,
    /// A thread has stopped looking for a task to run.
    TaskScheduleEnd,
    /// A task starts to wait for its children (taskwait, taskgroup).
    TaskWaitBegin,
    /// A task continues after a wait for its children.
    TaskWaitEnd,
    /// A thread starts to look for a task in another thread's queue.
    TaskStealBegin,
    /// A thread has stopped looking for a task in another thread's queue.
    TaskStealEnd,
    /// A thread has taken a task from a queue.
    TaskFetched,
    /// A task's body starts.
    TaskBegin,
    /// A task's body is done.
    TaskFinishBegin,
    /// A task has ended: the cleanup after it is over.
    TaskFinishEnd,
    /// The first event of a thread, raised on the thread itself.
    ThreadBegin,
    /// The last event of a thread, raised on the thread itself.
    ThreadEnd,
    /// A thread starts to execute an implicit or initial task.
    ImplicitTaskBegin,
    /// A thread has completed an implicit or initial task.
    ImplicitTaskEnd,
    /// A task creates an explicit task, which no thread executes yet.
    TaskCreate,
    /// The task that a thread executes changes; the old or the new one is an explicit task.
    TaskSwitch,
    /// The dependences of a new task, or of an ordered loop's iteration.
    Dependences,
    /// An implicit task starts its part of a work-sharing construct, or a task starts a taskloop.
    WorkBegin,
    /// An implicit task has completed its share of a work-sharing construct, or a task that of a taskloop.
    WorkEnd,
    /// A task gets a share of the work: a chunk or a section.
    Dispatch,
    /// A task enters a taskgroup region.
    TaskgroupBegin,
    /// A task leaves a taskgroup region: the wait at its end is over.
    TaskgroupEnd,
    /// A task is about to take a mutex: a lock, or the mutex of a critical section, an atomic update or an ordered
    /// region.
    MutexAcquire,
    /// A task has acquired the mutex.
    MutexAcquired,
    /// A task has released the mutex.
    MutexReleased,
    /// A task has set a nestable lock that it already owns.
    NestLockBegin,
    /// A task has unset a nestable lock that it still owns.
    NestLockEnd,
    /// A lock was initialized.
    LockInit,
    /// A lock is about to be destroyed.
    LockDestroy,
    /// A task cancels a construct, or detects that it is cancelled.
    Cancel,
    /// The program calls its tools (`omp_control_tool`, `ompt_control`).
    Control,
    /// The runtime is about to shut down.
    Shutdown,
    /// A task starts to wait for those that it depends on (taskwait with dependences).
    DependWaitBegin,
    /// A task continues after a wait for tasks that it depends on.
    DependWaitEnd,
    /// A new task depends on one that is not complete.
    TaskDependence,
    /// A task encounters an error directive.
    Error,
    /// A target construct, an operation on memory of a device, or the submission of a target region begins or ends; a
    /// device changes. The last number that an event can have.
    Device,
}

impl Event {
    /// Upper bound of the events' numbers: a set of events fits in one 64-bit word.
    pub const COUNT: usize = u64::BITS as usize;

    /// The events that can end what this one begins; none if it begins nothing.
    #[inline(always)]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub const fn ends(self) -> EventSet {
        ENDS[self as usize & (Self::COUNT - 1)]
    }

    /// This event and those that can end what it begins.
    #[inline(always)]
    pub const fn with_ends(self) -> EventSet {
        EventSet(self.ends().0 | 1 << self as u8)
    }
}

/// For each event the set of events that can end its span.
#[allow(clippy::indexing_slicing)] // computed by the compiler
const ENDS: [EventSet; Event::COUNT] = {
    const OTHERS: [Span; 3] = [
        Span::new(Event::TaskCreateBegin, Event::TaskCreateEndImmediate),
        Span::new(Event::TaskBegin, Event::TaskFinishBegin),
        Span::new(Event::TaskBegin, Event::TaskFinishEnd),
    ];
    let mut ends = [EventSet::NONE; Event::COUNT];
    let mut lists: &[&[Span]] = &[&Span::ALL, &OTHERS];
    while let [spans, tail @ ..] = lists {
        let mut spans = *spans;
        while let [span, others @ ..] = spans {
            ends[span.begin as usize].0 |= 1 << span.end as u8;
            spans = others;
        }
        lists = tail;
    }
    ends
};

/// A set of events, one bit each.
///
/// ```
/// use ompt_core::event::{Event, EventSet, Span};
///
/// let set = Span::LOCK_WAIT.events().union(EventSet::of(&[Event::TaskSwitch]));
/// assert!(set.has(Event::LockWaitEnd) && set.covers(Span::LOCK_WAIT.events()));
/// assert_eq!(EventSet::from_bits(set.bits()), set);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSet(u64);

impl EventSet {
    /// No event.
    pub const NONE: Self = Self(0);

    /// The set of these events.
    pub const fn of(events: &[Event]) -> Self {
        let mut rest = events;
        let mut bits = 0;
        while let [event, tail @ ..] = rest {
            bits |= 1 << *event as u8;
            rest = tail;
        }
        Self(bits)
    }

    /// The union of both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if every event of the other set is in this one.
    #[inline]
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// True if the sets share an event.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if `event` is in the set.
    #[inline]
    pub const fn has(self, event: Event) -> bool {
        self.0 >> event as u8 & 1 != 0
    }

    /// The set as a word, to be stored in an atomic.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set that [`bits`](Self::bits) returned as this word.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

/// A start event with its end event. The end is reported only to sessions that were notified of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The event that opens the span.
    pub begin: Event,
    /// The event that closes the span.
    pub end: Event,
}

impl Span {
    /// A parallel region, on the thread that encountered it.
    pub const PARALLEL: Self = Self::new(Event::ParallelBegin, Event::ParallelEnd);
    /// A worker's time in the thread pool.
    pub const IDLE: Self = Self::new(Event::IdleBegin, Event::IdleEnd);
    /// The barrier at a region's end.
    pub const REGION_BARRIER: Self = Self::new(Event::RegionBarrierWaitBegin, Event::RegionBarrierWaitEnd);
    /// The barrier at a work-sharing construct's end.
    pub const WORK_BARRIER: Self = Self::new(Event::WorkBarrierWaitBegin, Event::WorkBarrierWaitEnd);
    /// An explicit barrier.
    pub const EXPLICIT_BARRIER: Self = Self::new(Event::ExplicitBarrierWaitBegin, Event::ExplicitBarrierWaitEnd);
    /// The wait for a lock.
    pub const LOCK_WAIT: Self = Self::new(Event::LockWaitBegin, Event::LockWaitEnd);
    /// The wait for a critical section.
    pub const CRITICAL_WAIT: Self = Self::new(Event::CriticalWaitBegin, Event::CriticalWaitEnd);
    /// The wait for a turn in an ordered region.
    pub const ORDERED_WAIT: Self = Self::new(Event::OrderedWaitBegin, Event::OrderedWaitEnd);
    /// The wait for an atomic update.
    pub const ATOMIC_WAIT: Self = Self::new(Event::AtomicWaitBegin, Event::AtomicWaitEnd);
    /// The body of a single region.
    pub const SINGLE: Self = Self::new(Event::SingleBegin, Event::SingleEnd);
    /// The body of an ordered region.
    pub const ORDERED: Self = Self::new(Event::OrderedBegin, Event::OrderedEnd);
    /// The body of a masked region.
    pub const MASKED: Self = Self::new(Event::MaskedBegin, Event::MaskedEnd);
    /// The creation of a task that is queued.
    pub(crate) const TASK_CREATE: Self = Self::new(Event::TaskCreateBegin, Event::TaskCreateEndDeferred);
    /// The search for a task to run.
    pub const TASK_SCHEDULE: Self = Self::new(Event::TaskScheduleBegin, Event::TaskScheduleEnd);
    /// A task's wait for its children.
    pub const TASK_WAIT: Self = Self::new(Event::TaskWaitBegin, Event::TaskWaitEnd);
    /// A task's wait for those that it depends on.
    pub const DEPEND_WAIT: Self = Self::new(Event::DependWaitBegin, Event::DependWaitEnd);
    /// The search for a task in another thread's queue.
    pub const TASK_STEAL: Self = Self::new(Event::TaskStealBegin, Event::TaskStealEnd);
    /// An implicit or initial task.
    pub const IMPLICIT_TASK: Self = Self::new(Event::ImplicitTaskBegin, Event::ImplicitTaskEnd);
    /// A task's share of a work-sharing construct.
    pub const WORK: Self = Self::new(Event::WorkBegin, Event::WorkEnd);
    /// The end of a task, starting when its body ends.
    pub const TASK_FINISH: Self = Self::new(Event::TaskFinishBegin, Event::TaskFinishEnd);

    /// All spans above.
    const ALL: [Self; 20] = [
        Self::PARALLEL,
        Self::IDLE,
        Self::REGION_BARRIER,
        Self::WORK_BARRIER,
        Self::EXPLICIT_BARRIER,
        Self::LOCK_WAIT,
        Self::CRITICAL_WAIT,
        Self::ORDERED_WAIT,
        Self::ATOMIC_WAIT,
        Self::SINGLE,
        Self::ORDERED,
        Self::MASKED,
        Self::TASK_CREATE,
        Self::TASK_SCHEDULE,
        Self::TASK_WAIT,
        Self::DEPEND_WAIT,
        Self::TASK_STEAL,
        Self::IMPLICIT_TASK,
        Self::WORK,
        Self::TASK_FINISH,
    ];

    /// The spans that are waits with a state of their own.
    pub(crate) const WAITS: [Self; 8] = [
        Self::WORK_BARRIER,
        Self::EXPLICIT_BARRIER,
        Self::LOCK_WAIT,
        Self::CRITICAL_WAIT,
        Self::ORDERED_WAIT,
        Self::ATOMIC_WAIT,
        Self::TASK_WAIT,
        Self::DEPEND_WAIT,
    ];

    const fn new(begin: Event, end: Event) -> Self {
        Self { begin, end }
    }

    /// The set of the span's two events.
    #[inline]
    pub const fn events(self) -> EventSet {
        EventSet(1 << self.begin as u8 | 1 << self.end as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_it_was_made_of() {
        let set = EventSet::of(&[Event::ParallelBegin, Event::TaskFinishEnd]);
        assert!(set.has(Event::ParallelBegin) && set.has(Event::TaskFinishEnd));
        assert!(!set.has(Event::ParallelEnd));
        assert!(set.intersects(Span::PARALLEL.events()) && !set.intersects(Span::IDLE.events()));
        assert!(set.covers(EventSet::of(&[Event::TaskFinishEnd])) && !set.covers(Span::PARALLEL.events()));
        assert_eq!(EventSet::from_bits(set.bits()), set);
    }

    #[test]
    fn each_begin_knows_its_ends() {
        for span in Span::ALL {
            assert!(span.begin.ends().has(span.end) && span.begin.with_ends().covers(span.events()), "{span:?}");
            assert!(!span.begin.ends().has(span.begin), "{span:?}");
        }
        use Event::*;
        assert_eq!(TaskCreateBegin.ends(), EventSet::of(&[TaskCreateEndImmediate, TaskCreateEndDeferred]));
        assert_eq!(TaskBegin.ends(), EventSet::of(&[TaskFinishBegin, TaskFinishEnd]));
        for event in [ParallelEnd, TaskSwitch, ThreadBegin, ThreadEnd, NestLockBegin, TaskgroupBegin, Control] {
            assert_eq!(event.ends(), EventSet::NONE, "{event:?}");
        }
    }
}
