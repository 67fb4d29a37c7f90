//! Reader of ELF files: machine, interpreter, needed libraries, and the symbols that matter here.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

use object::elf::{self, FileHeader64, ProgramHeader64, Sym64};
use object::read::elf::{Dyn as _, FileHeader, ProgramHeader, Sym};
use object::{Endianness, ReadRef};
use system::arch::ELF_MACHINE;
use untrusted::bounded_file::BoundedFile;
use untrusted::regular;

type Header = FileHeader64<Endianness>;
type Segment = ProgramHeader64<Endianness>;

/// Names of symbols that matter, and prefixes of such names.
const PREFIXES: [&str; 7] = ["ora_embed_", "GOMP_", "gomp_", "omp_", "__kmpc_", "POMP2_", "pomp2_"];
const NAMES: [&str; 4] = ["dlopen", "__omp_collector_api", "__asan_init", SANITIZER];
/// Function by which tools of OpenMP 5 are recognized. It counts only if other objects can see it.
pub const START_TOOL: &str = "ompt_start_tool";
/// Function by which tools of TR2 are recognized. It counts only if other objects can see it.
pub const INITIALIZE: &str = "ompt_initialize";
/// First function that code instrumented by ThreadSanitizer calls.
const SANITIZER: &str = "__tsan_init";
/// Maximum number of bytes of a file that are searched for strings.
const SEARCHED: u64 = 256 << 20;
/// Maximum number of program headers of a file that is read. Linkers write about ten.
const MAX_HEADERS: usize = 512;
/// Maximum length of a dynamic linker's path (`PATH_MAX`).
const LONGEST_PATH: u64 = 4096;
/// Maximum number of libraries that a file may ask for.
const MAX_NEEDED: usize = 4096;
/// Maximum size of all names of symbols, as a multiple of the file's size. Linkers let names share their last bytes; in a
/// forged file all names could share all bytes.
const NAMES_OF_FILE: u64 = 4;
/// Dynamic linkers map neither libraries nor themselves below this address; programs are linked to addresses below
/// it.
const FIXED: u64 = 1 << 36;

/// An executable file, by its first bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// For this machine, with 64 bits.
    Ours,
    /// For another machine or word size, which the text names.
    Foreign(String),
    /// A script: the rest of the line after `#!`.
    Script(String),
    /// Neither an ELF file nor a script.
    Other,
}

impl Kind {
    /// Kind of a file.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut head = Vec::new();
        match regular::open(path) {
            Ok(file) => file.take(256).read_to_end(&mut head)?,
            // A pipe or a device.
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
pub struct Image {
    /// True for a program, which can't be loaded as a library.
    pub program: bool,
    /// The dynamic linker that the file asks for.
    pub interpreter: Option<String>,
    /// The libraries that the file asks for.
    pub needed: Vec<String>,
    /// DT_RPATH.
    pub rpath: Option<String>,
    /// DT_RUNPATH.
    pub runpath: Option<String>,
    /// True if linked with -Bsymbolic: its own references are resolved to its own definitions first.
    pub symbolic: bool,
    /// Imported functions, of those that matter.
    pub imports: BTreeSet<String>,
    /// Exported functions.
    pub exports: BTreeSet<String>,
    /// Functions of tools that are defined without being exported, according to the full symbol table.
    pub concealed: BTreeSet<String>,
    /// Functions that the file contains, according to the full symbol table.
    pub defined: BTreeSet<String>,
    /// True if the file doesn't have a full symbol table.
    pub stripped: bool,
    /// The reason why a dynamic linker that only lists the libraries would run code of the file, or of a library.
    pub unsafe_to_list: Option<&'static str>,
}

impl Image {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file can't be read, or is inconsistent.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let file = BoundedFile::new(regular::open(path)?);
        let data = &file;
        let header = Header::parse(data)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let mut image = Self { program: header.e_type(endian) == elf::ET_EXEC, ..Self::default() };
        let segments = segments(header, endian, data)?;
        // The kernel uses the first one.
        if let Some(segment) = segments.iter().find(|segment| segment.p_type(endian) == elf::PT_INTERP) {
            anyhow::ensure!(segment.p_filesz(endian) <= LONGEST_PATH, "its dynamic linker has no path");
            let name = segment.interpreter(endian, data)?.unwrap_or_default();
            image.interpreter = Some(String::from_utf8_lossy(name).into_owned());
        }
        image.unsafe_to_list = unsafe_to_list(segments, endian, data);
        let table = sections.dynamic_table(endian, data)?;
        for entry in &table {
            let text = || table.string(entry).map(|name| String::from_utf8_lossy(name).into_owned());
            match entry.tag {
                elf::DT_NEEDED => {
                    anyhow::ensure!(image.needed.len() < MAX_NEEDED, "it asks for more than {MAX_NEEDED} libraries");
                    image.needed.push(text()?);
                }
                elf::DT_RPATH => image.rpath = Some(text()?),
                elf::DT_RUNPATH => image.runpath = Some(text()?),
                elf::DT_SYMBOLIC => image.symbolic = true,
                elf::DT_FLAGS_1 => image.program |= entry.val & elf::DF_1_PIE.0 != 0,
                elf::DT_FLAGS => image.symbolic |= entry.val & elf::DF_SYMBOLIC.0 != 0,
                _ => {}
            }
        }
        let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM)?;
        let mut names_left = data.len().unwrap_or(0).saturating_mul(NAMES_OF_FILE);
        for symbol in symbols.iter() {
            let name = interesting(counted(symbols.symbol_name(endian, symbol)?, &mut names_left)?);
            if let Some(name) = name.filter(|name| symbol.is_undefined(endian) || counts(name, symbol)) {
                let of = if symbol.is_undefined(endian) { &mut image.imports } else { &mut image.exports };
                of.insert(name);
            }
        }
        let symbols = sections.symbols(endian, data, elf::SHT_SYMTAB)?;
        image.stripped = symbols.is_empty();
        for symbol in symbols.iter().filter(|symbol| !symbol.is_undefined(endian) && symbol.st_type() != elf::STT_FILE)
        {
            let name = counted(symbols.symbol_name(endian, symbol)?, &mut names_left)?;
            let Some(name) = interesting(name) else { continue };
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

    /// True if the file imports a function whose name starts with `prefix`.
    pub fn calls(&self, prefix: &str) -> bool {
        self.imports.iter().any(|name| name.starts_with(prefix))
    }

    /// True for code that calls ThreadSanitizer, and for a program with the sanitizer linked in. The sanitizer's own library, which
    /// may be preloaded, doesn't prove anything.
    pub fn is_instrumented(&self) -> bool {
        self.imports.contains(SANITIZER) || (self.interpreter.is_some() && self.defined.contains(SANITIZER))
    }

    /// True if the file exports the function.
    pub fn offers(&self, name: &str) -> bool {
        self.exports.contains(name)
    }
}

/// The program headers, whose number is limited.
fn segments<'data>(header: &Header, endian: Endianness, data: &'data BoundedFile) -> anyhow::Result<&'data [Segment]> {
    let segments = header.program_headers(endian, data)?;
    anyhow::ensure!(segments.len() <= MAX_HEADERS, "it has more than {MAX_HEADERS} program headers");
    Ok(segments)
}

