//! Variables in debug information: a global variable at an address, and those visible in a function's code.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, NativeEndian, Operation, Unit, UnitOffset,
};
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use symbols::{Spans, section_data};
use untrusted::regular;

type Slice<'a> = EndianSlice<'a, NativeEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// Maximum nesting of types that is followed.
const DEEPEST: u32 = 16;

/// Source and object files that the compiler links to each program; files without a name are the linker's.
const TOOLCHAIN: [&str; 8] =
    ["", "crt1.o", "Scrt1.o", "gcrt1.o", "crti.o", "crtstuff.c", "offloadstuff.c", "tsan_preinit.cpp"];

/// A variable's declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// Source file without folders.
    pub(crate) file: Option<String>,
    pub(crate) line: u32,
    /// Number of bytes; 0 if unknown.
    pub(crate) size: u64,
    /// The part of it that contains an address: `[3].x`.
    pub(crate) part: String,
}

/// Debug information of files, each of which is read when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct DebugInfo(HashMap<PathBuf, Option<Contents>>);

/// A file, and what was found in it.
#[derive(Debug)]
struct Contents {
    bytes: Vec<u8>,
    globals: OnceCell<Globals>,
    /// Exported symbols, if the object is made from one source file.
    exported: OnceCell<Option<Spans>>,
}

/// Variables with fixed addresses.
#[derive(Debug, Default)]
struct Globals {
    /// The first variable at each address is the latest of its spans.
    spans: Spans,
    /// Number of the unit, and place in it, of each.
    places: Vec<(usize, UnitOffset)>,
}

impl DebugInfo {
    /// The variable that has a fixed address in a file.
    pub(crate) fn global(&mut self, path: &Path, address: u64) -> Option<Declared> {
        let contents = self.contents(path)?;
        let globals = contents.globals.get_or_init(|| contents.globals());
        let (number, place) = *globals.places.get(globals.spans.at(address, u64::MAX)?)?;
        contents.search(Some(number), |dwarf, unit, _| at(dwarf, unit, place, address))
    }

    /// The variable of that name in the function at an address.
    pub(crate) fn local(&mut self, path: &Path, address: u64, name: &str) -> Option<Declared> {
        self.contents(path)?.search(None, |dwarf, unit, _| local(dwarf, unit, address, name))
    }

    /// True if no other source file can name a global variable: the object is made from one, and doesn't export the variable.
    pub(crate) fn is_in_one_file(&mut self, path: &Path, address: u64) -> bool {
        let exported = self.contents(path).and_then(|it| it.exported.get_or_init(|| it.exported()).as_ref());
        exported.is_some_and(|exported| exported.at(address, u64::MAX).is_none())
    }

    fn contents(&mut self, path: &Path) -> Option<&Contents> {
        let read = || {
            let bytes = regular::read(path, regular::LARGEST_CODE).ok()?;
            Some(Contents { bytes, globals: OnceCell::new(), exported: OnceCell::new() })
        };
        self.0.entry(path.to_owned()).or_insert_with(read).as_ref()
    }
}

impl Contents {
    fn globals(&self) -> Globals {
        let (mut spans, mut places) = (Vec::new(), Vec::new());
        _ = self.search(None, |dwarf, unit, number| {
            let found = fixed(dwarf, unit, |start, size, place| {
                // The first one found is the latest.
                spans.push((start, start.saturating_add(size.max(1)), u64::MAX - places.len() as u64));
                places.push((number, place));
            });
            found.map(|()| None::<()>)
        });
        Globals { spans: Spans::new(spans), places }
    }

    fn exported(&self) -> Option<Spans> {
        let is_programs = |name: &str| !TOOLCHAIN.contains(&name.rsplit('/').next().unwrap_or(name));
        let mut units = 0;
        _ = self.search(None, |dwarf, unit, _| {
            let root = unit.entry(unit.header.root_offset())?;
            let name = root.attr_value(gimli::DW_AT_name).map(|name| dwarf.attr_string(unit, name)).transpose()?;
            let is_its = name.is_none_or(|name| is_programs(&name.to_string_lossy()));
            units += u32::from(is_its && root.tag() == gimli::DW_TAG_compile_unit);
            Ok(None::<()>)
        });
        let object = object::File::parse(self.bytes.as_slice()).ok()?;
        // The table of symbols also has the files that lack debug information.
        let files = object.symbols().filter(|symbol| symbol.kind() == SymbolKind::File);
        let files = files.filter(|file| file.name().is_ok_and(is_programs)).count();
        let exported = object.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let span = |start: u64, size: u64| (start, start.saturating_add(size).saturating_add(1), 0);
        let exported = exported.map(|symbol| span(symbol.address(), symbol.size()));
        ((units, files) == (1, 1)).then(|| Spans::new(exported))
    }

