//! Reader of ELF files: machine, interpreter, needed libraries, and the symbols that matter here.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use object::elf::{self, FileHeader64, Sym64};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use object::{Endianness, ReadCache, ReadRef};
use outside::regular;
use system::arch::ELF_MACHINE;

type Header = FileHeader64<Endianness>;
type Cache = ReadCache<File>;

/// Names that can decide something.
const PREFIXES: [&str; 6] = ["GOMP_", "gomp_", "omp_", "__kmpc_", "POMP2_", "pomp2_"];
const NAMES: [&str; 4] = ["dlopen", "__omp_collector_api", "__asan_init", "__tsan_init"];
/// Functions by which tools are found. Only a function that others may see is one.
pub(crate) const START_TOOL: &str = "ompt_start_tool";
pub(crate) const INITIALIZE: &str = "ompt_initialize";
/// Larger parts of a file are not searched for strings.
const SEARCHED: u64 = 256 << 20;

/// A file that can be executed, by its first bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This machine's, of 64 bits.
    Ours,
    /// Another machine or word size, in words.
    Foreign(String),
    /// A script: the rest of the line behind `#!`.
    Script(String),
    /// Neither an ELF file nor a script.
    Other,
}

impl Kind {
    /// # Errors
    /// If the file can't be read.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut head = Vec::new();
        match regular::open(path) {
            Ok(file) => file.take(256).read_to_end(&mut head)?,
            // A pipe, a device.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(Self::Other),
            Err(error) => return Err(error),
        };
        if let Some(rest) = head.strip_prefix(b"#!") {
            let line = rest.split(|b| *b == b'\n').next().unwrap_or_default();
            return Ok(Self::Script(String::from_utf8_lossy(line).trim().to_owned()));
        }
        let ([0x7f, b'E', b'L', b'F', class, order, ..], Some(machine)) = (head.as_slice(), head.get(18..20)) else {
            return Ok(Self::Other);
        };
        let bytes = [machine.first().copied().unwrap_or(0), machine.get(1).copied().unwrap_or(0)];
        let machine = if *order == 2 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
        Ok(match (*class, machine) {
            (2, ELF_MACHINE) => Self::Ours,
            (class, machine) => Self::Foreign(foreign(class, machine)),
        })
    }
}

fn foreign(class: u8, machine: u16) -> String {
    let bits = if class == 1 { "32-bit" } else { "64-bit" };
    // Numbers of the ELF specification, "e_machine".
    match machine {
        3 => "32-bit x86 (i386)".to_owned(),
        62 if class == 1 => "32-bit x86-64 (x32)".to_owned(),
        62 => "64-bit x86-64".to_owned(),
        183 => "64-bit ARM (aarch64)".to_owned(),
        40 => "32-bit ARM".to_owned(),
        21 => "64-bit POWER".to_owned(),
        22 => format!("{bits} s390"),
        243 => format!("{bits} RISC-V"),
        other => format!("{bits}, machine number {other}"),
    }
}

/// One 64-bit ELF file of this machine.
#[derive(Debug, Default)]
pub(crate) struct Image {
    /// True for a program, which can't be loaded as a library.
    pub(crate) program: bool,
    /// The dynamic linker that it asks for.
    pub(crate) interpreter: Option<String>,
    /// The libraries that it asks for.
    pub(crate) needed: Vec<String>,
    /// DT_RPATH and DT_RUNPATH.
    pub(crate) rpath: Option<String>,
    pub(crate) runpath: Option<String>,
    /// Linked with -Bsymbolic: its own definitions come first for itself.
    pub(crate) symbolic: bool,
    /// Functions that it imports, of those that matter.
    pub(crate) imports: BTreeSet<String>,
    /// Functions that it exports.
    pub(crate) exports: BTreeSet<String>,
    /// Functions of tools that it defines without exporting them, by its full symbol table.
    pub(crate) concealed: BTreeSet<String>,
    /// Functions that it has, by its full symbol table.
    pub(crate) defined: BTreeSet<String>,
    /// Without a full symbol table.
    pub(crate) stripped: bool,
}

