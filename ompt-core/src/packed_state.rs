//! Packed state of a thread: its region and its state in one word, so that a signal handler never sees a state together
//! with another moment's region.

use crate::state::State;

/// Replaces a state: a worker that has left its region's body. The region's record determines whether the last barrier
/// is over.
const LEAVING: u8 = 0xfe;
/// Replaces a state: the thread was first seen inside a region that was not seen. Its runtime has to be asked.
const UNSEEN: u8 = 0xff;

/// Region id << 8
/// state, or a constant that replaces the state. Plain data; all methods are async-signal-safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedState(u64);

impl PackedState {
    /// Outside of all regions, in code whose start was not seen.
    pub(crate) const UNSEEN: Self = Self(UNSEEN as u64);

    /// In the region with this id (0: outside of all regions) and in this state.
    #[inline(always)]
    pub(crate) const fn new(region: u64, state: State) -> Self {
        Self(region << 8 | state as u64)
    }

    /// The packed state as a word.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The packed state that [`bits`](Self::bits) returned as this word.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The region's id, or 0.
    #[inline(always)]
    pub const fn region(self) -> u64 {
        self.0 >> 8
    }

    /// The number of the state. A number that no state has means that [`crate::query::now`] has to be asked.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // the low byte is the state
    pub const fn number(self) -> u8 {
        self.0 as u8
    }

    /// The state; `Undefined` if a constant replaces it.
    #[inline(always)]
    pub(crate) const fn state(self) -> State {
        State::from_number(self.number())
    }

    /// The same region in another state.
    #[inline(always)]
    pub(crate) const fn in_state(self, state: State) -> Self {
        self.with(state as u8)
    }

    /// The same region, whose body this worker has left.
    pub(crate) const fn leaving(self) -> Self {
        self.with(LEAVING)
    }

    /// The same region, in code whose start was not seen.
    pub(crate) const fn unseen(self) -> Self {
        self.with(UNSEEN)
    }

    #[inline(always)]
    const fn with(self, number: u8) -> Self {
        Self(self.0 & !0xff | number as u64)
    }

    /// The packed state of a thread that executes the program's code in the same region.
    #[inline(always)]
    pub(crate) const fn at_work(self) -> Self {
        if self.is_in_region() {
            self.in_state(State::WorkParallel)
        } else if self.is_unseen() {
            self
        } else {
            self.in_state(State::WorkSerial)
        }
    }

    /// True if the word has a state, so that nothing else has to be queried.
    #[inline(always)]
    pub(crate) const fn is_plain(self) -> bool {
        self.number() < LEAVING
    }

    pub(crate) const fn is_leaving(self) -> bool {
        self.number() == LEAVING
    }

    pub(crate) const fn is_unseen(self) -> bool {
        self.number() == UNSEEN
    }

    /// True if the thread is known to be outside of all regions.
    #[inline(always)]
    pub(crate) const fn is_serial(self) -> bool {
        self.0 == State::WorkSerial as u64
    }

    /// True if the thread is in the thread pool.
    #[inline(always)]
    pub(crate) const fn is_idle(self) -> bool {
        self.number() == State::Idle as u8
    }

    /// True if the thread executes its program's code in a region.
    #[inline(always)]
    pub(crate) const fn works(self) -> bool {
        self.number() == State::WorkParallel as u8
    }

    /// The packed state of the wait in which the thread may execute tasks, if it is in such a wait.
    pub(crate) const fn in_wait_for_tasks(self) -> Option<Self> {
        use State::*;
        if self.is_leaving() {
            return Some(self.in_state(WaitBarrierImplicitParallel));
        }
        match self.state() {
            WaitBarrierImplicitParallel
            | WaitBarrierImplicitWorkshare
            | WaitBarrierExplicit
            | WaitTaskwait
            | WaitTaskgroup => Some(self),
            _ => None,
        }
    }

    /// True if the word has a region.
    #[inline(always)]
    pub(crate) const fn is_in_region(self) -> bool {
        self.region() != 0
    }

    /// True if the thread can't execute any of its program's code except callbacks: it waits for a mutex (in OMPT's
    /// sense, which includes ordered regions), or is in the thread pool.
    #[inline(always)]
    pub(crate) const fn executes_nothing(self) -> bool {
        self.number().wrapping_sub(State::WaitLock as u8) <= State::Idle as u8 - State::WaitLock as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_region_in_every_state() {
        let region = (1 << 56) - 1;
        for state in State::ALL {
            let now = PackedState::new(region, State::Overhead).in_state(state);
            assert_eq!((now.region(), now.state(), now.is_plain()), (region, state, true));
            assert_eq!(PackedState::from_bits(now.bits()), now);
        }
        for now in [PackedState::new(region, State::Idle).leaving(), PackedState::new(region, State::Idle).unseen()] {
            assert_eq!((now.region(), now.state(), now.is_plain()), (region, State::Undefined, false));
        }
    }

    #[test]
    fn a_thread_that_waits_for_a_mutex_or_in_the_pool_executes_nothing() {
        use State::*;
        let mutexes = [WaitLock, WaitNestLock, WaitCritical, WaitAtomic, WaitOrdered, Idle];
        for state in State::ALL {
            assert_eq!(PackedState::new(1, state).executes_nothing(), mutexes.contains(&state), "{state:?}");
        }
        assert!(!PackedState::UNSEEN.executes_nothing() && !PackedState::UNSEEN.leaving().executes_nothing());
    }

    #[test]
    fn work_is_parallel_in_a_region_and_serial_outside_if_that_was_seen() {
        assert!(PackedState::new(3, State::Overhead).at_work().works());
        assert!(PackedState::new(0, State::Overhead).at_work().is_serial());
        assert_eq!(PackedState::UNSEEN.at_work(), PackedState::UNSEEN);
    }
}
