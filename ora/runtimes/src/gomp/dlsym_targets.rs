//! Cache of resolved calls that no object's relocations explain: a library has got our function by `dlsym`, and has no libgomp of its own.
//! The target of such a call is resolved once, as long as no object is loaded or unloaded.

use super::entry::Code;
use super::got_patch::UnboundCall;
use super::target_cache::{TargetCache, TargetKey};

const CAPACITY: usize = 64;

/// The cache: functions to which calls go unless the thread is in a region.
static TARGETS: [TargetCache; CAPACITY] = [const { TargetCache::empty() }; CAPACITY];

fn place(call: UnboundCall) -> Option<&'static TargetCache> {
    TARGETS.get((call.return_address ^ call.entry << 4) % CAPACITY)
}

fn key(call: UnboundCall, loads: u64) -> TargetKey {
    TargetKey { entry: call.entry, return_address: call.return_address, loads }
}

/// The cached target of the call, if the same objects are loaded.
pub(super) fn known(call: UnboundCall, loads: u64) -> Option<Code> {
    place(call)?.get(key(call, loads)).map(|target| Code(target))
}

/// Caches the target of a call.
pub(super) fn keep(call: UnboundCall, loads: u64, target: Code) {
    if let Some(place) = place(call) {
        place.put(key(call, loads), target.0.cast_mut());
    }
}
