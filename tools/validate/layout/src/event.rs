//! Events: the arguments of a callback as plain data. Pointers among them are dereferenced once, at the FFI boundary.

/// Value of a data word (`ompt_data_t`) at the start of the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Address of the data word.
    pub at: u64,
    /// Value of the data word.
    pub value: u64,
}

/// A task's frame (`ompt_frame_t`; OpenMP 5.0, 4.4.4.27).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Frame at which the runtime called the task's code. 0 before this call, and for the initial task if the runtime
    /// doesn't know the frame.
    pub exit: u64,
    /// Frame at which the task entered the runtime. 0 while its own code runs.
    pub enter: u64,
    /// Owner of `exit`, and kind of its address (`ompt_frame_flag_t`).
    pub exit_flags: i32,
    /// Owner of `enter`, and kind of its address (`ompt_frame_flag_t`).
    pub enter_flags: i32,
}

/// The three callbacks with the signature `ompt_callback_sync_region_t` (OpenMP 5.0, 4.5.2.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sync {
    /// `sync_region`
    Region,
    /// `sync_region_wait`
    Wait,
    /// `reduction`
    Reduction,
}

/// The three callbacks with the signature `ompt_callback_mutex_t` (OpenMP 5.0, 4.5.2.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    /// `lock_destroy`
    Destroy,
    /// `mutex_acquired`
    Acquired,
    /// `mutex_released`
    Released,
}

/// A chunk that a `dispatch` callback's instance points to (`ompt_dispatch_chunk_t`; OpenMP 5.2, 19.4.4.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First logical iteration of the chunk.
    pub start: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// An item of a `dependences` callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Address of the variable, or the iteration number of a doacross loop.
    pub variable: u64,
    /// Kind of the dependence (`ompt_dependence_type_t`).
    pub kind: i32,
}

/// A call of a callback. Numbers are passed unchanged: the rules report unknown ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the arguments in the specification's order, with its meanings")]
pub enum Event {
    /// `thread_begin` (OpenMP 5.0, 4.5.2.1).
    ThreadBegin { kind: i32, thread: Option<Word> },
    /// `thread_end` (OpenMP 5.0, 4.5.2.2).
    ThreadEnd { thread: Option<Word> },
    /// `parallel_begin` (OpenMP 5.0, 4.5.2.3).
    ParallelBegin {
        encountering: Option<Word>,
        frame: Option<Frame>,
        parallel: Option<Word>,
        requested: u32,
        flags: i32,
        code: u64,
    },
    /// `parallel_end` (OpenMP 5.0, 4.5.2.4).
    ParallelEnd { parallel: Option<Word>, encountering: Option<Word>, flags: i32, code: u64 },
    /// `work` (OpenMP 5.0, 4.5.2.5).
    Work { kind: i32, endpoint: i32, parallel: Option<Word>, task: Option<Word>, count: u64, code: u64 },
    /// `dispatch` (OpenMP 5.0, 4.5.2.6).
    Dispatch { parallel: Option<Word>, task: Option<Word>, kind: i32, instance: u64, chunk: Option<Chunk> },
    /// `task_create` (OpenMP 5.0, 4.5.2.7).
    TaskCreate {
        encountering: Option<Word>,
        frame: Option<Frame>,
        task: Option<Word>,
        flags: i32,
        has_dependences: i32,
        code: u64,
    },
    /// `dependences` (OpenMP 5.0, 4.5.2.8).
    Dependences { task: Option<Word>, dependences: Vec<Dependence>, count: i32 },
    /// `task_dependence` (OpenMP 5.0, 4.5.2.9).
    TaskDependence { source: Option<Word>, sink: Option<Word> },
    /// `task_schedule` (OpenMP 5.0, 4.5.2.10).
    TaskSchedule { prior: Option<Word>, status: i32, next: Option<Word> },
    /// `implicit_task` (OpenMP 5.0, 4.5.2.11).
    ImplicitTask { endpoint: i32, parallel: Option<Word>, task: Option<Word>, actual: u32, index: u32, flags: i32 },
    /// `masked` (OpenMP 5.0, 4.5.2.12; `master` there).
    Masked { endpoint: i32, parallel: Option<Word>, task: Option<Word>, code: u64 },
    /// `sync_region`, `sync_region_wait` or `reduction` (OpenMP 5.0, 4.5.2.13).
    Sync { which: Sync, kind: i32, endpoint: i32, parallel: Option<Word>, task: Option<Word>, code: u64 },
    /// `mutex_acquire` or `lock_init` (OpenMP 5.0, 4.5.2.14).
    MutexAcquire { init: bool, kind: i32, hint: u32, implementation: u32, wait: u64, code: u64 },
    /// `lock_destroy`, `mutex_acquired` or `mutex_released` (OpenMP 5.0, 4.5.2.15).
    Mutex { which: Mutex, kind: i32, wait: u64, code: u64 },
    /// `nest_lock` (OpenMP 5.0, 4.5.2.16).
    NestLock { endpoint: i32, wait: u64, code: u64 },
    /// `flush` (OpenMP 5.0, 4.5.2.17).
    Flush { thread: Option<Word>, code: u64 },
    /// `cancel` (OpenMP 5.0, 4.5.2.18).
    Cancel { task: Option<Word>, flags: i32, code: u64 },
    /// `control_tool` (OpenMP 5.0, 4.5.2.29).
    ControlTool { command: u64, modifier: u64, argument: u64, code: u64 },
    /// `error` (OpenMP 5.1, 4.5.2.30).
    Error { severity: i32, code: u64 },
}

impl Event {
    /// The callback of this event (`ompt_callbacks_t`; OpenMP 5.0, 4.4.2).
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

    /// The program's return address (`codeptr_ra`), if the callback has one.
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

/// The callbacks of the host device (`ompt_callbacks_t`; OpenMP 5.0, 4.4.2), by their numbers.
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

/// Number of callbacks, one more than the highest callback number.
pub const CALLBACKS: usize = 38;

impl Callback {
    /// All callbacks, by number.
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

    /// The specification's name, without the common prefix `ompt_callback_`.
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