    /// The result of `look` for the first unit that has one; `only`: for the unit of this number. It gets each unit with its number.
    fn search<T>(
        &self,
        only: Option<usize>,
        mut look: impl for<'a> FnMut(&Dwarf<Slice<'a>>, &Unit<Slice<'a>>, usize) -> gimli::Result<Option<T>>,
    ) -> Option<T> {
        let object = object::File::parse(self.bytes.as_slice()).ok()?;
        let section = |id: gimli::SectionId| Ok::<_, gimli::Error>(section_data(&object, id.name()));
        let sections = gimli::DwarfSections::load(section).ok()?;
        let dwarf = sections.borrow(|section| EndianSlice::new(section, NativeEndian));
        let mut units = dwarf.units();
        let units = std::iter::from_fn(|| units.next().ok().flatten()).enumerate();
        for (number, header) in units.filter(|(number, _)| only.is_none_or(|only| only == *number)) {
            // A unit that can't be read is skipped; the next one may be readable.
            let found = dwarf.unit(header).and_then(|unit| look(&dwarf, &unit, number));
            if let Ok(Some(found)) = found {
                return Some(found);
            }
        }
        None
    }
}

/// Calls `add` with the address, size and place of each variable of a unit that has a fixed address.
fn fixed<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    mut add: impl FnMut(u64, u64, UnitOffset),
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        if entry.tag() == gimli::DW_TAG_variable
            && let Some(start) = fixed_address(dwarf, unit, entry)?
        {
            let size = described(dwarf, unit, entry).map_or(0, |declared| declared.size);
            add(start, size, entry.offset());
        }
    }
    Ok(())
}

/// The variable at a place of a unit, with the part of it that has an address.
fn at<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    place: UnitOffset,
    address: u64,
) -> gimli::Result<Option<Declared>> {
    let entry = unit.entry(place)?;
    let Some(start) = fixed_address(dwarf, unit, &entry)? else { return Ok(None) };
    let part = part(dwarf, unit, &entry, address.saturating_sub(start))?;
    Ok(Some(Declared { part, ..described(dwarf, unit, &entry)? }))
}

/// The address of a variable that has one in the file: one operation, DW_OP_addr or DW_OP_addrx.
fn fixed_address<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &Entry<'a>,
) -> gimli::Result<Option<u64>> {
    let Some(location) = entry.attr_value(gimli::DW_AT_location).and_then(|value| value.exprloc_value()) else {
        return Ok(None);
    };
    let mut operations = location.operations(unit.encoding());
    let address = match operations.next()? {
        Some(Operation::Address { address }) => address,
        Some(Operation::AddressIndex { index }) => dwarf.address(unit, index)?,
        _ => return Ok(None),
    };
    Ok(operations.next()?.is_none().then_some(address))
}

fn local<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    address: u64,
    name: &str,
) -> gimli::Result<Option<Declared>> {
    let mut entries = unit.entries();
    // Depths of the enclosing functions that contain the address.
    let mut around: Vec<isize> = Vec::new();
    let mut found = None;
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        around.retain(|function| *function < depth);
        match entry.tag() {
            gimli::DW_TAG_subprogram if contains(dwarf, unit, entry, address)? => around.push(depth),
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if !around.is_empty() => {
                let declared = described(dwarf, unit, entry)?;
                // The innermost function's comes last: gcc nests a construct's function in the author's.
                if declared.name == name {
                    found = Some(declared);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn contains<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &Entry<'a>,
    address: u64,
) -> gimli::Result<bool> {
    let mut ranges = dwarf.die_ranges(unit, entry)?;
    while let Some(range) = ranges.next()? {
        if (range.begin..range.end).contains(&address) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Name, place and size of a variable. A definition may omit them if its declaration has them.
fn described<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, entry: &Entry<'a>) -> gimli::Result<Declared> {
    let mut declared = Declared::default();
    let mut place = Some(entry.offset());
    for _ in 0..DEEPEST {
        let Some(offset) = place else { break };
        let entry = unit.entry(offset)?;
        if declared.name.is_empty()
            && let Some(name) = entry.attr_value(gimli::DW_AT_name)
        {
            declared.name = dwarf.attr_string(unit, name)?.to_string_lossy().into_owned();
        }
        if declared.line == 0
            && let Some(line) = entry.attr_value(gimli::DW_AT_decl_line).and_then(|line| line.udata_value())
        {
            declared.line = u32::try_from(line).unwrap_or(0);
            declared.file = file(dwarf, unit, &entry)?;
        }
        if declared.size == 0
            && let Some(kind) = type_of(&entry)
        {
            declared.size = size(unit, kind, DEEPEST)?;
        }
        place = [gimli::DW_AT_specification, gimli::DW_AT_abstract_origin]
            .into_iter()
            .find_map(|name| reference(entry.attr_value(name)));
    }
    Ok(declared)
}

fn file<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, entry: &Entry<'a>) -> gimli::Result<Option<String>> {
    let index = match entry.attr_value(gimli::DW_AT_decl_file) {
        Some(AttributeValue::FileIndex(index)) => index,
        other => match other.and_then(|value| value.udata_value()) {
            Some(index) => index,
            None => return Ok(None),
        },
    };
    let Some(file) = unit.line_program.as_ref().and_then(|program| program.header().file(index)) else {
        return Ok(None);
    };
    let path = dwarf.attr_string(unit, file.path_name())?.to_string_lossy().into_owned();
    Ok(Some(path.rsplit('/').next().unwrap_or(&path).to_owned()))
}

fn reference<'a>(value: Option<AttributeValue<Slice<'a>>>) -> Option<UnitOffset> {
    match value {
        Some(AttributeValue::UnitRef(offset)) => Some(offset),
        _ => None,
    }
}

fn type_of<'a>(entry: &Entry<'a>) -> Option<UnitOffset> {
    reference(entry.attr_value(gimli::DW_AT_type))
}

/// Number of bytes of a type; 0: unknown.
fn size<'a>(unit: &Unit<Slice<'a>>, kind: UnitOffset, depth: u32) -> gimli::Result<u64> {
    let entry = unit.entry(kind)?;
    if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|size| size.udata_value()) {
        return Ok(size);
    }
    let Some(inner) = type_of(&entry).filter(|_| depth > 0) else { return Ok(0) };
    let inner = size(unit, inner, depth - 1)?;
    Ok(match entry.tag() {
        gimli::DW_TAG_array_type => {
            dimensions(unit, kind)?.iter().fold(inner, |size, items| size.saturating_mul(*items))
        }
        _ => inner,
    })
}

