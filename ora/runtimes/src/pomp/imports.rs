//! Imports of the loaded objects that contain instrumented code. They show, before any of it runs, the events that it can raise, and the
//! runtime whose adapter reports the rest.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use system::objects::{any_object, generation};

/// Summary of those imports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    pomp: bool,
    untied: bool,
    gomp: bool,
    kmpc: bool,
}

/// Imports of the objects that are loaded now. They are read only when the generation of objects has changed, since each REGISTER queries
/// them.
pub(super) fn now() -> Imports {
    /// The generation of objects, and the bits of what they import; 0: not read yet.
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let generation = generation().wrapping_add(1) << u8::BITS;
    let known = KNOWN.load(Relaxed);
    let [bits, ..] = known.to_le_bytes();
    if known - u64::from(bits) == generation {
        return Imports::from_bits(bits);
    }
    let all = read();
    // Objects that were loaded meanwhile belong to another generation.
    KNOWN.store(generation | u64::from(all.bits()), Relaxed);
    all
}

fn read() -> Imports {
    let mut all = Imports::default();
    any_object(&mut |object| {
        let mut its = Imports::default();
        if !object.is_own() {
            object.imported_names(&mut |name| its.note(name));
        }
        if its.pomp {
            all = all.and(its);
        }
        false
    });
    // A static program lacks a dynamic linker to query, and this library is in it because the program refers to it.
    if cfg!(feature = "linked") { Imports { pomp: true, ..all } } else { all }
}

impl Imports {
    fn bits(self) -> u8 {
        let Self { pomp, untied, gomp, kmpc } = self;
        u8::from(pomp) | u8::from(untied) << 1 | u8::from(gomp) << 2 | u8::from(kmpc) << 3
    }

    fn from_bits(bits: u8) -> Self {
        let has = |bit: u8| bits >> bit & 1 == 1;
        Self { pomp: has(0), untied: has(1), gomp: has(2), kmpc: has(3) }
    }

    fn note(&mut self, name: &CStr) {
        let name = name.to_bytes();
        let begins = |with: &[u8]| name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
        self.pomp |= begins(b"POMP2_") || begins(b"POMP_");
        self.untied |= begins(b"POMP2_Untied_");
        self.gomp |= name.starts_with(b"GOMP_");
        self.kmpc |= name.starts_with(b"__kmpc_");
    }

    fn and(self, other: Self) -> Self {
        Self {
            pomp: self.pomp || other.pomp,
            untied: self.untied || other.untied,
            gomp: self.gomp || other.gomp,
            kmpc: self.kmpc || other.kmpc,
        }
    }

    /// True if there is instrumented code.
    pub(super) fn is_instrumented(self) -> bool {
        self.pomp
    }

    /// True if it has untied tasks.
    pub(super) fn has_untied_tasks(self) -> bool {
        self.untied
    }

    /// True if it calls a runtime that another adapter reports.
    pub(super) fn has_runtime(self) -> bool {
        self.gomp || self.kmpc
    }

    /// True if gcc has compiled it.
    pub(super) fn is_of_gcc(self) -> bool {
        self.gomp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_objects_import_fits_into_bits() {
        for bits in 0..16 {
            assert_eq!(Imports::from_bits(bits).bits(), bits);
        }
        assert_eq!(now(), now());
    }
}
