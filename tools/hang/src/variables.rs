//! Names of variables at addresses, from the symbol tables of the loaded objects' files.

use std::collections::HashMap;
use std::path::PathBuf;

use object::Endianness;
use object::elf::{FileHeader64, SHN_UNDEF, SHT_DYNSYM, SHT_SYMTAB, STT_OBJECT, SectionType};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use untrusted::regular;

/// Maximum size of a file that is read.
const MAX_FILE: u64 = 1 << 30;
/// Maximum number of bytes of all files.
const MAX_BYTES: u64 = 4 << 30;
/// Maximum number of bytes of all variables and their names.
const MAX_KEPT: usize = 512 << 20;
/// Maximum number of bytes of a name.
const LONGEST_NAME: usize = 4096;
/// Prefix of the name of a named critical section's variable, by gcc and clang.
const CRITICAL: &str = ".gomp_critical_user_";

/// Variables of loaded objects.
#[derive(Debug)]
pub(crate) struct Variables {
    /// Files by the numbers of the objects.
    files: Vec<PathBuf>,
    read: HashMap<usize, Vec<Table>>,
    /// Number of bytes of files that may still be read.
    left: u64,
    /// Number of bytes that may still be kept.
    left_kept: usize,
}

/// The variables of a symbol table.
#[derive(Debug, Default)]
struct Table {
    /// In the order of their addresses.
    variables: Vec<Variable>,
    /// Names of the variables: all of them may be parts of a single one.
    strings: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variable {
    start: u64,
    bytes: u64,
    /// Position of its name.
    name: u32,
}

impl Variables {
    /// Variables of objects with these files.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        Self { files, read: HashMap::new(), left: MAX_BYTES, left_kept: MAX_KEPT }
    }

    /// Name of the variable at an address of an object's file; with an offset, if the address is within it.
    pub(crate) fn name(&mut self, object: usize, address: u64) -> Option<String> {
        if !self.read.contains_key(&object) {
            let tables = self.read(object);
            self.read.insert(object, tables.unwrap_or_default());
        }
        self.read.get(&object)?.iter().find_map(|table| table.named(address))
    }

    /// Reads an object's file.
    fn read(&mut self, object: usize) -> Option<Vec<Table>> {
        let bytes = regular::read(self.files.get(object)?, MAX_FILE.min(self.left)).ok()?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        let kinds = [SHT_SYMTAB, SHT_DYNSYM].into_iter();
        Some(kinds.filter_map(|kind| Table::read(&bytes, kind, &mut self.left_kept)).collect())
    }
}

impl Table {
    /// Reads a table of this kind, if it does not exceed what may be kept.
    fn read(file: &[u8], kind: SectionType, left: &mut usize) -> Option<Self> {
        let header = FileHeader64::<Endianness>::parse(file).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, file).ok()?;
        let symbols = sections.symbols(endian, file, kind).ok()?;
        let strings = sections.section(symbols.string_section()).ok()?.data(endian, file).ok()?;
        let defined = symbols.iter().filter(|symbol| {
            symbol.st_type() == STT_OBJECT && symbol.st_shndx(endian) != SHN_UNDEF && symbol.st_name(endian) != 0
        });
        let size = defined.clone().count().checked_mul(size_of::<Variable>())?.checked_add(strings.len())?;
        *left = left.checked_sub(size)?;
        let variable = |symbol: &<FileHeader64<Endianness> as FileHeader>::Sym| Variable {
            start: symbol.st_value(endian),
            bytes: symbol.st_size(endian),
            name: symbol.st_name(endian),
        };
        let mut variables: Vec<Variable> = defined.map(variable).collect();
        variables.sort_by_key(|variable| variable.start);
        Some(Self { variables, strings: strings.to_vec() })
    }

    fn named(&self, address: u64) -> Option<String> {
        let behind = self.variables.partition_point(|variable| variable.start <= address);
        let before = self.variables.get(..behind)?.iter().rev().take(8);
        let variable = before.clone().find(|it| address - it.start < it.bytes.max(1))?;
        let name = self.text(variable)?;
        let name = name.strip_prefix(CRITICAL).unwrap_or(&name);
        let name = name.strip_suffix(".var").unwrap_or(name);
        match address - variable.start {
            0 => Some(name.to_owned()),
            offset => Some(format!("{name}+{offset}")),
        }
    }

    /// Name of a variable, truncated if it is too long.
    fn text(&self, variable: &Variable) -> Option<String> {
        let rest = self.strings.get(usize::try_from(variable.name).ok()?..)?;
        let name = rest.get(..rest.len().min(LONGEST_NAME))?.split(|byte| *byte == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_place_of_a_library_is_not_opened() {
        let pipe = std::env::temp_dir().join(format!("ora-hang-pipe-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let name = Variables::new(vec![pipe.clone()]).name(0, 16);
        std::fs::remove_file(&pipe).unwrap();
        assert_eq!(name, None);
    }

    fn table(all: &[(u64, u64, &str)]) -> Table {
        let mut table = Table::default();
        for (start, bytes, name) in all {
            let place = u32::try_from(table.strings.len()).unwrap();
            table.variables.push(Variable { start: *start, bytes: *bytes, name: place });
            table.strings.extend([name.as_bytes(), &[0]].concat());
        }
        table
    }

    #[test]
    fn addresses_have_names_with_offsets() {
        let table = table(&[(16, 8, "lock"), (32, 16, "locks"), (48, 8, ".gomp_critical_user_sum.var")]);
        let names = [16, 24, 36, 48].map(|address| table.named(address));
        assert_eq!(names, [Some("lock".to_owned()), None, Some("locks+4".to_owned()), Some("sum".to_owned())]);
    }

    #[test]
    fn a_long_name_of_a_variable_is_cut() {
        assert_eq!(table(&[(16, 8, &"A".repeat(10_000))]).named(16).map(|name| name.len()), Some(LONGEST_NAME));
    }

    #[test]
    fn tables_beyond_what_may_be_kept_are_not_read() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let mut left = MAX_KEPT;
        let read = Table::read(&own, SHT_SYMTAB, &mut left).unwrap();
        let size = read.variables.len() * size_of::<Variable>() + read.strings.len();
        assert_eq!(MAX_KEPT - left, size);
        assert!(size > 0 && Table::read(&own, SHT_SYMTAB, &mut (size - 1)).is_none());
    }
}
