//! Recognition of OpenMP runtimes with other names, by the functions that a library exports or a program contains.

use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, SectionHeader, SectionTable};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, elf};

use rustc_hash::FxHashMap;
use untrusted::bounded_file::BoundedFile;
use untrusted::regular;

use super::recorded_file::MAX_SYMBOLS;
use super::{doacross, recorded_file};

/// OpenMP runtimes among files of code. Each file is read once for all processes.
#[derive(Debug, Default)]
pub struct Libraries {
    runtimes: FxHashMap<String, bool>,
    linked: FxHashMap<String, Vec<(u64, u64)>>,
    queries: FxHashMap<String, Vec<(u64, u64)>>,
    doacross: FxHashMap<String, bool>,
}

impl Libraries {
    /// True if a shared library is an OpenMP runtime by the functions that it exports. False if the file can't be read.
    pub(super) fn is_runtime(&mut self, path: &str) -> bool {
        let is_library = path.starts_with('/') && path.contains(".so");
        is_library && *self.runtimes.entry(path.to_owned()).or_insert_with_key(|path| exports_openmp(path))
    }

    /// First and last address, in the file, of the functions of an OpenMP runtime that is linked into a program. Empty:
    /// it has none, or no symbols.
    pub(super) fn linked_runtime(&mut self, path: &str) -> &[(u64, u64)] {
        self.linked.entry(path.to_owned()).or_insert_with_key(|path| linked(path))
    }

    /// First and last address, in the file, of the functions by which a runtime answers the program. Empty if the file is not there, or has
    /// changed since it was recorded.
    pub(super) fn queries(&mut self, path: &str, build_id: &[u8]) -> &[(u64, u64)] {
        let read = |path: &String| queries(path, build_id).unwrap_or_default();
        self.queries.entry(path.to_owned()).or_insert_with_key(read)
    }

    /// True if a file has doacross loops, by the functions that it imports. False if the file is not there, or has changed since it was
    /// recorded.
    pub fn has_doacross(&mut self, path: &str, build_id: &[u8]) -> bool {
        let read = |path: &String| doacross::imports(path, build_id).unwrap_or(false);
        *self.doacross.entry(path.to_owned()).or_insert_with_key(read)
    }
}

/// Maximum number of exports that are read: no runtime has more.
const MAX_EXPORTS: u64 = 8192;
/// Prefixes of a runtime's functions. They are more than half of a runtime's exports; an application with a runtime
/// linked into it also exports other functions.
const PREFIXES: [&str; 8] = ["GOMP_", "GOACC_", "omp_", "acc_", "ompt_", "__kmpc_", "kmp_", "__kmp"];
/// Functions that start parallel regions; a runtime exports at least one of them.
const FORKS: [&str; 2] = ["GOMP_parallel", "__kmpc_fork_call"];

fn exports_openmp(path: &str) -> bool {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    find(path).unwrap_or(false)
}

fn find(path: &str) -> Option<bool> {
    // Few pages of a file are read: a library may be large, and there may be hundreds.
    let bounded = BoundedFile::new(regular::open(Path::new(path)).ok()?);
    let header = elf::FileHeader64::<Endianness>::parse(&bounded).ok()?;
    let endian = header.endian().ok()?;
    let sections: SectionTable<'_, elf::FileHeader64<Endianness>, _> = header.sections(endian, &bounded).ok()?;
    let table = sections.iter().find(|section| section.sh_type(endian) == elf::SHT_DYNSYM)?;
    if table.sh_size(endian) / size_of::<elf::Sym64<Endianness>>() as u64 > MAX_EXPORTS {
        return Some(false);
    }
    let file = ElfFile64::<Endianness, _>::parse(&bounded).ok()?;
    let (mut all, mut openmp, mut forks) = (0_u32, 0_u32, false);
    for symbol in file.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
        let Ok(name) = symbol.name() else { continue };
        all += 1;
        openmp += u32::from(PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
        forks |= FORKS.contains(&name);
    }
    Some(forks && openmp > all / 2)
}

/// Prefixes of the functions that return what the runtime knows.
const QUERIES: [&str; 3] = ["omp_get_", "omp_in_", "omp_is_"];

fn queries(path: &str, build_id: &[u8]) -> Option<Vec<(u64, u64)>> {
    let is_query = |name: &str| QUERIES.iter().any(|prefix| name.starts_with(prefix));
    recorded_file::read(path, build_id, |file| {
        let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.size() > 0);
        let named = symbols.filter(|symbol| symbol.name().is_ok_and(is_query));
        named.map(|it| (it.address(), it.address().saturating_add(it.size() - 1))).collect()
    })
}

