//! Waits, by cause and place.

use rustc_hash::FxHashMap;

use super::{Amount, Sums};
use crate::profile::{OUTSIDE, Profile};
use crate::state::State;
use crate::user_model::View;
use symbols::{self, ConstructKind};

/// Sums of one kind of wait.
#[derive(Clone, Debug)]
pub struct Cause {
    /// State of the waiting thread.
    pub state: State,
    /// Sum of all its waits.
    pub amount: Amount,
    /// Sums by place, the most expensive place first. Waits without a place, such as those of idle threads, are
    /// missing.
    pub places: Vec<(WaitPlace, Amount)>,
    /// Number of different locks, sections or loops that were waited for.
    pub awaited: usize,
}

/// Place of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitPlace {
    /// The end or the start of a region: an index in the profile's constructs.
    Region(u32),
    /// A function: an index in the profile's frames.
    Frame(u32),
}

/// All kinds of waits that occurred, the most expensive one first.
pub fn causes(profile: &Profile, sums: &Sums) -> Vec<Cause> {
    let mut found: FxHashMap<State, (Amount, FxHashMap<WaitPlace, Amount>)> = FxHashMap::default();
    for ((state, context, nest), amount) in &sums.waits {
        let (all, places) = found.entry(*state).or_default();
        *all += *amount;
        // Other waits: the runtime is called by the body, or by its callees.
        let nest = if matches!(*state, State::IMPLICIT_BARRIER | State::OVERHEAD) { *nest } else { OUTSIDE };
        if let Some(place) = place(profile, *context, nest) {
            *places.entry(place).or_default() += *amount;
        }
    }
    let mut causes: Vec<Cause> = found
        .into_iter()
        .map(|(state, (amount, places))| {
            let mut places: Vec<_> = places.into_iter().collect();
            places.sort_by_key(|(place, amount)| (std::cmp::Reverse(amount.total_ns()), *place));
            let awaited = sums.awaited.keys().filter(|(of, ..)| *of == state).count();
            Cause { state, amount, places, awaited }
        })
        .collect();
    causes.sort_by_key(|cause| (std::cmp::Reverse(cause.amount.total_ns()), cause.state));
    causes
}

/// Place of a wait. In a region whose body is not on the stack, it is the region.
fn place(profile: &Profile, context: u32, nest: u32) -> Option<WaitPlace> {
    let frames = || profile.frames(context).filter_map(|number| Some((number, profile.code.frame(number)?)));
    let parallel = |construct: &symbols::Construct| construct.kind == ConstructKind::Parallel;
    let bodies = frames().filter(|(_, (frame, _))| frame.construct.as_ref().is_some_and(parallel)).count();
    let around = profile.constructs(nest);
    match around.clone().next() {
        Some(region) if profile.view == View::User && bodies < around.count() => Some(WaitPlace::Region(region)),
        _ => frames().find(|(_, (_, function))| !function.is_pseudo()).map(|(number, _)| WaitPlace::Frame(number)),
    }
}
