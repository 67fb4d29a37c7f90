//! Origins of outlined functions, from debug information: the line of the construct, and the function that contains it.
//!
//! clang gives its outlined functions the construct's line. gcc's have it in the first row of their code; this row may
//! be empty, so a look-up of the address doesn't return it. gcc's outlined functions are nested in the author's in the
//! tree of entries.

use std::collections::{BTreeMap, HashMap};

use addr2line::gimli::{self, AttributeValue, DebuggingInformationEntry, Dwarf, Reader, Unit};

use crate::debug_info::Section;
use crate::outlined::Outlined;

/// Origin of one outlined function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// File and line of the construct's start.
    pub(super) place: Option<(String, u32)>,
    /// Linkage name or, without one, the plain name of the function that contains it.
    pub(super) author: Option<String>,
    /// True if it is written in Fortran.
    pub(super) fortran: bool,
}

/// Finds the origins of the functions that start at these addresses.
pub(super) fn origins(dwarf: &Dwarf<Section>, begins: &[u64]) -> HashMap<u64, Origin> {
    let mut found = begins.iter().map(|begin| (*begin, Origin::default())).collect();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        // A unit that can't be read is skipped; the next one may be readable.
        let _ = dwarf.unit(header).and_then(|unit| read(dwarf, &unit, begins, &mut found));
    }
    found
}

fn read(
    dwarf: &Dwarf<Section>,
    unit: &Unit<Section>,
    begins: &[u64],
    found: &mut HashMap<u64, Origin>,
) -> gimli::Result<()> {
    let mut ranges = dwarf.unit_ranges(unit)?;
    let mut concerned = false;
    while let Some(range) = ranges.next()? {
        let first = begins.partition_point(|begin| *begin < range.begin);
        concerned |= begins.get(first).is_some_and(|begin| *begin < range.end);
    }
    if !concerned {
        return Ok(());
    }
    places(dwarf, unit, found)?;
    authors(dwarf, unit, found)
}

/// Sets each place: the first row with a line at each start.
fn places(dwarf: &Dwarf<Section>, unit: &Unit<Section>, found: &mut HashMap<u64, Origin>) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let mut rows = program.rows();
    while let Some((_, row)) = rows.next_row()? {
        let (false, Some(line)) = (row.end_sequence(), row.line()) else { continue };
        let Some(origin) = found.get_mut(&row.address()).filter(|origin| origin.place.is_none()) else { continue };
        let Some(path) = path(dwarf, unit, row.file_index())? else { continue };
        origin.place = Some((path, u32::try_from(line.get()).unwrap_or(0)));
    }
    Ok(())
}

/// Path of a file of the unit's list.
fn path(dwarf: &Dwarf<Section>, unit: &Unit<Section>, index: u64) -> gimli::Result<Option<String>> {
    let Some(header) = unit.line_program.as_ref().map(|program| program.header()) else { return Ok(None) };
    let Some(file) = header.file(index) else { return Ok(None) };
    let mut path = String::new();
    let mut append = |part: &str| {
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(part);
    };
    if let Some(folder) = &unit.comp_dir {
        append(&folder.to_string_lossy()?);
    }
    // Until version 5, folder 0 was that of the compilation.
    if (file.directory_index() != 0 || header.version() >= 5)
        && let Some(folder) = file.directory(header)
    {
        append(&dwarf.attr_string(unit, folder)?.to_string_lossy()?);
    }
    append(&dwarf.attr_string(unit, file.path_name())?.to_string_lossy()?);
    Ok(Some(path))
}

/// Sets each author: the function around each outlined one.
fn authors(dwarf: &Dwarf<Section>, unit: &Unit<Section>, found: &mut HashMap<u64, Origin>) -> gimli::Result<()> {
    // The enclosing functions, by their depth.
    let mut around: BTreeMap<isize, String> = BTreeMap::new();
    let mut fortran = false;
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        if let Some(AttributeValue::Language(language)) = entry.attr_value(gimli::DW_AT_language) {
            fortran = is_fortran(language);
        }
        let depth = entry.depth();
        around.split_off(&depth);
        if entry.tag() != gimli::DW_TAG_subprogram {
            continue;
        }
        let Some(name) = name(dwarf, unit, entry, 8) else { continue };
        if Outlined::of(&name).is_none() {
            around.insert(depth, name);
            continue;
        }
        let begin = match entry.attr_value(gimli::DW_AT_low_pc) {
            Some(value) => dwarf.attr_address(unit, value)?,
            None => None,
        };
        if let Some(origin) = begin.and_then(|begin| found.get_mut(&begin)) {
            origin.author = around.last_key_value().map(|(_, author)| author.clone());
            origin.fortran = fortran;
            let line = entry.attr_value(gimli::DW_AT_decl_line).and_then(|line| line.udata_value());
            if let (Some(AttributeValue::FileIndex(file)), Some(line)) =
                (entry.attr_value(gimli::DW_AT_decl_file), line)
                && let Some(path) = path(dwarf, unit, file)?
            {
                origin.place = Some((path, u32::try_from(line).unwrap_or(0)));
            }
        }
    }
    Ok(())
}

/// True for languages whose compilers may append an underscore to names.
pub(super) fn is_fortran(language: gimli::DwLang) -> bool {
    let all = [gimli::DW_LANG_Fortran77, gimli::DW_LANG_Fortran90, gimli::DW_LANG_Fortran95, gimli::DW_LANG_Fortran03];
    all.contains(&language) || [gimli::DW_LANG_Fortran08, gimli::DW_LANG_Fortran18].contains(&language)
}

/// Linkage name or, without one, the plain name, even if it is in another entry of this function.
fn name(
    dwarf: &Dwarf<Section>,
    unit: &Unit<Section>,
    entry: &DebuggingInformationEntry<Section>,
    steps: usize,
) -> Option<String> {
    let names = [gimli::DW_AT_linkage_name, gimli::DW_AT_MIPS_linkage_name, gimli::DW_AT_name];
    // A string that several files share (`dwz`) is not available here.
    let text = |value| dwarf.attr_string(unit, value).ok();
    if let Some(name) = names.into_iter().find_map(|name| text(entry.attr_value(name)?)) {
        return Some(name.to_string_lossy().ok()?.into_owned());
    }
    let others = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
    let offset = match others.into_iter().find_map(|other| entry.attr_value(other))? {
        AttributeValue::UnitRef(offset) => offset,
        AttributeValue::DebugInfoRef(offset) => offset.to_unit_offset(&unit.header)?,
        _ => return None,
    };
    name(dwarf, unit, &unit.entry(offset).ok()?, steps.checked_sub(1)?)
}
