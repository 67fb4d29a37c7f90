//! Results of the runtime's entry points during a callback.

use validate_layout::event::{Frame, Word};

/// Number of levels that are queried, starting with the innermost.
pub const LEVELS: usize = 6;

/// Results of all entry points during one callback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// `ompt_get_state`: the thread's state (OpenMP 5.0, 4.6.1.12).
    pub state: i32,
    /// `ompt_get_state`: the wait identifier.
    pub wait: u64,
    /// `ompt_get_thread_data` (4.6.1.5): the thread's data word.
    pub thread: Option<Word>,
    /// `ompt_get_task_info` (4.6.1.14), starting at level 0, up to the first level without a task.
    pub tasks: Vec<TaskAnswer>,
    /// `ompt_get_parallel_info` (4.6.1.13), starting at level 0, up to the first level without a region.
    pub regions: Vec<RegionAnswer>,
    /// `ompt_get_unique_id` (4.6.1.18): a number that is unique in the process.
    pub unique: u64,
    /// `ompt_get_target_info` (4.6.1.16), queried at the start of an initial task.
    pub in_target: Option<i32>,
    /// Places and devices, queried in a thread's first implicit task.
    pub places: Option<Places>,
}

/// Results of the entry points for places, processors and devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `ompt_get_num_procs` (4.6.1.6): number of processors.
    pub processors: i32,
    /// `ompt_get_num_places` (4.6.1.7): number of places.
    pub places: i32,
    /// `ompt_get_place_num` (4.6.1.9): the thread's place.
    pub place: i32,
    /// `ompt_get_proc_id` (4.6.1.11): the thread's processor.
    pub processor: i32,
    /// `ompt_get_place_proc_ids` (4.6.1.8): number of processors of that place.
    pub of_place: i32,
    /// `ompt_get_partition_place_nums` (4.6.1.10): number of places of the partition.
    pub partition: i32,
    /// `ompt_get_num_devices` (4.6.1.17): number of devices.
    pub devices: i32,
    /// `ompt_get_target_info` (4.6.1.16): 1 in a target region.
    pub in_target: i32,
}

/// Result of `ompt_get_task_info` for one level (OpenMP 5.0, 4.6.1.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskAnswer {
    /// Return value. 2: all fields are valid; 1: the task exists, but nothing is known about it.
    pub known: i32,
    /// The task's type (`ompt_task_flag_t`).
    pub flags: i32,
    /// The task's data word.
    pub task: Option<Word>,
    /// The task's frame.
    pub frame: Option<Frame>,
    /// The data word of the task's region.
    pub parallel: Option<Word>,
    /// Number of the thread in the team.
    pub thread_num: i32,
}

/// Result of `ompt_get_parallel_info` for one level (OpenMP 5.0, 4.6.1.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionAnswer {
    /// Return value, as in [`TaskAnswer::known`].
    pub known: i32,
    /// The region's data word.
    pub parallel: Option<Word>,
    /// Number of threads of the team.
    pub size: i32,
}
