//! The records.

/// A record about a process, its threads or their samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// First record of a file.
    Begin {
        /// [`crate::VERSION`] of the writer.
        version: u64,
    },
    /// A fact about the process; the keys are in [`info`]. If a key occurs twice, the later value counts.
    Info {
        /// One of [`info`].
        key: &'a [u8],
        /// Bytes as given by the system, usually UTF-8.
        value: &'a [u8],
    },
    /// An object of code that is, or was, mapped.
    Object(Object<'a>),
    /// A thread starts to be sampled.
    Thread {
        /// Number of the thread in this file, from 0, dense, used once.
        thread: u32,
        /// The kernel's number of the thread.
        tid: u32,
        /// Start of the thread, by CLOCK_MONOTONIC.
        begun_ns: u64,
        /// Address of the function that `pthread_create` or `thrd_create` was to run in it; 0 if its creation was not
        /// seen.
        routine: u64,
    },
    /// A stack that samples or regions refer to.
    Stack {
        /// Number of the stack, from 1.
        id: u32,
        /// Completeness of the stack: the reason if frames are missing below the last one.
        cut: Cut,
        /// Addresses, the leaf first.
        frames: Frames<'a>,
    },
    /// A parallel region that contains a sample, or an ancestor of such a region.
    Region {
        /// CURRENT_PRID of the threads inside the region.
        id: u64,
        /// CURRENT_PRID of the master before the fork; 0 if there is none.
        parent: u64,
        /// Stack of the master, at the fork.
        stack: u32,
        /// Thread number of the master.
        thread: u32,
    },
    /// A thread's time since its last sample, and where it was. The first sample of a thread that didn't exist from the start
    /// represents a whole period even if the thread is younger: it includes the time of threads that ended before they had
    /// one. A [`Moment::WaitEnd`] has the time that the thread slept since the wait started; its time before that is in its
    /// next sample.
    Sample(Sample),
    /// A thread has ended, or is no longer sampled. The remaining time is not attributed to anything. CPU time of a thread
    /// that ends while the program continues isn't included: the next thread that reuses this one's record has it in its
    /// first sample.
    ThreadEnd {
        /// Thread number, as in [`Record::Thread`].
        thread: u32,
        /// End of the thread, by CLOCK_MONOTONIC.
        ended_ns: u64,
        /// Wall-clock time since its last sample.
        wall_ns: u64,
        /// CPU time since its last sample.
        cpu_ns: u64,
        /// Signals that its timer should have sent.
        asked: u64,
        /// Signals that arrived.
        delivered: u64,
        /// Samples that could not be stored.
        lost: u64,
    },
    /// Time in the session for which a thread was ready to run, but no processor was available.
    ThreadReady {
        /// Thread number, as in [`Record::Thread`].
        thread: u32,
        /// Nanoseconds by the kernel's count of each thread (`/proc/PID/task/TID/schedstat`).
        ready_ns: u64,
    },
    /// CPU time for which a thread's signals were late, in all its life.
    ThreadLate {
        /// Thread number, as in [`Record::Thread`].
        thread: u32,
        /// In the kernel, in nanoseconds.
        in_kernel_ns: u64,
        /// In the program's code, for several periods: the signal was blocked.
        blocked_ns: u64,
    },
    /// The process has ended by itself: it has run its exit handlers, or called `_exit`.
    End {
        /// End of the process, by CLOCK_MONOTONIC.
        ended_ns: u64,
    },
}

/// A thread's time since its last sample, and where it was when that was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Thread number, as in [`Record::Thread`].
    pub thread: u32,
    /// Occasion on which it was taken.
    pub moment: Moment,
    /// The answer to STATE (`OMP_COLLECTORAPI_THR_STATE`); 0 without an answer.
    pub state: u32,
    /// Stack number, see [`Record::Stack`]; 0: none.
    pub stack: u32,
    /// Time of the sample, by CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// Wall-clock time that it represents.
    pub wall_ns: u64,
    /// CPU time that it represents.
    pub cpu_ns: u64,
    /// The wait id that came with the state; 0: none.
    pub wait: u64,
    /// The answer to CURRENT_PRID; 0: outside of regions.
    pub region: u64,
}

/// Occasion on which a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Moment {
    /// A signal of the sampling clock.
    Tick = 0,
    /// The end of a wait in which the thread may have slept.
    WaitEnd = 1,
}

/// An object of code in the process's memory. Another one may have been there before or may come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// The first address of its code.
    pub start: u64,
    /// Address after the last byte of its code.
    pub end: u64,
    /// Offset to be added to the file's addresses.
    pub bias: u64,
    /// Time since when it was there, by CLOCK_MONOTONIC.
    pub since_ns: u64,
    /// The GNU build id; empty: none.
    pub build_id: &'a [u8],
    /// Path of its file; `[vdso]`; empty: code that was made while the program ran.
    pub path: &'a [u8],
}