/// See [`Image::unsafe_to_list`]. Judged by the program headers, as the dynamic linker reads a file: it loads and starts auditors,
/// and maps segments where the headers say, even over its own code.
fn unsafe_to_list(segments: &[Segment], endian: Endianness, data: &BoundedFile) -> Option<&'static str> {
    let mut end = 0;
    for segment in segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD) {
        let start = segment.p_vaddr(endian);
        if start < end {
            return Some("its segments overlap or are not in order");
        }
        end = start.saturating_add(segment.p_memsz(endian).max(segment.p_filesz(endian)));
    }
    if end > FIXED {
        return Some("its segments have addresses of the dynamic linker's");
    }
    for segment in segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_DYNAMIC) {
        let Ok(Some(entries)) = segment.dynamic(endian, data) else { return Some("its dynamic section can't be read") };
        let mut tags = entries.iter().map(|entry| entry.tag(endian));
        if tags.any(|tag| [elf::DT_AUDIT, elf::DT_DEPAUDIT].contains(&tag)) {
            return Some("it names a library that audits the dynamic linker (DT_AUDIT), whose code would run");
        }
    }
    None
}

/// Subtracts a name's length from the number of bytes that are left.
fn counted<'name>(name: &'name [u8], left: &mut u64) -> anyhow::Result<&'name [u8]> {
    *left = left.checked_sub(name.len() as u64).ok_or_else(|| anyhow::anyhow!("the names of its symbols overlap"))?;
    Ok(name)
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

/// Number of these texts that occur as C strings, terminated by a zero byte, in the loaded parts of a file. This
/// command's own file doesn't contain the texts in this form.
pub fn texts_in(path: &Path, texts: &[&str]) -> usize {
    let search = || -> anyhow::Result<usize> {
        let file = BoundedFile::new(regular::open(path)?);
        let header = Header::parse(&file)?;
        let endian = header.endian()?;
        let mut found = BTreeSet::new();
        let segments = segments(header, endian, &file)?.iter().filter(|s| s.p_type(endian) == elf::PT_LOAD);
        let parts = segments.map(|s| (s.p_offset(endian), s.p_offset(endian).saturating_add(s.p_filesz(endian))));
        let mut left = SEARCHED;
        for (start, end) in without_overlaps(parts.collect()) {
            let Some(after) = left.checked_sub(end - start) else { continue };
            left = after;
            let bytes = (&file).read_bytes_at(start, end - start);
            let bytes = bytes.map_err(|()| anyhow::anyhow!("cut off"))?;
            for (place, text) in
                texts.iter().enumerate().filter(|(place, _)| !found.contains(place)).collect::<Vec<_>>()
            {
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

/// Merges overlapping parts of a file, given as start and end, so that each byte occurs once.
fn without_overlaps(mut parts: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    parts.sort_unstable();
    let mut single: Vec<(u64, u64)> = Vec::new();
    for (start, end) in parts {
        match single.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => single.push((start, end)),
        }
    }
    single
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
    fn each_part_of_a_file_is_searched_once() {
        assert_eq!(without_overlaps(vec![(4, 9), (0, 2), (5, 6), (1, 3), (9, 10)]), [(0, 3), (4, 10)]);
        let mut left = 5;
        assert!(counted(b"main", &mut left).is_ok() && counted(b"main", &mut left).is_err());
    }

    #[test]
    fn texts_count_with_a_zero_at_the_end() {
        let own = env::current_exe().unwrap();
        let stands = c"this text stands in the file".to_str().unwrap();
        let (begin, _) = "this one stands there, and its begin has no zero behind it".split_at(21);
        assert_eq!(texts_in(&own, &[stands, stands, begin]), 2);
    }
}
