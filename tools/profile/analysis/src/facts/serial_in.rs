//! The program's function that serial code runs in.

use rustc_hash::FxHashMap;

use super::own_code::OwnCode;
use crate::profile::Profile;
use crate::state::State;

/// The function of the program in or below which most of the serial code's time is spent: what a library does there, it does for that
/// function. `None` if such a function doesn't exist.
pub(super) fn function(profile: &Profile, serial_ns: u64) -> Option<String> {
    let own = OwnCode::of(profile);
    let mut of_functions: FxHashMap<u32, u64> = FxHashMap::default();
    let mut known: FxHashMap<u32, Option<u32>> = FxHashMap::default();
    for point in profile.samples.iter().filter(|point| point.state == State::SERIAL && !point.asleep) {
        let function =
            known.entry(point.context).or_insert_with(|| own.innermost(profile, point.context).map(|(_, it)| it));
        if let Some(function) = function {
            let sum = of_functions.entry(*function).or_default();
            *sum = sum.saturating_add(point.wall_ns);
        }
    }
    let (dearest, ns) = of_functions.into_iter().max_by_key(|(function, ns)| (*ns, std::cmp::Reverse(*function)))?;
    let function = profile.code.function(dearest)?;
    (ns > serial_ns / 2).then(|| function.name.clone())
}
