//! The lines of a process's file.
//!
//! Words for kinds (of constructs, mutexes, waits, locations) are strings: a reader shows an unknown word unchanged.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::Address;

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first line of a process or program.
    Process(Process),
    /// A loaded object.
    Module(Module),
    /// A data race.
    Race(Box<Race>),
    /// Reports of ThreadSanitizer that aren't races of the program.
    Suppressed(Suppressed),
    /// The last line of a process that ended by `exit`.
    End(End),
}

/// A process that has begun to use OpenMP or was forked, and what can be seen in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// [`crate::VERSION`].
    pub version: u32,
    /// Number of the process.
    pub pid: u32,
    /// Number of its parent.
    pub parent: u32,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Path of ThreadSanitizer's runtime library, or of the program that has it linked in.
    pub libtsan: String,
    /// Kind of fibers: `pooled`, `one a task` or `none`.
    pub fibers: String,
    /// True if the detector was not asked about ThreadSanitizer's reports.
    pub blind: bool,
    /// The OpenMP runtime, as it names itself.
    pub runtime: String,
    /// Maximum number of threads of a team (`omp_get_max_threads`); 0 if unknown.
    pub threads_max: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Sentences about what can't be seen here, for the user.
    pub notes: Vec<String>,
}

/// A loaded mapping with code or data of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Module {
    /// The file.
    #[serde(with = "crate::raw_path")]
    pub path: OsString,
    /// First address.
    pub start: Address,
    /// First address after it.
    pub end: Address,
    /// Offset in the file at which the mapping starts.
    pub offset: Address,
    /// Build id in hexadecimal digits; empty if there is none.
    pub build_id: String,
}

/// Two unordered accesses to one location, one of which is a write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// Number of the race in its process, from 1.
    pub id: u64,
    /// False if the accesses may be ordered by something that can't be seen.
    pub sure: bool,
    /// Reason why the race is not certain.
    #[serde(default)]
    pub why_possible: Option<String>,
    /// The access at which the race was detected, and the earlier one.
    pub accesses: [Access; 2],
    /// The memory, if known.
    #[serde(default)]
    pub location: Option<Location>,
}

/// One access to memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// True for a write.
    pub write: bool,
    /// True for an atomic access.
    pub atomic: bool,
    /// Number of bytes.
    pub size: u64,
    /// First byte.
    pub address: Address,
    /// ThreadSanitizer's number of the thread.
    pub os_thread: u64,
    /// Number in its team (`omp_get_thread_num`), if it was in one.
    pub omp_thread: Option<u32>,
    /// Program counters, innermost first; empty if ThreadSanitizer has forgotten the stack.
    pub stack: Vec<Address>,
    /// True if the innermost program counter is that of the access, not one after it.
    pub exact: bool,
    /// False if the stack of an earlier access could not be restored.
    pub stack_restored: bool,
    /// Innermost construct that contains the access.
    pub construct: Option<Construct>,
    /// Innermost parallel region.
    pub region: Option<Region>,
    /// Mutexes that the thread held.
    pub mutexes: Vec<Mutex>,
    /// Last synchronisation of the thread or task before the access.
    pub since: Option<Since>,
}

/// A construct of OpenMP that code runs in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Construct {
    /// `task`, `taskloop`, `implicit task`, `loop chunk`, `section`, `team`, `single`, `master`, `initial`, `foreign thread`.
    pub kind: String,
    /// Number of its task in the process; 0 if unknown.
    pub id: u64,
    /// Number of the task that created it; 0 if unknown.
    pub parent: u64,
    /// Return address of the call into the runtime, or the construct's function.
    pub codeptr: Address,
    /// Stack of a task's creation, innermost first.
    pub created: Vec<Address>,
}

/// A parallel region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// Return address of the call that started it.
    pub codeptr: Address,
    /// The function that the compiler created from its body.
    pub function: Address,
    /// Number of the instance in its process.
    pub id: u64,
    /// Number of threads in the team.
    pub team: u32,
}

/// A mutex that was held at an access.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mutex {
    /// `critical`, `lock`, `nest_lock`, `atomic` or `ordered`.
    pub kind: String,
    /// Identity of the mutex.
    pub wait_id: Address,
    /// Return address of the call that acquired it.
    pub codeptr: Address,
}

/// A synchronisation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Since {
    /// `barrier`, `taskwait`, `taskgroup` and so on.
    pub kind: String,
    /// Return address of the call into the runtime.
    pub codeptr: Address,
}

/// Memory that is known by name or by its allocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Location {
    /// `global`, `heap`, `stack` or `tls`.
    pub kind: String,
    /// First byte.
    pub address: Address,
    /// Number of bytes; 0 if unknown.
    pub size: u64,
    /// Symbol of a global variable.
    pub name: Option<String>,
    /// The file that a global variable is in.
    pub module: Option<String>,
    /// Stack of the allocation, innermost first.
    pub stack: Vec<Address>,
    /// ThreadSanitizer's number of the thread that allocated it, or whose stack it is.
    pub thread: Option<u64>,
    /// True if this is the thread of the access at which the race was detected.
    pub is_accessors: bool,
}

/// A number of reports that were left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Suppressed {
    /// Number of reports.
    pub count: u64,
    /// Reason.
    pub reason: String,
}

/// Sums of a process at its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// Number of races, including those that were not written.
    pub races: u64,
    /// Exit code, if known.
    pub exit: Option<i32>,
    /// Number of explicit tasks.
    pub tasks: u64,
    /// Number of fibers that were created.
    pub fibers: u64,
}