/// Number of items by dimension of an array; 0: unknown.
fn dimensions<'a>(unit: &Unit<Slice<'a>>, array: UnitOffset) -> gimli::Result<Vec<u64>> {
    let mut tree = unit.entries_tree(Some(array))?;
    let mut children = tree.root()?.children();
    let mut dimensions = Vec::new();
    while let Some(child) = children.next()? {
        let entry = child.entry();
        if entry.tag() == gimli::DW_TAG_subrange_type {
            let value = |name| entry.attr_value(name).and_then(|value: AttributeValue<Slice<'a>>| value.udata_value());
            let last = || value(gimli::DW_AT_upper_bound).and_then(|last| last.checked_add(1));
            dimensions.push(value(gimli::DW_AT_count).or_else(last).unwrap_or(0));
        }
    }
    Ok(dimensions)
}

/// The part of a variable at an offset: `[3]`, `.x`. Empty for languages that count from 1.
fn part<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, entry: &Entry<'a>, offset: u64) -> gimli::Result<String> {
    let mut text = String::new();
    let root = unit.entry(unit.header.root_offset())?;
    let fortran = match root.attr_value(gimli::DW_AT_language) {
        Some(AttributeValue::Language(language)) => language.default_lower_bound() != Some(0),
        _ => false,
    };
    let (Some(mut kind), mut offset, false) = (type_of(entry), offset, fortran) else { return Ok(text) };
    for _ in 0..DEEPEST {
        let entry = unit.entry(kind)?;
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                let Some(item) = type_of(&entry) else { break };
                let item_size = size(unit, item, DEEPEST)?;
                let dimensions = dimensions(unit, kind)?;
                if item_size == 0 || dimensions.is_empty() || dimensions.iter().skip(1).any(|items| *items == 0) {
                    break;
                }
                let mut index = offset / item_size;
                offset %= item_size;
                let mut indices = Vec::new();
                for items in dimensions.iter().skip(1).rev() {
                    indices.push(index % items);
                    index /= items;
                }
                indices.push(index);
                text.extend(indices.iter().rev().map(|index| format!("[{index}]")));
                kind = item;
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                let Some((name, begin, inner)) = member(dwarf, unit, kind, offset)? else { break };
                text.push_str(&format!(".{name}"));
                offset -= begin;
                kind = inner;
            }
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_atomic_type => match type_of(&entry) {
                Some(inner) => kind = inner,
                None => break,
            },
            _ => break,
        }
    }
    Ok(text)
}

/// The last member of a structure that starts at an offset or before it.
fn member<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    structure: UnitOffset,
    offset: u64,
) -> gimli::Result<Option<(String, u64, UnitOffset)>> {
    let mut tree = unit.entries_tree(Some(structure))?;
    let mut children = tree.root()?.children();
    let mut found: Option<(String, u64, UnitOffset)> = None;
    while let Some(child) = children.next()? {
        let entry = child.entry();
        let begin = entry.attr_value(gimli::DW_AT_data_member_location).and_then(|begin| begin.udata_value());
        if let (gimli::DW_TAG_member, Some(begin), Some(name), Some(kind)) =
            (entry.tag(), begin, entry.attr_value(gimli::DW_AT_name), type_of(entry))
            && begin <= offset
        {
            found = Some((dwarf.attr_string(unit, name)?.to_string_lossy().into_owned(), begin, kind));
        }
    }
    Ok(found)
}
