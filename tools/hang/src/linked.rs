//! OpenMP runtime that is linked into the program or a library, by the symbol table of that file.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};

use attach_outside::unwind::Stacks;
use object::elf::{FileHeader64, SHN_UNDEF, SHT_SYMTAB, STT_FUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, ReadCache};
use untrusted::regular;

use crate::construct;
use crate::loaded::part;
use crate::model::Part;

/// Maximum size of a file that is read.
const MAX_FILE: u64 = 1 << 30;
/// Maximum number of bytes of the tables of all files.
const MAX_TABLES: u64 = 256 << 20;
/// Maximum number of functions: runtimes have some thousands.
const MAX_FUNCTIONS: usize = 1 << 16;
/// Maximum number of bytes of a name.
const MAX_NAME: usize = 256;
/// Functions that start a region: each runtime has one of them. The first one is libgomp's.
const MARKS: [&str; 2] = ["GOMP_parallel", "__kmpc_fork_call"];
/// Prefixes of the names of a runtime's functions.
const PREFIXES: [&str; 4] = ["GOMP_", "gomp_", "__kmpc_", "__kmp_"];

/// A runtime that is linked into an object.
#[derive(Debug)]
pub(crate) struct LinkedRuntime {
    /// Number of the object.
    pub(crate) object: usize,
    /// True for libgomp.
    pub(crate) is_gnu: bool,
    /// Its functions, in the order of their addresses.
    functions: Vec<Range<u64>>,
}

/// A function in a file.
struct Function {
    start: u64,
    bytes: u64,
    name: String,
}

impl LinkedRuntime {
    /// The first one in an object of the program, whose entries get names in `stacks`. `paths`: the files of the objects.
    pub(crate) fn find(stacks: &mut Stacks, paths: &[PathBuf]) -> Option<Self> {
        let mut left = MAX_TABLES;
        let own = stacks.objects.iter().zip(paths).enumerate().filter(|(_, (object, _))| part(object) == Part::Program);
        let (object, functions) =
            own.into_iter().find_map(|(number, (_, path))| Some((number, read(path, &mut left)?)))?;
        let bias = stacks.bias(object)?;
        let place = |it: &Function| it.start.wrapping_add(bias);
        let is_gnu = functions.iter().any(|it| it.name == MARKS[0]);
        let entries = functions.iter().filter(|it| is_entry(&it.name));
        stacks.add_functions(object, entries.map(|it| (place(it), it.bytes, it.name.as_str())));
        let mut functions: Vec<_> = functions.iter().map(|it| place(it)..place(it).saturating_add(it.bytes)).collect();
        functions.sort_by_key(|function| function.start);
        Some(Self { object, is_gnu, functions })
    }

    /// True if an address is in one of its functions.
    pub(crate) fn holds(&self, address: u64) -> bool {
        let next = self.functions.partition_point(|function| function.start <= address);
        next.checked_sub(1).and_then(|last| self.functions.get(last)).is_some_and(|last| last.contains(&address))
    }
}

/// True for a function that programs call.
fn is_entry(name: &str) -> bool {
    let is_internal = name.starts_with("gomp_") || name.starts_with("__kmp_");
    !is_internal && is_of_runtime(name)
}

fn is_of_runtime(name: &str) -> bool {
    let is_known = || construct::of(name).is_some() || ["omp_get_thread_num", "omp_get_num_threads"].contains(&name);
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || is_known()
}

/// The functions of the runtime in a file. `None` if there is none, or the file has no symbols. `left`: number of bytes that may be read.
fn read(path: &Path, left: &mut u64) -> Option<Vec<Function>> {
    let file = ReadCache::new(BufReader::<File>::new(regular::open_up_to(path, MAX_FILE).ok()?));
    let header = FileHeader64::<Endianness>::parse(&file).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, &file).ok()?;
    let table = sections.iter().find(|section| section.sh_type(endian) == SHT_SYMTAB)?;
    let names = sections.section(table.link(endian)).ok()?;
    *left = left.checked_sub(table.sh_size(endian))?.checked_sub(names.sh_size(endian))?;
    let symbols = sections.symbols(endian, &file, SHT_SYMTAB).ok()?;
    let strings = names.data(endian, &file).ok()?;
    let is_defined = |symbol: &&<FileHeader64<Endianness> as FileHeader>::Sym| {
        symbol.st_type() == STT_FUNC && symbol.st_shndx(endian) != SHN_UNDEF
    };
    let mut functions = Vec::new();
    for symbol in symbols.iter().filter(is_defined) {
        let rest = usize::try_from(symbol.st_name(endian)).ok().and_then(|place| strings.get(place..));
        let Some(name) = rest.and_then(|rest| rest.get(..rest.len().min(MAX_NAME))?.split(|it| *it == 0).next()) else {
            continue;
        };
        if let Some(name) = std::str::from_utf8(name).ok().filter(|name| is_of_runtime(name)) {
            // Symbols may share one long name, which is copied for each.
            if functions.len() >= MAX_FUNCTIONS {
                return None;
            }
            functions.push(Function {
                start: symbol.st_value(endian),
                bytes: symbol.st_size(endian),
                name: name.to_owned(),
            });
        }
    }
    functions.iter().any(|it| MARKS.contains(&it.name.as_str())).then_some(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_internal_functions_of_a_runtime_are_told_from_the_programs() {
        assert!(is_entry("omp_set_lock") && is_entry("GOMP_parallel") && is_entry("__kmpc_barrier"));
        for name in ["gomp_mutex_lock_slow", "gomp_thread_start", "__kmp_fork_barrier"] {
            assert!(is_of_runtime(name) && !is_entry(name), "{name}");
        }
        assert!(!is_of_runtime("omp_solver_step") && !is_of_runtime("main._omp_fn.0") && !is_of_runtime("main"));
    }

    #[test]
    fn addresses_between_functions_are_not_the_runtimes() {
        let runtime = LinkedRuntime { object: 0, is_gnu: true, functions: vec![16..32, 48..64] };
        let held = [8, 16, 31, 32, 47, 48, 63, 64].map(|address| runtime.holds(address));
        assert_eq!(held, [false, true, true, false, false, true, true, false]);
        assert!(!LinkedRuntime { object: 0, is_gnu: true, functions: Vec::new() }.holds(16));
    }

    #[test]
    fn a_program_without_a_runtime_and_tables_beyond_the_bound_give_none() {
        let own = std::env::current_exe().unwrap();
        let mut left = MAX_TABLES;
        assert!(read(&own, &mut left).is_none());
        assert!(
            left < MAX_TABLES && read(&own, &mut 100).is_none() && read(Path::new("/dev/null"), &mut left).is_none()
        );
    }
}
