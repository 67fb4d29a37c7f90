//! What the runtime's entry points answered while a callback ran.

use crate::event::{Frame, Word};

/// Levels that are asked about, from the innermost outward.
pub const LEVELS: usize = 6;

/// All answers in one callback.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// `ompt_get_state`: the state (OpenMP 5.0, 4.6.1.12).
    pub state: i32,
    /// Its wait identifier.
    pub wait: u64,
    /// `ompt_get_thread_data` (4.6.1.5)
    pub thread: Option<Word>,
    /// `ompt_get_task_info` (4.6.1.14), level 0 first, up to the first level that has no task.
    pub tasks: Vec<TaskAnswer>,
    /// `ompt_get_parallel_info` (4.6.1.13), likewise.
    pub regions: Vec<RegionAnswer>,
    /// `ompt_get_unique_id` (4.6.1.18)
    pub unique: u64,
    /// `ompt_get_target_info` (4.6.1.16), asked where an initial task begins.
    pub in_target: Option<i32>,
    /// Asked in a thread's first implicit task.
    pub places: Option<Places>,
}

/// Of the places and processors, and the devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `ompt_get_num_procs` (4.6.1.6)
    pub processors: i32,
    /// `ompt_get_num_places` (4.6.1.7)
    pub places: i32,
    /// `ompt_get_place_num` (4.6.1.9)
    pub place: i32,
    /// `ompt_get_proc_id` (4.6.1.11)
    pub processor: i32,
    /// `ompt_get_place_proc_ids` (4.6.1.8): how many processors that place has.
    pub of_place: i32,
    /// `ompt_get_partition_place_nums` (4.6.1.10): how many places the partition has.
    pub partition: i32,
    /// `ompt_get_num_devices` (4.6.1.17)
    pub devices: i32,
    /// `ompt_get_target_info` (4.6.1.16)
    pub in_target: i32,
}

/// Of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskAnswer {
    /// 2: the rest is there; 1: there is such a task, and nothing is known of it.
    pub known: i32,
    /// Its type.
    pub flags: i32,
    /// Its data word.
    pub task: Option<Word>,
    /// Its frame.
    pub frame: Option<Frame>,
    /// The data word of its region.
    pub parallel: Option<Word>,
    /// The number of the thread in the team.
    pub thread_num: i32,
}

/// Of one parallel region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionAnswer {
    /// As for a task.
    pub known: i32,
    /// Its data word.
    pub parallel: Option<Word>,
    /// How many threads it has.
    pub size: i32,
}
