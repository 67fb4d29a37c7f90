//! Versions of symbols, defined and needed (Linux Standard Base, "Symbol Versioning").
#![allow(unsafe_code)] // reads the dynamic linker's tables

use super::{Object, dt};
use std::ffi::CStr;

impl Object {
    /// The name of a version that the object defines.
    pub(super) fn defined_version(&self, number: u16) -> Option<&CStr> {
        let mut found = None;
        self.any_defined_version(&mut |here, name| {
            found = Some(name).filter(|_| here == number);
            found.is_some()
        });
        found
    }

    /// Calls `show` with number and name of every version that the object defines, until it returns true.
    pub fn any_defined_version<'a>(&'a self, show: &mut dyn FnMut(u16, &'a CStr) -> bool) {
        let mut next = self.table::<libc::c_uchar>(dt::VERDEF);
        while let Some(definition) = next {
            // SAFETY: a Verdef record (LSB, "Symbol Versioning"): u16 version, u16 flags, u16 index, u16 count, u32
            // hash, u32 aux, u32 next.
            let [_, index_and_count, _, aux, after] = unsafe { definition.cast::<[u32; 5]>().read_unaligned() };
            // SAFETY: `aux` leads to a Verdaux record (LSB, "Symbol Versioning"): u32 name, u32 next.
            let [name, _] = unsafe { definition.wrapping_add(aux as usize).cast::<[u32; 2]>().read_unaligned() };
            #[allow(clippy::cast_possible_truncation)] // the low half
            if self.string(name as usize).is_some_and(|name| show(index_and_count as u16, name)) {
                return;
            }
            next = (after != 0).then(|| definition.wrapping_add(after as usize));
        }
    }

    /// The version that the object asks for with a symbol.
    pub(super) fn needed_version(&self, index: usize) -> Option<&CStr> {
        let versions = self.table::<u16>(dt::VERSYM)?;
        // SAFETY: the version table has an entry for each symbol (LSB, "Symbol Version Table").
        let wanted = unsafe { versions.wrapping_add(index).read() };
        let mut file = self.table::<libc::c_uchar>(dt::VERNEED)?;
        loop {
            // SAFETY: a Verneed record (LSB, "Symbol Versioning"): u16 version, u16 count, u32 file, u32 aux, u32 next:
            // 16 bytes.
            let [_, _file, aux, next] = unsafe { file.cast::<[u32; 4]>().read_unaligned() };
            let mut entry = file.wrapping_add(aux as usize);
            loop {
                // SAFETY: `aux` and `next` lead to Vernaux records (LSB, "Symbol Versioning"): u32 hash, u16 flags, u16
                // version, u32 name, u32 next.
                let [_, flags_and_version, name, next] = unsafe { entry.cast::<[u32; 4]>().read_unaligned() };
                if flags_and_version >> 16 == u32::from(wanted) {
                    return self.string(name as usize);
                }
                if next == 0 {
                    break;
                }
                entry = entry.wrapping_add(next as usize);
            }
            if next == 0 {
                return None;
            }
            file = file.wrapping_add(next as usize);
        }
    }
}
