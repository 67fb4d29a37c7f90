//! Bound for the attributes of one entry.
//!
//! An attribute without bytes (`DW_FORM_flag_present`) takes time, but no step of reading. A table of abbreviations with a
//! million of them makes each entry, of one byte, as expensive.

use std::collections::HashSet;

use addr2line::gimli::{self, Dwarf, Reader, Section as _};

use super::section::Section;

/// Compilers give an entry some twenty attributes.
const MAX_ATTRIBUTES: u32 = 1000;

/// True if no entry has more attributes than the bound. A table that can't be read counts as bounded up to there: a reader of the
/// units doesn't get further either.
pub(super) fn are_bounded(dwarf: &Dwarf<Section>) -> bool {
    let mut offsets = HashSet::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        offsets.insert(header.debug_abbrev_offset().0);
    }
    let mut units = dwarf.type_units();
    while let Ok(Some(header)) = units.next() {
        offsets.insert(header.debug_abbrev_offset().0);
    }
    offsets.into_iter().all(|offset| is_table_bounded(dwarf, offset).unwrap_or(true))
}

/// Reads one table (DWARF 5, 7.5.3).
fn is_table_bounded(dwarf: &Dwarf<Section>, offset: usize) -> gimli::Result<bool> {
    let mut table = dwarf.debug_abbrev.reader().clone();
    table.skip(offset)?;
    while table.read_uleb128()? != 0 {
        let (_tag, _has_children) = (table.read_uleb128()?, table.read_u8()?);
        let mut attributes = 0;
        loop {
            let (name, form) = (table.read_uleb128()?, table.read_uleb128()?);
            if name == 0 && form == 0 {
                break;
            }
            if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                table.skip_leb128()?;
            }
            attributes += 1;
            if attributes > MAX_ATTRIBUTES {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
