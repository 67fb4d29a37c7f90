//! Calls that no object's relocations explain: a library has our function by `dlsym`, and no libgomp of its own. Where such a
//! call goes is found out once, as long as no object comes or goes.

use super::entry::Code;
use super::got_patch::Call;
use super::target_cache::{TargetCache, TargetKey};

const PLACES: usize = 64;

/// The functions that calls go to unless the thread is in a region.
static UNTOLD: [TargetCache; PLACES] = [const { TargetCache::empty() }; PLACES];

fn place(call: Call) -> Option<&'static TargetCache> {
    UNTOLD.get((call.return_address ^ call.entry << 4) % PLACES)
}

fn key(call: Call, loads: u64) -> TargetKey {
    TargetKey { entry: call.entry, return_address: call.return_address, loads }
}

/// Where the call went before, with the same objects loaded.
pub(super) fn known(call: Call, loads: u64) -> Option<Code> {
    place(call)?.get(key(call, loads)).map(|target| Code(target))
}

/// Keeps where it goes.
pub(super) fn keep(call: Call, loads: u64, target: Code) {
    if let Some(place) = place(call) {
        place.put(key(call, loads), target.0.cast_mut());
    }
}
