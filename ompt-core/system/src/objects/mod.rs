//! Loaded ELF objects, read in memory: what they need, define and import (System V gABI, "Dynamic Section"). Allocates
//! nothing, and takes no lock except the one inside `dl_iterate_phdr`, which is never held while constructors run.
#![allow(unsafe_code)] // reads the dynamic linker's own tables

mod called;
mod image;
mod imports;
mod newest;
mod start;
mod symbols;
mod versions;

pub use called::called_before;
pub use image::{Image, after_fork_in_child, after_fork_in_parent, any_image, before_fork, executable};
pub use imports::Import;
pub use newest::{Newest, newest};
pub use start::count_at_start;

use std::ffi::CStr;
use std::ops::Deref;

/// ELF's numbers (System V gABI, "Dynamic Section"; GNU extensions) that `libc` doesn't have.
mod dt {
    pub(super) const NULL: i64 = 0;
    pub(super) const NEEDED: i64 = 1;
    pub(super) const PLTRELSZ: i64 = 2;
    pub(super) const HASH: i64 = 4;
    pub(super) const STRTAB: i64 = 5;
    pub(super) const SYMTAB: i64 = 6;
    pub(super) const RELA: i64 = 7;
    pub(super) const RELASZ: i64 = 8;
    pub(super) const SONAME: i64 = 14;
    pub(super) const JMPREL: i64 = 23;
    pub(super) const GNU_HASH: i64 = 0x6fff_fef5;
    pub(super) const VERSYM: i64 = 0x6fff_fff0;
    pub(super) const VERDEF: i64 = 0x6fff_fffc;
    pub(super) const VERNEED: i64 = 0x6fff_fffe;
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Dyn {
    tag: i64,
    value: usize,
}

/// A loaded image that has a dynamic section.
#[derive(Clone, Copy)]
pub struct Object {
    image: Image,
    dynamic: *const Dyn,
}

impl Deref for Object {
    type Target = Image;

    fn deref(&self) -> &Image {
        &self.image
    }
}

/// Runs `work` while no object is loaded or unloaded. `work` gets a number that changes with each load or unload. Other
/// threads that walk the list of loaded objects wait meanwhile, so only one thread runs such work at a time.
pub fn locked(work: &mut dyn FnMut(u64)) {
    any_image(&mut |_, generation| {
        work(generation);
        true
    });
}

/// A number that changes whenever an object is loaded or unloaded. Takes the lock of [`any_image`] for a moment.
pub fn generation() -> u64 {
    let mut generation = 0;
    locked(&mut |now| generation = now);
    generation
}

/// Calls `show` with every loaded object in loading order until it returns true. Returns true if it did.
pub fn any_object(show: &mut dyn FnMut(Object) -> bool) -> bool {
    any_image(&mut |image, _| {
        let Some((_, dynamic)) = image.segments(libc::PT_DYNAMIC).next() else { return false };
        show(Object { image, dynamic: dynamic.start as *const Dyn })
    })
}

impl Object {
    fn entries(&self, tag: i64) -> impl Iterator<Item = usize> {
        let mut next = self.dynamic;
        std::iter::from_fn(move || {
            loop {
                // SAFETY: the dynamic section ends with a DT_NULL entry, and the walk stops there (gABI, "Dynamic
                // Section").
                let entry = unsafe { next.read() };
                if entry.tag == dt::NULL {
                    return None;
                }
                next = next.wrapping_add(1);
                if entry.tag == tag {
                    return Some(entry.value);
                }
            }
        })
    }

    /// A table's address. The linker has made most of them absolute.
    fn table<T>(&self, tag: i64) -> Option<*const T> {
        let value = self.entries(tag).next()?;
        let address = if value < self.base() { value + self.base() } else { value };
        Some(address as *const T)
    }

    fn string(&self, offset: usize) -> Option<&CStr> {
        let strings = self.table::<u8>(dt::STRTAB)?;
        // SAFETY: an offset into the string table, whose strings end in a zero (gABI, "String Table").
        Some(unsafe { CStr::from_ptr(strings.wrapping_add(offset).cast()) })
    }

    /// The names by which others may need the object: its `DT_SONAME`, its path, and the last component of the path.
    pub fn names(&self) -> [Option<&CStr>; 3] {
        let own = self.entries(dt::SONAME).next().and_then(|own| self.string(own));
        let path = self.name();
        let bytes = path.to_bytes_with_nul();
        let start = bytes.iter().rposition(|c| *c == b'/').map_or(0, |slash| slash + 1);
        let last = CStr::from_bytes_with_nul(bytes.get(start..).unwrap_or_default()).unwrap_or(c"");
        [own, Some(path), Some(last)].map(|name| name.filter(|name| !name.is_empty()))
    }

    /// The names of the objects that this one needs (`DT_NEEDED`).
    pub fn needed(&self) -> impl Iterator<Item = &CStr> {
        self.entries(dt::NEEDED).filter_map(|offset| self.string(offset))
    }
}