/// Completeness of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum Cut {
    /// Down to the thread's first frame.
    Whole = 0,
    /// There were more frames than are kept.
    Deep = 1,
    /// An address that is in no known object.
    UnknownCode = 2,
    /// A rule for unwinding from here is missing.
    NoRule = 3,
    /// The stack could not be read.
    Unreadable = 4,
}

/// Addresses, the leaf first: where the thread was, then return addresses.
#[derive(Clone, Copy, Debug)]
pub enum Frames<'a> {
    /// Words in memory.
    Words(&'a [u64]),
    /// Bytes of a file.
    Bytes(&'a [u8]),
}

impl Frames<'_> {
    /// Number of frames.
    pub fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Bytes(bytes) => bytes.len() / 8,
        }
    }

    /// True without frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The addresses.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let (words, bytes) = match self {
            Self::Words(words) => (*words, &[][..]),
            Self::Bytes(bytes) => (&[][..], *bytes),
        };
        words.iter().copied().chain(bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)))
    }
}

impl PartialEq for Frames<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Frames<'_> {}

impl Moment {
    pub(crate) fn of(raw: u32) -> Self {
        if raw == Self::WaitEnd as u32 { Self::WaitEnd } else { Self::Tick }
    }
}

impl Cut {
    pub(crate) fn of(raw: u16) -> Self {
        [Self::Deep, Self::UnknownCode, Self::NoRule, Self::Unreadable]
            .into_iter()
            .find(|cut| *cut as u16 == raw)
            .unwrap_or(Self::Whole)
    }
}

/// Keys of [`Record::Info`]. Numbers are decimal.
pub mod info {
    /// The process number.
    pub const PID: &[u8] = b"pid";
    /// Number of the parent process, at the start.
    pub const PARENT: &[u8] = b"parent";
    /// The command line: words, each terminated by a zero byte.
    pub const COMMAND: &[u8] = b"command";
    /// The executable's path.
    pub const EXECUTABLE: &[u8] = b"executable";
    /// The working directory at the start.
    pub const FOLDER: &[u8] = b"folder";
    /// The machine's name.
    pub const HOST: &[u8] = b"host";
    /// The rank that a launcher has assigned to it; see `RANKS`.
    pub const RANK: &[u8] = b"rank";
    /// Number of ranks, see `RANK`.
    pub const RANKS: &[u8] = b"ranks";
    /// `cpu`; `wall` in files of older versions.
    pub const CLOCK: &[u8] = b"clock";
    /// Source of the signals: `perf` or `timer`; `perf` even if only some threads have that, or only later.
    pub const TIMER: &[u8] = b"timer";
    /// Samples asked for in a second and thread.
    pub const RATE: &[u8] = b"rate";
    /// Number of processors that the process may use, by its affinity.
    pub const PROCESSORS: &[u8] = b"processors";
    /// Number of processors that control groups grant, if they set a limit.
    pub const QUOTA: &[u8] = b"quota";
    /// In a trace: time on processors, and time ready without one, of the threads that are alive at the end and had
    /// events: two numbers of nanoseconds.
    pub const SCHEDULED: &[u8] = b"scheduled";
    /// Environment variables for OpenMP runtimes: words `NAME=VALUE`, each terminated by a zero byte.
    pub const ENVIRONMENT: &[u8] = b"environment";
    /// The signal's number.
    pub const SIGNAL: &[u8] = b"signal";
    /// Start of the process: CLOCK_REALTIME and CLOCK_MONOTONIC at the same moment, in nanoseconds.
    pub const BEGAN_REAL: &[u8] = b"began_real";
    /// CLOCK_MONOTONIC at the start, see `BEGAN_REAL`.
    pub const BEGAN: &[u8] = b"began";
    /// CPU time of the process before the profile began, in nanoseconds: dynamic linking, and what libraries did before.
    pub const START_UP: &[u8] = b"start_up";
    /// The answer to START; `none`: no `__omp_collector_api`.
    pub const SESSION: &[u8] = b"session";
    /// Paths of the collector's and the library's own objects, whose frames are not shown, each terminated by a zero
    /// byte.
    pub const OWN: &[u8] = b"own";
    /// In a trace: names of the recorded kinds of events, separated by commas.
    pub const EVENTS: &[u8] = b"events";
    /// In a trace: name and version of the OpenMP runtime, as given by the runtime. In a profile only that of a runtime of the program's own.
    pub const RUNTIME: &[u8] = b"runtime";
    /// Name of a runtime of the program's own, which reports itself.
    pub const OWN_RUNTIME: &[u8] = b"a runtime with ora_embed.h";
    /// An error, as a sentence.
    pub const TROUBLE: &[u8] = b"trouble";
}
