//! Calls of the runtime, by their return address and time: libraries may have replaced each other at an address.

use profile_analysis::input::Objects;
use rustc_hash::FxHashMap;

/// A call, and the key of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The return address, or a number that no address has.
    pub(crate) key: u64,
    /// Return address; 0: unknown.
    pub(crate) returns_to: u64,
    /// Time of the call.
    pub(crate) at_ns: u64,
}

/// Keys for the code of a process.
pub(crate) struct Calls<'o> {
    objects: &'o Objects,
    /// Keys of the code that other code has replaced, by return address and object.
    replaced: FxHashMap<(u64, usize), u64>,
}

impl<'o> Calls<'o> {
    pub(crate) fn new(objects: &'o Objects) -> Self {
        Self { objects, replaced: FxHashMap::default() }
    }

    /// The call that returned to an address at a time. The last code at an address has the address as its key, earlier code numbers
    /// from the largest one on.
    pub(crate) fn at(&mut self, returns_to: u64, at_ns: u64) -> Call {
        let call = Call { key: returns_to, returns_to, at_ns };
        if returns_to == 0 || !self.objects.have_changed() {
            return call;
        }
        let object = |at_ns| self.objects.number_at(returns_to.saturating_sub(1), at_ns);
        match object(at_ns) {
            Some(number) if object(u64::MAX) != Some(number) => {
                let next = u64::MAX - self.replaced.len() as u64;
                Call { key: *self.replaced.entry((returns_to, number)).or_insert(next), ..call }
            }
            _ => call,
        }
    }
}

/// A return address at a time in the file of its object; 0: unknown.
pub(crate) fn in_file(objects: &Objects, returns_to: u64, at_ns: u64) -> u64 {
    let object = objects.at(returns_to.saturating_sub(1), at_ns);
    object.map_or(0, |object| returns_to.saturating_sub(object.bias))
}