/// Prefixes of the functions of a runtime that is linked into a program. Functions of programs have others.
const LINKED: [&str; 3] = ["GOMP_", "gomp_", "__kmp"];

fn linked(path: &str) -> Vec<(u64, u64)> {
    if path.starts_with('/') { symbols(path).unwrap_or_default() } else { Vec::new() }
}

fn symbols(path: &str) -> Option<Vec<(u64, u64)>> {
    let bounded = BoundedFile::new(regular::open(Path::new(path)).ok()?);
    let file = ElfFile64::<Endianness, _>::parse(&bounded).ok()?;
    if file.section_by_name(".symtab")?.size() > MAX_SYMBOLS {
        return None;
    }
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let mut forks = false;
    for symbol in file.symbols().filter(|symbol| symbol.is_definition() && symbol.size() > 0) {
        let Ok(name) = symbol.name() else { continue };
        forks |= FORKS.contains(&name);
        if LINKED.iter().any(|prefix| name.starts_with(prefix)) {
            ranges.push((symbol.address(), symbol.address().saturating_add(symbol.size() - 1)));
        }
    }
    ranges.sort_unstable();
    forks.then_some(ranges)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_renamed_runtime_is_known_by_what_it_exports() {
        let folder = tempfile::tempdir().unwrap();
        let build = |name: &str, code: &str| {
            let (source, library) = (folder.path().join(format!("{name}.c")), folder.path().join(name));
            fs::write(&source, code).unwrap();
            let done = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
            assert!(done.expect("gcc is installed").success());
            library.into_os_string().into_string().unwrap()
        };
        let runtime =
            build("libthreads.so.1", "void GOMP_parallel(void) {} void GOMP_barrier(void) {} void help(void) {}");
        let other = build("libapp.so", "void GOMP_parallel(void) {} void a(void) {} void b(void) {}");
        let found = [&runtime, &format!("{runtime} (deleted)"), &other].map(|path| exports_openmp(path));
        let none = ["/no/lib.so", "relative.so", "/proc/self/exe"].map(exports_openmp);
        assert_eq!((found, none), ([true, true, false], [false; 3]));
        // Each file is read once for all processes.
        let mut libraries = Libraries::default();
        let first = libraries.is_runtime(&runtime);
        fs::remove_file(&runtime).unwrap();
        assert_eq!((first, libraries.is_runtime(&runtime), exports_openmp(&runtime)), (true, true, false));
    }

    #[test]
    fn a_runtime_that_is_linked_in_is_known_by_its_symbols() {
        let folder = tempfile::tempdir().unwrap();
        let build = |name: &str, code: &str| {
            let (source, program) = (folder.path().join(format!("{name}.c")), folder.path().join(name));
            fs::write(&source, code).unwrap();
            let done = Command::new("gcc").arg("-o").args([&program, &source]).status();
            assert!(done.expect("gcc is installed").success());
            program.into_os_string().into_string().unwrap()
        };
        let with = build("with", "void GOMP_parallel(void) {} void gomp_wait(void) {} int main(void) { return 0; }");
        let without = build("without", "void gomp_wait(void) {} int main(void) { return 0; }");
        let mut libraries = Libraries::default();
        let mut numbers = || [&with, &without].map(|path| libraries.linked_runtime(path).len());
        let first = numbers();
        fs::remove_file(&with).unwrap();
        assert_eq!((first, numbers(), linked(&with).len()), ([2, 0], [2, 0], 0));
    }

    #[test]
    fn the_systems_runtime_is_one_and_answers_in_few_functions() {
        let asked = Command::new("gcc").arg("-print-file-name=libgomp.so.1").output().expect("gcc is installed");
        let path = fs::canonicalize(String::from_utf8(asked.stdout).unwrap().trim()).unwrap();
        let path = path.to_str().unwrap();
        assert!(exports_openmp(path), "{path}");
        let file = fs::read(path).unwrap();
        let elf = ElfFile64::<Endianness>::parse(&*file).unwrap();
        let address = |name: &str| elf.dynamic_symbols().find(|it| it.name() == Ok(name)).unwrap().address();
        let build_id = elf.build_id().unwrap().unwrap();
        let is_query = |name: &str| {
            let ranges = Libraries::default().queries(path, build_id).to_owned();
            ranges.iter().any(|(first, last)| (first..=last).contains(&&address(name)))
        };
        let asked = ["omp_get_wtime", "omp_get_thread_num", "omp_in_parallel_", "omp_is_initial_device"];
        let others = ["omp_set_lock", "GOMP_barrier", "GOMP_taskwait", "omp_test_lock_"];
        assert_eq!((asked.map(is_query), others.map(is_query)), ([true; 4], [false; 4]));
        let another = Libraries::default().queries(path, b"another file").len();
        assert_eq!(another, 0);
    }
}
