//! What a callback was called with: plain data, with pointers followed once at the door.

/// A data word (`ompt_data_t`) as it was when the callback began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its address.
    pub at: u64,
    /// What it held.
    pub value: u64,
}

/// A task's frame (`ompt_frame_t`; OpenMP 5.0, 4.4.4.29).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Where the runtime called the task's code; 0 before it did, and for the initial task where the runtime doesn't know.
    pub exit: u64,
    /// Where the task entered the runtime; 0 while its own code runs.
    pub enter: u64,
    /// Whose frame `exit` is, and what kind of address.
    pub exit_flags: i32,
    /// The same of `enter`.
    pub enter_flags: i32,
}

/// Which of the three callbacks of one signature it was (OpenMP 5.0, 4.5.2.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sync {
    /// `sync_region`
    Region,
    /// `sync_region_wait`
    Wait,
    /// `reduction`
    Reduction,
}

/// Which of the three callbacks of one signature it was (OpenMP 5.0, 4.5.2.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    /// `lock_destroy`
    Destroy,
    /// `mutex_acquired`
    Acquired,
    /// `mutex_released`
    Released,
}

/// What a `dispatch` callback's instance points to where it is a chunk (`ompt_dispatch_chunk_t`; OpenMP 5.2, 19.4.4.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its first logical iteration.
    pub start: u64,
    /// How many iterations it has.
    pub iterations: u64,
}

/// One item of a `dependences` callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The address of the variable, or the iteration number of a doacross loop.
    pub variable: u64,
    /// `ompt_dependence_type_t`
    pub kind: i32,
}

/// One call of a callback. Numbers stay as they came: an unknown one is something to report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the arguments in the specification's order, with its meanings")]
pub enum Event {
    /// OpenMP 5.0, 4.5.2.1
    ThreadBegin { kind: i32, thread: Option<Word> },
    /// OpenMP 5.0, 4.5.2.2
    ThreadEnd { thread: Option<Word> },
    /// OpenMP 5.0, 4.5.2.3
    ParallelBegin {
        encountering: Option<Word>,
        frame: Option<Frame>,
        parallel: Option<Word>,
        requested: u32,
        flags: i32,
        code: u64,
    },
    /// OpenMP 5.0, 4.5.2.4
    ParallelEnd { parallel: Option<Word>, encountering: Option<Word>, flags: i32, code: u64 },
    /// OpenMP 5.0, 4.5.2.5
    Work { kind: i32, endpoint: i32, parallel: Option<Word>, task: Option<Word>, count: u64, code: u64 },
    /// OpenMP 5.0, 4.5.2.6
    Dispatch { parallel: Option<Word>, task: Option<Word>, kind: i32, instance: u64, chunk: Option<Chunk> },
    /// OpenMP 5.0, 4.5.2.7
    TaskCreate {
        encountering: Option<Word>,
        frame: Option<Frame>,
        task: Option<Word>,
        flags: i32,
        has_dependences: i32,
        code: u64,
    },
    /// OpenMP 5.0, 4.5.2.8
    Dependences { task: Option<Word>, dependences: Vec<Dependence>, count: i32 },
    /// OpenMP 5.0, 4.5.2.9
    TaskDependence { source: Option<Word>, sink: Option<Word> },
    /// OpenMP 5.0, 4.5.2.10
    TaskSchedule { prior: Option<Word>, status: i32, next: Option<Word> },
    /// OpenMP 5.0, 4.5.2.11
    ImplicitTask { endpoint: i32, parallel: Option<Word>, task: Option<Word>, actual: u32, index: u32, flags: i32 },
    /// OpenMP 5.0, 4.5.2.12 (`master` there)
    Masked { endpoint: i32, parallel: Option<Word>, task: Option<Word>, code: u64 },
    /// OpenMP 5.0, 4.5.2.13
    Sync { which: Sync, kind: i32, endpoint: i32, parallel: Option<Word>, task: Option<Word>, code: u64 },
    /// OpenMP 5.0, 4.5.2.14: `mutex_acquire`, or `lock_init`
    MutexAcquire { init: bool, kind: i32, hint: u32, implementation: u32, wait: u64, code: u64 },
    /// OpenMP 5.0, 4.5.2.15
    Mutex { which: Mutex, kind: i32, wait: u64, code: u64 },
    /// OpenMP 5.0, 4.5.2.16
    NestLock { endpoint: i32, wait: u64, code: u64 },
    /// OpenMP 5.0, 4.5.2.17
    Flush { thread: Option<Word>, code: u64 },
    /// OpenMP 5.0, 4.5.2.18
    Cancel { task: Option<Word>, flags: i32, code: u64 },
    /// OpenMP 5.0, 4.5.2.29
    ControlTool { command: u64, modifier: u64, argument: u64, code: u64 },
    /// OpenMP 5.1, 4.5.2.30
    Error { severity: i32, code: u64 },
}

