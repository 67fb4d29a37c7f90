//! Threads that hold what others wait for.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::model::{Look, Resource, ResourceKind};

/// Holders of all resources of a look.
#[derive(Debug)]
pub(crate) struct Holders<'l> {
    look: &'l Look,
    /// The thread that may hold a resource, and whether it certainly does; `None` if several may.
    by_resource: HashMap<(ResourceKind, u64), Option<(usize, bool)>>,
    /// Kinds of which a running thread may hold any: its code doesn't show which one.
    open: HashSet<ResourceKind>,
}

impl<'l> Holders<'l> {
    /// The holders of a look.
    pub(crate) fn of(look: &'l Look) -> Self {
        let mut holders = Self { look, by_resource: HashMap::new(), open: HashSet::new() };
        for (number, thread) in look.threads.iter().enumerate() {
            for held in &thread.holds {
                let (kind, is_certain) = (held.resource.kind, thread.is_settled && held.is_certain);
                let Some(address) = held.resource.address else {
                    holders.open.extend((!thread.is_settled).then_some(kind));
                    continue;
                };
                match holders.by_resource.entry((kind, address)) {
                    Entry::Vacant(slot) => drop(slot.insert(Some((number, is_certain)))),
                    Entry::Occupied(mut slot) => {
                        let known = slot.get().filter(|(other, _)| *other == number);
                        slot.insert(known.map(|(_, before)| (number, before || is_certain)));
                    }
                }
            }
        }
        holders
    }

    /// The thread that holds a resource; `None` if it is not known, or several might.
    pub(crate) fn holder(&self, wanted: &Resource) -> Option<usize> {
        if let Some(owner) = wanted.owner {
            return self.look.position(owner);
        }
        let (only, is_certain) = (*self.by_resource.get(&(wanted.kind, wanted.address?))?)?;
        (is_certain && !self.open.contains(&wanted.kind)).then_some(only)
    }
}
