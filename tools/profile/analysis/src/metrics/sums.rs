//! Sums over the samples, in one pass.

use rustc_hash::FxHashMap;

use super::Amount;
use crate::profile::Profile;
use crate::state::State;

/// Sums of a profile by stack, thread, state and cause.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// Sum of all samples.
    pub total: Amount,
    /// Sums by the number of their stack, without those of longer stacks.
    pub contexts: Vec<Amount>,
    /// Sums by nest, thread and state.
    pub cells: FxHashMap<(u32, u32, State), Amount>,
    /// Sums of waits, by state, stack and nest.
    pub waits: FxHashMap<(State, u32, u32), Amount>,
    /// Sums of waits with a wait id, by state, process and id.
    pub awaited: FxHashMap<(State, u32, u64), Amount>,
}

impl Sums {
    /// The sums of a profile.
    pub fn of(profile: &Profile) -> Self {
        let mut sums = Self { contexts: vec![Amount::default(); profile.contexts.len()], ..Self::default() };
        for point in &profile.samples {
            sums.total += point;
            if let Some(context) = sums.contexts.get_mut(point.context as usize) {
                *context += point;
            }
            *sums.cells.entry((point.nest, point.thread, point.state)).or_default() += point;
            if point.state.waits() {
                *sums.waits.entry((point.state, point.context, point.nest)).or_default() += point;
            }
            if point.state.has_wait_id() && point.wait != 0 {
                let process = profile.threads.get(point.thread as usize).map_or(0, |thread| thread.process);
                *sums.awaited.entry((point.state, process, point.wait)).or_default() += point;
            }
        }
        sums
    }

    /// Sums by state.
    pub fn states(&self) -> FxHashMap<State, Amount> {
        let mut states: FxHashMap<State, Amount> = FxHashMap::default();
        self.cells.iter().for_each(|((_, _, state), amount)| *states.entry(*state).or_default() += *amount);
        states
    }

    /// Sums by thread.
    pub fn threads(&self, profile: &Profile) -> Vec<Amount> {
        let mut threads = vec![Amount::default(); profile.threads.len()];
        for ((_, thread, _), amount) in &self.cells {
            threads.get_mut(*thread as usize).into_iter().for_each(|sum| *sum += *amount);
        }
        threads
    }

    /// Sums by thread and state.
    pub fn thread_states(&self, profile: &Profile) -> Vec<FxHashMap<State, Amount>> {
        let mut threads = vec![FxHashMap::default(); profile.threads.len()];
        for ((_, thread, state), amount) in &self.cells {
            let states: Option<&mut FxHashMap<State, Amount>> = threads.get_mut(*thread as usize);
            states.into_iter().for_each(|states| *states.entry(*state).or_default() += *amount);
        }
        threads
    }
}