impl Event {
    /// The number of its callback (`ompt_callbacks_t`; OpenMP 5.0, 4.4.2).
    pub fn callback(&self) -> Callback {
        match self {
            Self::ThreadBegin { .. } => Callback::ThreadBegin,
            Self::ThreadEnd { .. } => Callback::ThreadEnd,
            Self::ParallelBegin { .. } => Callback::ParallelBegin,
            Self::ParallelEnd { .. } => Callback::ParallelEnd,
            Self::Work { .. } => Callback::Work,
            Self::Dispatch { .. } => Callback::Dispatch,
            Self::TaskCreate { .. } => Callback::TaskCreate,
            Self::Dependences { .. } => Callback::Dependences,
            Self::TaskDependence { .. } => Callback::TaskDependence,
            Self::TaskSchedule { .. } => Callback::TaskSchedule,
            Self::ImplicitTask { .. } => Callback::ImplicitTask,
            Self::Masked { .. } => Callback::Masked,
            Self::Sync { which: Sync::Region, .. } => Callback::SyncRegion,
            Self::Sync { which: Sync::Wait, .. } => Callback::SyncRegionWait,
            Self::Sync { which: Sync::Reduction, .. } => Callback::Reduction,
            Self::MutexAcquire { init: true, .. } => Callback::LockInit,
            Self::MutexAcquire { init: false, .. } => Callback::MutexAcquire,
            Self::Mutex { which: Mutex::Destroy, .. } => Callback::LockDestroy,
            Self::Mutex { which: Mutex::Acquired, .. } => Callback::MutexAcquired,
            Self::Mutex { which: Mutex::Released, .. } => Callback::MutexReleased,
            Self::NestLock { .. } => Callback::NestLock,
            Self::Flush { .. } => Callback::Flush,
            Self::Cancel { .. } => Callback::Cancel,
            Self::ControlTool { .. } => Callback::ControlTool,
            Self::Error { .. } => Callback::Error,
        }
    }

    /// The user's return address, where the callback has one.
    pub fn code(&self) -> Option<u64> {
        match self {
            Self::ParallelBegin { code, .. }
            | Self::ParallelEnd { code, .. }
            | Self::Work { code, .. }
            | Self::TaskCreate { code, .. }
            | Self::Masked { code, .. }
            | Self::Sync { code, .. }
            | Self::MutexAcquire { code, .. }
            | Self::Mutex { code, .. }
            | Self::NestLock { code, .. }
            | Self::Flush { code, .. }
            | Self::Cancel { code, .. }
            | Self::ControlTool { code, .. }
            | Self::Error { code, .. } => Some(*code),
            _ => None,
        }
    }
}

/// The callbacks of the host (`ompt_callbacks_t`; OpenMP 5.0, 4.4.2), by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the specification's names")]
pub enum Callback {
    ThreadBegin = 1,
    ThreadEnd = 2,
    ParallelBegin = 3,
    ParallelEnd = 4,
    TaskCreate = 5,
    TaskSchedule = 6,
    ImplicitTask = 7,
    ControlTool = 11,
    SyncRegionWait = 16,
    MutexReleased = 17,
    Dependences = 18,
    TaskDependence = 19,
    Work = 20,
    Masked = 21,
    SyncRegion = 23,
    LockInit = 24,
    LockDestroy = 25,
    MutexAcquire = 26,
    MutexAcquired = 27,
    NestLock = 28,
    Flush = 29,
    Cancel = 30,
    Reduction = 31,
    Dispatch = 32,
    Error = 37,
}

/// One more than the highest number.
pub const CALLBACKS: usize = 38;

impl Callback {
    /// All of them, by number.
    pub const ALL: [Self; 25] = [
        Self::ThreadBegin,
        Self::ThreadEnd,
        Self::ParallelBegin,
        Self::ParallelEnd,
        Self::TaskCreate,
        Self::TaskSchedule,
        Self::ImplicitTask,
        Self::ControlTool,
        Self::SyncRegionWait,
        Self::MutexReleased,
        Self::Dependences,
        Self::TaskDependence,
        Self::Work,
        Self::Masked,
        Self::SyncRegion,
        Self::LockInit,
        Self::LockDestroy,
        Self::MutexAcquire,
        Self::MutexAcquired,
        Self::NestLock,
        Self::Flush,
        Self::Cancel,
        Self::Reduction,
        Self::Dispatch,
        Self::Error,
    ];

    /// The specification's name, without the `ompt_callback_` that all have in common.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThreadBegin => "thread_begin",
            Self::ThreadEnd => "thread_end",
            Self::ParallelBegin => "parallel_begin",
            Self::ParallelEnd => "parallel_end",
            Self::TaskCreate => "task_create",
            Self::TaskSchedule => "task_schedule",
            Self::ImplicitTask => "implicit_task",
            Self::ControlTool => "control_tool",
            Self::SyncRegionWait => "sync_region_wait",
            Self::MutexReleased => "mutex_released",
            Self::Dependences => "dependences",
            Self::TaskDependence => "task_dependence",
            Self::Work => "work",
            Self::Masked => "masked",
            Self::SyncRegion => "sync_region",
            Self::LockInit => "lock_init",
            Self::LockDestroy => "lock_destroy",
            Self::MutexAcquire => "mutex_acquire",
            Self::MutexAcquired => "mutex_acquired",
            Self::NestLock => "nest_lock",
            Self::Flush => "flush",
            Self::Cancel => "cancel",
            Self::Reduction => "reduction",
            Self::Dispatch => "dispatch",
            Self::Error => "error",
        }
    }
}
