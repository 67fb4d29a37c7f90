//! The word that says at once in which region a thread is and what it does there, so that a signal handler never sees a state
//! with another moment's region.

use crate::state::State;

/// In place of a state: a worker that has left its region's body; the region says whether that barrier is over.
const LEAVING: u8 = 0xfe;
/// In place of a state: the thread was first seen inside a region that wasn't; its runtime knows more.
const UNSEEN: u8 = 0xff;

/// Region id << 8 | state, or what stands in place of one. Plain data; everything here is async-signal-safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now(u64);

impl Now {
    /// Outside of all regions, in what was not seen from its begin.
    pub(crate) const UNSEEN: Self = Self(UNSEEN as u64);

    /// In the region of this id (0: outside of all regions) and this state.
    #[inline(always)]
    pub(crate) const fn new(region: u64, state: State) -> Self {
        Self(region << 8 | state as u64)
    }

    /// As a word, for who keeps it where only words are.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// What [`bits`](Self::bits) came from.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The region's id, or 0.
    #[inline(always)]
    pub const fn region(self) -> u64 {
        self.0 >> 8
    }

    /// The number of the state; more than any state has, where [`crate::query::now`] has to be asked.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // the low byte is the state
    pub const fn number(self) -> u8 {
        self.0 as u8
    }

    /// The state, where the word has one.
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

    /// The same region, in which the thread does what was not seen from its begin.
    pub(crate) const fn unseen(self) -> Self {
        self.with(UNSEEN)
    }

    #[inline(always)]
    const fn with(self, number: u8) -> Self {
        Self(self.0 & !0xff | number as u64)
    }

    /// The word of a thread that executes the program's code where this word was.
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

    /// Whether the word says all there is to say.
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

    /// Whether the thread is known to be outside of all regions.
    #[inline(always)]
    pub(crate) const fn is_serial(self) -> bool {
        self.0 == State::WorkSerial as u64
    }

    /// Whether the thread is in the pool.
    #[inline(always)]
    pub(crate) const fn is_idle(self) -> bool {
        self.number() == State::Idle as u8
    }

    /// Whether the thread executes its program's code in a region.
    #[inline(always)]
    pub(crate) const fn works(self) -> bool {
        self.number() == State::WorkParallel as u8
    }

    /// The word of a wait in which the thread may execute tasks, if it is one.
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

    /// Whether the word names a region.
    #[inline(always)]
    pub(crate) const fn is_in_region(self) -> bool {
        self.region() != 0
    }

    /// Whether the thread can't execute any of its program's code but callbacks: it waits for a mutex (in OMPT's sense:
    /// ordered regions count), or is in the pool.
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
            let now = Now::new(region, State::Overhead).in_state(state);
            assert_eq!((now.region(), now.state(), now.is_plain()), (region, state, true));
            assert_eq!(Now::from_bits(now.bits()), now);
        }
        for now in [Now::new(region, State::Idle).leaving(), Now::new(region, State::Idle).unseen()] {
            assert_eq!((now.region(), now.state(), now.is_plain()), (region, State::Undefined, false));
        }
    }

    #[test]
    fn who_waits_for_a_mutex_or_in_the_pool_executes_nothing() {
        use State::*;
        let mutexes = [WaitLock, WaitNestLock, WaitCritical, WaitAtomic, WaitOrdered, Idle];
        for state in State::ALL {
            assert_eq!(Now::new(1, state).executes_nothing(), mutexes.contains(&state), "{state:?}");
        }
        assert!(!Now::UNSEEN.executes_nothing() && !Now::UNSEEN.leaving().executes_nothing());
    }

    #[test]
    fn work_is_parallel_in_a_region_and_serial_outside_if_that_was_seen() {
        assert!(Now::new(3, State::Overhead).at_work().works());
        assert!(Now::new(0, State::Overhead).at_work().is_serial());
        assert_eq!(Now::UNSEEN.at_work(), Now::UNSEEN);
    }
}
