//! Thread states: those of `omp_collector_api.h` and of OpenUH's task extension, with their meaning in a report (white
//! paper, section 6, "OpenMP Metrics" and "User-Model Callstack Synthesis").

/// A thread state: the answer to STATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub u32);

/// Properties of a state.
struct Row {
    key: &'static str,
    label: &'static str,
    pseudo: Option<&'static str>,
    waits: bool,
}

impl Row {
    const fn work(key: &'static str, label: &'static str) -> Self {
        Self { key, label, pseudo: None, waits: false }
    }

    const fn wait(key: &'static str, label: &'static str, pseudo: &'static str) -> Self {
        Self { key, label, pseudo: Some(pseudo), waits: true }
    }
}

/// Properties by number. The white paper counts a thread without a state as working.
const ROWS: [Row; 17] = [
    Row::work("none", "no state"),
    Row::wait("overhead", "overhead", "<OMP-overhead>"),
    Row::work("work", "work"),
    Row::wait("implicit_barrier", "implicit barrier", "<OMP-implicit_barrier>"),
    Row::wait("explicit_barrier", "explicit barrier", "<OMP-explicit_barrier>"),
    Row::wait("idle", "idle", "<OMP-idle>"),
    Row::work("serial", "serial"),
    Row { key: "reduction", label: "reduction", pseudo: Some("<OMP-reduction>"), waits: false },
    Row::wait("lock", "lock", "<OMP-lock_wait>"),
    Row::wait("critical", "critical section", "<OMP-critical_section_wait>"),
    Row::wait("ordered", "ordered section", "<OMP-ordered_section_wait>"),
    Row::wait("atomic", "atomic update", "<OMP-atomic_section_wait>"),
    Row::wait("task_create", "creation of tasks", "<OMP-task_create>"),
    Row::wait("task_schedule", "search for tasks", "<OMP-task_schedule>"),
    Row::wait("task_suspend", "wait for child tasks", "<OMP-task_wait>"),
    Row::wait("task_steal", "theft of tasks", "<OMP-task_steal>"),
    Row::wait("task_finish", "end of tasks", "<OMP-task_finish>"),
];

/// Time inside the OpenMP runtime that the library reports as work or serial code.
const IN_RUNTIME: Row = Row::wait("runtime", "runtime: locks, tasks, loops, barriers", "<OMP-runtime>");

/// Time of a pool's thread before its first event: of a process that was attached to, or whose runtime isn't seen.
const UNSEEN: Row = Row::wait("unknown", "not known: in the runtime, before any event", "<OMP-unknown>");

impl State {
    /// The thread is in the runtime, without the program's code on its stack, and no event of it was seen: it waits for work, or for the
    /// end of a region that began before. STATE never answers so.
    pub const UNSEEN: Self = Self(u32::MAX - 1);
    /// The thread executes the OpenMP runtime, or an entry of the library before it, and waits for nothing. It is not
    /// an answer to STATE, which is work or serial code; the stack shows it.
    pub const RUNTIME: Self = Self(u32::MAX);
    /// No state: STATE was not answered.
    pub const NONE: Self = Self(0);
    /// `THR_OVHD_STATE`.
    pub const OVERHEAD: Self = Self(1);
    /// `THR_WORK_STATE`.
    pub const WORK: Self = Self(2);
    /// `THR_IBAR_STATE`.
    pub const IMPLICIT_BARRIER: Self = Self(3);
    /// `THR_EBAR_STATE`.
    pub const EXPLICIT_BARRIER: Self = Self(4);
    /// `THR_IDLE_STATE`.
    pub const IDLE: Self = Self(5);
    /// `THR_SERIAL_STATE`.
    pub const SERIAL: Self = Self(6);
    /// `THR_REDUC_STATE`.
    pub const REDUCTION: Self = Self(7);
    /// `THR_LKWT_STATE`.
    pub const LOCK: Self = Self(8);
    /// `THR_CTWT_STATE`.
    pub const CRITICAL: Self = Self(9);
    /// `THR_ODWT_STATE`.
    pub const ORDERED: Self = Self(10);
    /// `THR_ATWT_STATE`.
    pub const ATOMIC: Self = Self(11);
    /// `THR_TASK_CREATE_STATE`.
    pub const TASK_CREATE: Self = Self(12);
    /// `THR_TASK_SUSPEND_STATE`.
    pub const TASK_SUSPEND: Self = Self(14);
    /// `THR_TASK_FINISH_STATE`, the last one.
    pub const TASK_FINISH: Self = Self(16);

    /// Properties of the state. An unknown number counts as no state.
    fn row(self) -> &'static Row {
        if self == Self::RUNTIME {
            return &IN_RUNTIME;
        }
        if self == Self::UNSEEN {
            return &UNSEEN;
        }
        let [none, ..] = &ROWS;
        ROWS.get(self.0 as usize).unwrap_or(none)
    }

    /// Identifier for programs: `implicit_barrier`.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// Label for people: `implicit barrier`.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Name of the pseudo function for activity of the runtime on behalf of the program.
    pub fn pseudo(self) -> Option<&'static str> {
        self.row().pseudo
    }

    /// True for OpenMP Wait, false for OpenMP Work.
    pub fn waits(self) -> bool {
        self.row().waits
    }

    /// True if waits of this state have a wait id.
    pub fn has_wait_id(self) -> bool {
        matches!(self, Self::LOCK | Self::CRITICAL | Self::ORDERED | Self::ATOMIC)
    }

    /// True for OpenUH's task states.
    pub fn is_task(self) -> bool {
        (Self::TASK_CREATE..=Self::TASK_FINISH).contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ora::codes::ThreadState::*;

    #[test]
    fn the_numbers_are_those_of_the_header() {
        let pairs = [
            (State::OVERHEAD, THR_OVHD_STATE),
            (State::WORK, THR_WORK_STATE),
            (State::IMPLICIT_BARRIER, THR_IBAR_STATE),
            (State::EXPLICIT_BARRIER, THR_EBAR_STATE),
            (State::IDLE, THR_IDLE_STATE),
            (State::SERIAL, THR_SERIAL_STATE),
            (State::REDUCTION, THR_REDUC_STATE),
            (State::LOCK, THR_LKWT_STATE),
            (State::CRITICAL, THR_CTWT_STATE),
            (State::ORDERED, THR_ODWT_STATE),
            (State::ATOMIC, THR_ATWT_STATE),
            (State::TASK_CREATE, THR_TASK_CREATE_STATE),
            (State::TASK_SUSPEND, THR_TASK_SUSPEND_STATE),
            (State::TASK_FINISH, THR_TASK_FINISH_STATE),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours.0, theirs as u32, "{theirs:?}");
        }
        assert_eq!(ROWS.len(), THR_LAST_STATE as usize);
    }

    #[test]
    fn work_is_what_the_paper_counts_as_work() {
        let work: Vec<u32> = (0..20).filter(|number| !State(*number).waits()).collect();
        assert_eq!(work, [0, 2, 6, 7, 17, 18, 19]);
    }

    #[test]
    fn every_wait_has_a_function_of_its_own() {
        let all = || (0..17).map(State).chain([State::RUNTIME, State::UNSEEN]);
        let mut names: Vec<_> = all().filter_map(State::pseudo).collect();
        assert!(all().all(|state| !state.waits() || state.pseudo().is_some()));
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
