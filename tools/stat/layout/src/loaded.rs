//! Table of loaded objects that contain recorded places, in shared memory: `ora` looks the places up in these files.
//! Plain atomics at fixed places, valid when all zero.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::process_table::{ProcessTable, Text};

/// Capacity of the table of loaded objects.
pub const OBJECTS: usize = 1024;

/// Values of a place that are not addresses.
pub mod place {
    /// A chunk of a taskloop that ran where its taskloop isn't on the stack.
    pub const CHUNK: u64 = 1;
    /// The stack did not show it.
    pub const UNKNOWN: u64 = 2;
    /// The thread has cells for no more places.
    pub const MANY: u64 = 3;
    /// Lowest value that is an address.
    pub const FIRST_ADDRESS: u64 = 4096;
}

/// The objects of all processes.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct LoadedObjects {
    /// Number of slots claimed, including those beyond [`OBJECTS`].
    claimed: AtomicU32,
    slots: [ObjectSlot; OBJECTS],
}

/// An executable mapping that contains a place.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct ObjectSlot {
    /// The process slot it belongs to, plus one; 0 if not in use.
    pub owner: AtomicU32,
    /// First address of the mapping.
    pub start: AtomicU64,
    /// The first address after it.
    pub end: AtomicU64,
    /// Offset in the file at which it starts.
    pub offset: AtomicU64,
    /// Inode number of the file.
    pub inode: AtomicU64,
    /// Path of the file.
    pub path: Text,
}

/// The tables to which a process adds its objects.
#[derive(Clone, Copy, Debug)]
pub struct SharedTables<'a> {
    /// The process table.
    pub process_table: &'a ProcessTable,
    /// The table of loaded objects.
    pub objects: &'a LoadedObjects,
}

impl LoadedObjects {
    /// Claims a slot; `None` if all are taken.
    #[inline]
    pub fn claim(&self) -> Option<&ObjectSlot> {
        self.slots.get(self.claimed.fetch_add(1, Relaxed) as usize)
    }

    /// Number of objects that did not fit: places in them can't be named.
    #[inline]
    pub fn left_out(&self) -> usize {
        (self.claimed.load(Relaxed) as usize).saturating_sub(OBJECTS)
    }

    /// The claimed slots.
    #[inline]
    pub fn slots(&self) -> impl Iterator<Item = &ObjectSlot> {
        self.slots.iter().take(self.claimed.load(Relaxed) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn objects_without_a_slot_are_counted() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let objects = &shared.area().objects;
        assert_eq!((0..OBJECTS + 3).filter(|_| objects.claim().is_some()).count(), OBJECTS);
        assert_eq!((objects.slots().count(), objects.left_out()), (OBJECTS, 3));
    }
}
