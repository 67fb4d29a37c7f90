//! Thread states: a superset of the states of the Sun Collector API, OMPT of TR2 and OMPT of OpenMP 5.

/// The state of one thread, named as in OMPT (TR2, section "Thread states"; the task states are OpenUH's).
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Executes code outside of all parallel regions.
    WorkSerial,
    /// Executes code in a parallel region.
    WorkParallel,
    /// Combines results of a reduction.
    WorkReduction,
    /// Executes code of the runtime.
    Overhead,
    /// Waits in a barrier of unknown kind.
    WaitBarrier,
    /// Waits in the barrier that ends a parallel region.
    WaitBarrierImplicitParallel,
    /// Waits in the barrier that ends a work-sharing construct.
    WaitBarrierImplicitWorkshare,
    /// Waits in an implicit barrier that the runtime needs for itself.
    WaitBarrierImplementation,
    /// Waits in an explicit barrier.
    WaitBarrierExplicit,
    /// Waits in the barrier that ends a teams region.
    WaitBarrierTeams,
    /// Waits in a taskwait.
    WaitTaskwait,
    /// Waits at the end of a taskgroup.
    WaitTaskgroup,
    /// Waits for a lock.
    WaitLock,
    /// Waits for a nestable lock.
    WaitNestLock,
    /// Waits for a critical section.
    WaitCritical,
    /// Waits for an atomic update.
    WaitAtomic,
    /// Waits for its turn in an ordered region.
    WaitOrdered,
    /// Waits in the thread pool.
    Idle,
    /// Waits for a target region.
    WaitTarget,
    /// Creates a task.
    TaskCreate,
    /// Looks for a task to run.
    TaskSchedule,
    /// Takes a task from another thread.
    TaskSteal,
    /// Cleans up after a task.
    TaskFinish,
    /// Unknown to every runtime adapter.
    Undefined,
}

impl State {
    /// All states, in the order of their numbers.
    pub const ALL: [Self; 24] = {
        use State::*;
        [
            WorkSerial,
            WorkParallel,
            WorkReduction,
            Overhead,
            WaitBarrier,
            WaitBarrierImplicitParallel,
            WaitBarrierImplicitWorkshare,
            WaitBarrierImplementation,
            WaitBarrierExplicit,
            WaitBarrierTeams,
            WaitTaskwait,
            WaitTaskgroup,
            WaitLock,
            WaitNestLock,
            WaitCritical,
            WaitAtomic,
            WaitOrdered,
            Idle,
            WaitTarget,
            TaskCreate,
            TaskSchedule,
            TaskSteal,
            TaskFinish,
            Undefined,
        ]
    };

    /// True if the state has a wait id.
    #[inline]
    pub const fn waits(self) -> bool {
        let number = self as u8;
        number >= Self::WaitBarrier as u8 && number <= Self::WaitTarget as u8 && number != Self::Idle as u8
    }

    /// The state with this number; `Undefined` for a number that no state has. Async-signal-safe: a comparison (the
    /// compiler sees that numbers and states are the same).
    #[inline]
    pub(crate) const fn from_number(number: u8) -> Self {
        use State::*;
        match number {
            0 => WorkSerial,
            1 => WorkParallel,
            2 => WorkReduction,
            3 => Overhead,
            4 => WaitBarrier,
            5 => WaitBarrierImplicitParallel,
            6 => WaitBarrierImplicitWorkshare,
            7 => WaitBarrierImplementation,
            8 => WaitBarrierExplicit,
            9 => WaitBarrierTeams,
            10 => WaitTaskwait,
            11 => WaitTaskgroup,
            12 => WaitLock,
            13 => WaitNestLock,
            14 => WaitCritical,
            15 => WaitAtomic,
            16 => WaitOrdered,
            17 => Idle,
            18 => WaitTarget,
            19 => TaskCreate,
            20 => TaskSchedule,
            21 => TaskSteal,
            22 => TaskFinish,
            _ => Undefined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_states_agree() {
        for (number, state) in State::ALL.into_iter().enumerate() {
            assert_eq!(state as usize, number);
            assert_eq!(State::from_number(state as u8), state);
        }
        assert_eq!(State::from_number(255), State::Undefined);
    }
}
