//! Dynamic symbols of an ELF file with their versions.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use object::Endianness;
use object::elf::{FileHeader64, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_OBJECT};
use object::read::elf::{ElfFile64, FileHeader, Sym};

/// Newest versions that the portable build may import: those of the oldest C library, and of gcc's library of its time.
const OLDEST: [&str; 2] = ["GLIBC_2.17", "GCC_4.8.0"];

/// The version of a symbol: the library and its release that brought it, such as `GLIBC_2.17`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    library: &'static str,
    release: Vec<u32>,
}

impl Version {
    /// The version of this name; `None` for other libraries' and for `GLIBC_PRIVATE`.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (library, release) = name.split_once('_')?;
        let library = ["GLIBC", "GCC"].into_iter().find(|known| *known == library)?;
        let release = release.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        Some(Self { library, release })
    }

    /// True if the oldest supported system has it.
    pub(crate) fn is_old(&self) -> bool {
        OLDEST.iter().filter_map(|name| Self::of(name)).any(|oldest| oldest.library == self.library && *self <= oldest)
    }

    /// The C library's release; `None` for another library's version.
    pub(crate) fn of_the_c_library(&self) -> Option<String> {
        (self.library == "GLIBC").then(|| self.release())
    }

    fn release(&self) -> String {
        let numbers: Vec<String> = self.release.iter().map(u32::to_string).collect();
        numbers.join(".")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}_{}", self.library, self.release())
    }
}

/// Kind of a symbol, as far as a linker needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Function,
    /// Variable with its size in bytes.
    Variable(u64),
    Other,
}

/// A symbol that a file defines or imports.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    /// Name of the version, such as `GLIBC_2.17`.
    pub(crate) version: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) is_imported: bool,
    /// True if the file can be loaded without the symbol.
    pub(crate) is_weak: bool,
}

/// The dynamic symbols of a file, in the file's order.
///
/// # Errors
/// If the file can't be read, or is no 64-bit ELF file.
pub(crate) fn of(file: &Path) -> Result<Vec<Symbol>> {
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    parse(&bytes).with_context(|| format!("can't read the symbols of {}", file.display()))
}

fn parse(bytes: &[u8]) -> Result<Vec<Symbol>> {
    let file = ElfFile64::<Endianness>::parse(bytes)?;
    let header: &FileHeader64<Endianness> = file.elf_header();
    let endian = header.endian()?;
    let sections = file.elf_section_table();
    let versions = sections.versions(endian, bytes)?;
    let table = file.elf_dynamic_symbol_table();
    let mut found = Vec::new();
    for (index, symbol) in table.enumerate() {
        let name = String::from_utf8_lossy(table.symbol_name(endian, symbol)?).into_owned();
        // Local symbols, and the names of the versions themselves.
        if symbol.is_local() || name.is_empty() || (symbol.is_absolute(endian)) {
            continue;
        }
        let version = match &versions {
            Some(versions) => versions.version(versions.version_index(endian, index).index())?,
            None => None,
        };
        let size = symbol.st_size(endian);
        found.push(Symbol {
            name,
            version: version.map(|version| String::from_utf8_lossy(version.name()).into_owned()),
            kind: match symbol.st_type() {
                STT_FUNC | STT_GNU_IFUNC => Kind::Function,
                STT_OBJECT => Kind::Variable(size),
                _ => Kind::Other,
            },
            is_imported: symbol.is_undefined(endian),
            is_weak: symbol.st_bind() == STB_WEAK,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        let of = |text| Version::of(text).unwrap();
        assert!(of("GLIBC_2.2.5") < of("GLIBC_2.3"));
        assert!(of("GLIBC_2.4") < of("GLIBC_2.34"));
        assert_eq!(of("GLIBC_2.3.4").to_string(), "GLIBC_2.3.4");
        assert_eq!(of("GLIBC_2.3.4").of_the_c_library().as_deref(), Some("2.3.4"));
        assert_eq!(of("GCC_3.0").of_the_c_library(), None);
        assert_eq!(Version::of("GLIBC_PRIVATE"), None);
    }

    #[test]
    fn versions_of_glibc_2_17_and_gcc_4_are_old() {
        for (version, old) in
            [("GLIBC_2.2.5", true), ("GLIBC_2.17", true), ("GLIBC_2.18", false), ("GCC_3.3", true), ("GCC_14.0", false)]
        {
            assert_eq!(Version::of(version).unwrap().is_old(), old, "{version}");
        }
    }

    #[test]
    fn this_programs_own_imports_have_versions() {
        let symbols = of(&std::env::current_exe().unwrap()).unwrap();
        let memcpy = symbols.iter().find(|symbol| symbol.is_imported && symbol.name == "memcpy").unwrap();
        assert!(memcpy.version.as_ref().unwrap().starts_with("GLIBC_2."), "{memcpy:?}");
    }
}
