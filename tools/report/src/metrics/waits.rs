//! Where threads wait, and what for.

use super::{Amount, Sums};
use crate::profile::Profile;
use crate::quick::Map;
use crate::state::State;

/// One kind of wait.
#[derive(Clone, Debug)]
pub struct Cause {
    /// Which.
    pub state: State,
    /// All of it.
    pub amount: Amount,
    /// The frames that waited, by number, the most expensive one first. Waits without a place, as of idle threads, are not here.
    pub places: Vec<(u32, Amount)>,
    /// How many different locks, sections or loops were waited for.
    pub awaited: usize,
}

/// All kinds that there were, the most expensive one first.
pub fn causes(profile: &Profile, sums: &Sums) -> Vec<Cause> {
    let mut found: Map<State, (Amount, Map<u32, Amount>)> = Map::default();
    for ((state, context), amount) in &sums.waits {
        let (all, places) = found.entry(*state).or_default();
        *all += *amount;
        let real = |frame: &u32| profile.code.frame(*frame).is_some_and(|(_, function)| !function.is_pseudo());
        if let Some(frame) = profile.frames(*context).find(real) {
            *places.entry(frame).or_default() += *amount;
        }
    }
    let mut causes: Vec<Cause> = found
        .into_iter()
        .map(|(state, (amount, places))| {
            let mut places: Vec<_> = places.into_iter().collect();
            places.sort_by_key(|(frame, amount)| (std::cmp::Reverse(amount.total_ns()), *frame));
            let awaited = sums.awaited.keys().filter(|(of, ..)| *of == state).count();
            Cause { state, amount, places, awaited }
        })
        .collect();
    causes.sort_by_key(|cause| (std::cmp::Reverse(cause.amount.total_ns()), cause.state));
    causes
}