impl Image {
    /// # Errors
    /// If the file can't be read, or contradicts itself.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let cache = Cache::new(regular::open(path)?);
        let data = &cache;
        let header = Header::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let mut image = Self { program: header.e_type(endian) == elf::ET_EXEC, ..Self::default() };
        for segment in header.program_headers(endian, data)? {
            if let Some(name) = segment.interpreter(endian, data)? {
                image.interpreter = Some(String::from_utf8_lossy(name).into_owned());
            }
        }
        let table = sections.dynamic_table(endian, data)?;
        for entry in &table {
            let text = || table.string(entry).map(|name| String::from_utf8_lossy(name).into_owned());
            match entry.tag {
                elf::DT_NEEDED => image.needed.push(text()?),
                elf::DT_RPATH => image.rpath = Some(text()?),
                elf::DT_RUNPATH => image.runpath = Some(text()?),
                elf::DT_SYMBOLIC => image.symbolic = true,
                elf::DT_FLAGS_1 => image.program |= entry.val & elf::DF_1_PIE.0 != 0,
                elf::DT_FLAGS => image.symbolic |= entry.val & elf::DF_SYMBOLIC.0 != 0,
                _ => {}
            }
        }
        let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM)?;
        for symbol in symbols.iter() {
            let name = interesting(symbols.symbol_name(endian, symbol)?);
            if let Some(name) = name.filter(|name| symbol.is_undefined(endian) || counts(name, symbol)) {
                let of = if symbol.is_undefined(endian) { &mut image.imports } else { &mut image.exports };
                of.insert(name);
            }
        }
        let symbols = sections.symbols(endian, data, elf::SHT_SYMTAB)?;
        image.stripped = symbols.is_empty();
        for symbol in symbols.iter().filter(|symbol| !symbol.is_undefined(endian) && symbol.st_type() != elf::STT_FILE)
        {
            let Some(name) = interesting(symbols.symbol_name(endian, symbol)?) else { continue };
            if counts(&name, symbol) {
                image.defined.insert(name);
            } else if symbol.st_type() == elf::STT_FUNC {
                image.concealed.insert(name);
            }
        }
        image.defined.extend(image.exports.iter().cloned());
        if image.defined.contains(START_TOOL) {
            // A tool of OpenMP 5, whose initializer may have any name (OpenMP 5.0, 4.5.1.1), and often has this one.
            for names in [&mut image.exports, &mut image.defined, &mut image.concealed] {
                names.remove(INITIALIZE);
            }
        }
        Ok(image)
    }

    /// True if it imports a function whose name begins with `prefix`.
    pub(crate) fn calls(&self, prefix: &str) -> bool {
        self.imports.iter().any(|name| name.starts_with(prefix))
    }

    /// True if it exports the function.
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.exports.contains(name)
    }
}

/// True if a definition may count: a tool's function must be a non-local symbol of type `STT_FUNC`.
fn counts(name: &str, symbol: &Sym64<Endianness>) -> bool {
    let of_a_tool = [START_TOOL, INITIALIZE].contains(&name);
    !of_a_tool || (symbol.st_type() == elf::STT_FUNC && symbol.st_bind() != elf::STB_LOCAL)
}

fn interesting(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    ([START_TOOL, INITIALIZE].contains(&name)
        || NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
    .then(|| name.to_owned())
}

/// Number of these texts that occur in the loaded parts of a file as C strings, with a zero at the end. So this
/// command's own file has none of the texts that it looks for.
pub(crate) fn texts_in(path: &Path, texts: &[&str]) -> usize {
    let search = || -> anyhow::Result<usize> {
        let cache = Cache::new(regular::open(path)?);
        let header = Header::parse(&cache)?;
        let endian = header.endian()?;
        let mut found = BTreeSet::new();
        for segment in header.program_headers(endian, &cache)? {
            if segment.p_type(endian) != elf::PT_LOAD || segment.p_filesz(endian) > SEARCHED {
                continue;
            }
            let bytes = (&cache).read_bytes_at(segment.p_offset(endian), segment.p_filesz(endian));
            let bytes = bytes.map_err(|()| anyhow::anyhow!("cut off"))?;
            for (place, text) in texts.iter().enumerate() {
                let text = format!("{text}\0");
                let found_here = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                if found_here {
                    found.insert(place);
                }
            }
        }
        Ok(found.len())
    };
    search().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn machines_have_names() {
        assert_eq!(foreign(1, 3), "32-bit x86 (i386)");
        assert_eq!(foreign(2, 183), "64-bit ARM (aarch64)");
        assert_eq!(foreign(1, 62), "32-bit x86-64 (x32)");
        assert_eq!(foreign(2, 999), "64-bit, machine number 999");
    }

    #[test]
    fn this_test_is_a_dynamic_program_of_this_machine() {
        let own = env::current_exe().unwrap();
        assert_eq!(Kind::of(&own).unwrap(), Kind::Ours);
        let image = Image::read(&own).unwrap();
        assert!(image.interpreter.unwrap().contains("ld-linux"));
        assert!(image.needed.iter().any(|name| name.starts_with("libc.so")));
        assert_eq!(Kind::of(Path::new("/dev/null")).unwrap(), Kind::Other);
        assert!(Image::read(Path::new("/etc/passwd")).is_err());
    }

    #[test]
    fn texts_count_with_a_zero_at_the_end() {
        let own = env::current_exe().unwrap();
        let stands = c"this text stands in the file".to_str().unwrap();
        let (begin, _) = "this one stands there, and its begin has no zero behind it".split_at(21);
        assert_eq!(texts_in(&own, &[stands, stands, begin]), 2);
    }
}
