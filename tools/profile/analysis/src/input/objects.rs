//! Code objects of a process, by address and time, and the kind of code in each.

use std::collections::BTreeMap;

use symbols::Spans;

use super::Libraries;

/// A mapped object with code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// First address of its code.
    pub start: u64,
    /// Address after the last byte of its code.
    pub end: u64,
    /// Load bias: added to the file's addresses.
    pub bias: u64,
    /// Time since which it is mapped, by CLOCK_MONOTONIC.
    pub since_ns: u64,
    /// GNU build id; empty: none.
    pub build_id: Vec<u8>,
    /// Path of the file.
    pub path: String,
    /// Kind of its code.
    pub kind: Kind,
}

impl Object {
    /// The object as a record of the profile.
    pub fn record(&self) -> profile_format::Object<'_> {
        let Self { start, end, bias, since_ns, ref build_id, ref path, .. } = *self;
        profile_format::Object { start, end, bias, since_ns, build_id, path: path.as_bytes() }
    }
}

/// Kind of code, by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The program and its libraries.
    Program,
    /// CPython itself.
    Interpreter,
    /// A Python function: CPython generates code for it, so that profilers see it.
    Python,
    /// The system's lowest libraries, which OpenMP runtimes call and which start threads.
    System,
    /// The OpenMP runtime.
    Runtime,
    /// Functions of the OpenMP runtime by which the program asks it for a value, such as `omp_get_wtime`. They never wait.
    Query,
    /// The library and the collector, which would not be there without `ora`.
    Own,
}

impl Kind {
    /// True for code that runs on top of the system and the OpenMP runtime, and for what it asks the runtime.
    pub fn is_program(self) -> bool {
        matches!(self, Self::Program | Self::Interpreter | Self::Python | Self::Query)
    }
}

/// The objects of a process.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// The objects, by address, then by time.
    list: Vec<Object>,
    /// Addresses of the objects, the last one first.
    spans: Spans,
    /// Times at which an object was mapped where another one had been.
    changes_ns: Vec<u64>,
    /// Ranges of an OpenMP runtime's functions that are linked into the program, by their first address.
    linked: Vec<(u64, u64)>,
    /// Ranges of the runtimes' functions that answer the program, by their first address.
    queries: Vec<(u64, u64)>,
}

/// Maximum number of objects of a process, and of pairs of objects that had one address: only a damaged recording has more,
/// which are left out.
const MAX_OBJECTS: usize = 1 << 14;
const MAX_CHANGES: usize = 1 << 20;
/// Most objects whose symbols are read, in search of a runtime that is linked in.
const MAX_PROGRAMS: usize = 64;

impl Objects {
    pub(super) fn new(list: Vec<Object>, own: &[String], libraries: &mut Libraries) -> Self {
        let mut list = without_repeats(list);
        list.sort_by_key(|object| (object.start, object.since_ns));
        list.truncate(MAX_OBJECTS);
        for object in &mut list {
            object.kind = kind(&object.path, own);
            if object.kind == Kind::Program && libraries.is_runtime(&object.path) {
                object.kind = Kind::Runtime;
            }
        }
        let mut queries: Vec<(u64, u64)> = Vec::new();
        for object in list.iter().filter(|object| object.kind == Kind::Runtime).take(MAX_PROGRAMS) {
            queries.extend(in_memory(object, libraries.queries(&object.path, &object.build_id)));
        }
        queries.sort_unstable();
        let has_runtime = list.iter().any(|object| object.kind == Kind::Runtime);
        let mut linked: Vec<(u64, u64)> = Vec::new();
        let programs = list.iter().filter(|object| !has_runtime && object.kind == Kind::Program);
        for object in programs.take(MAX_PROGRAMS) {
            linked.extend(in_memory(object, libraries.linked_runtime(&object.path)));
        }
        linked.sort_unstable();
        let pairs = list.iter().enumerate().flat_map(|(number, one)| {
            let later = list.iter().skip(number + 1).take_while(|other| other.start < one.end);
            later.map(|other| other.since_ns.max(one.since_ns))
        });
        let mut changes_ns: Vec<u64> = pairs.take(MAX_CHANGES).collect();
        changes_ns.sort_unstable();
        changes_ns.dedup();
        let spans = Spans::new(list.iter().rev().map(|object| (object.start, object.end, object.since_ns)));
        Self { list, spans, changes_ns, linked, queries }
    }

    /// Iterates over all objects.
    pub fn iter(&self) -> impl Iterator<Item = &Object> {
        self.list.iter()
    }

    /// True if a runtime is linked into the program.
    pub fn has_linked_runtime(&self) -> bool {
        !self.linked.is_empty()
    }

    /// True for an address in the functions of a runtime that is linked into the program.
    pub(super) fn is_linked_runtime(&self, address: u64) -> bool {
        is_within(&self.linked, address)
    }

    /// True for an address in a function by which a runtime answers the program.
    pub(super) fn is_query(&self, address: u64) -> bool {
        is_within(&self.queries, address)
    }

    /// The object at an address at a time.
    pub fn at(&self, address: u64, at_ns: u64) -> Option<&Object> {
        // Where none was there yet, the first one to come was noticed late.
        self.list.iter().rev().nth(self.number_at(address, at_ns)?)
    }

    /// Number of the object at an address at a time.
    pub fn number_at(&self, address: u64, at_ns: u64) -> Option<usize> {
        self.spans.at(address, at_ns)
    }

    /// True if objects have replaced each other at some address.
    pub fn have_changed(&self) -> bool {
        !self.changes_ns.is_empty()
    }

    /// Number of the era of a time. Addresses mean the same at two times of the same era.
    #[allow(clippy::cast_possible_truncation)] // far fewer
    pub fn era(&self, at_ns: u64) -> u32 {
        self.changes_ns.partition_point(|change| *change <= at_ns) as u32
    }

    /// A time within an era.
    pub fn time_in(&self, era: u32) -> u64 {
        match (era as usize).checked_sub(1).and_then(|last| self.changes_ns.get(last)) {
            Some(begin) => *begin,
            // After all objects that were mapped where none had been, but before the first change.
            None => self.changes_ns.first().map_or(u64::MAX, |first| first.saturating_sub(1)),
        }
    }
}

/// Ranges of a file where an object of it is mapped.
fn in_memory<'r>(object: &Object, ranges: &'r [(u64, u64)]) -> impl Iterator<Item = (u64, u64)> + use<'r> {
    let bias = object.bias;
    ranges.iter().map(move |(first, last)| (first.wrapping_add(bias), last.wrapping_add(bias)))
}

/// True if one of the ranges, which are sorted, holds an address.
fn is_within(ranges: &[(u64, u64)], address: u64) -> bool {
    let before = ranges.partition_point(|(first, _)| *first <= address);
    let found = before.checked_sub(1).and_then(|last| ranges.get(last));
    found.is_some_and(|(_, last)| address <= *last)
}

/// Leaves out objects that are recorded again while they are mapped. One that returns after another one was at its addresses remains.
fn without_repeats(mut list: Vec<Object>) -> Vec<Object> {
    list.sort_by_key(|object| object.since_ns);
    // The objects that are mapped, by their start, and their indices.
    let (mut mapped, mut kept) = (BTreeMap::new(), Vec::<Object>::with_capacity(list.len()));
    for object in list {
        let last = mapped.get(&object.start).and_then(|index: &usize| kept.get(*index));
        if last.is_some_and(|last| Object { since_ns: last.since_ns, ..object.clone() } == *last) {
            continue;
        }
        while let Some((&start, &index)) = mapped.range(..object.end).next_back()
            && kept.get(index).is_some_and(|other| other.end > object.start)
        {
            mapped.remove(&start);
        }
        mapped.insert(object.start, kept.len());
        kept.push(object);
    }
    kept
}

/// Libraries below all others. OpenMP runtimes call them, and so does the program.
const SYSTEM: [&str; 12] = [
    "libc.so",
    "libc-",
    "libpthread.so",
    "libpthread-",
    "ld-linux",
    "ld-",
    "libdl.so",
    "libdl-",
    "librt.so",
    "librt-",
    "libnuma.so",
    "libhwloc.so",
];

fn kind(path: &str, own: &[String]) -> Kind {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    // Also applies to a library that `ora attach` copied into the process.
    let name = symbols::file_name(path);
    let ours = symbols::is_library(name, "libora");
    if ours || own.iter().any(|own| own == path) {
        Kind::Own
    } else if symbols::runtime(name).is_some() {
        Kind::Runtime
    } else if name == "[vdso]" || SYSTEM.iter().any(|stem| name.starts_with(stem) && name.contains(".so")) {
        Kind::System
    } else if is_interpreter(name) {
        Kind::Interpreter
    } else {
        Kind::Program
    }
}

/// True if a file of this name contains CPython: `python3.13`, `libpython3.13.so.1.0`.
fn is_interpreter(name: &str) -> bool {
    match (name.strip_prefix("libpython"), name.strip_prefix("python")) {
        (Some(library), _) => library.contains(".so"),
        (None, Some(version)) => version.trim_end_matches(['t', 'd']).chars().all(|c| c.is_ascii_digit() || c == '.'),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(start: u64, end: u64, since_ns: u64, path: &str) -> Object {
        let path = path.to_owned();
        Object { start, end, bias: 0, since_ns, build_id: Vec::new(), path, kind: Kind::Program }
    }

    #[test]
    fn runtimes_are_known_by_their_file() {
        let own = ["/x/libmine.so".to_owned()];
        for path in [
            "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0",
            "/p/libgomp-a34b3233.so.1.0.0",
            "/usr/lib/llvm-19/lib/libomp.so.5",
            "libomp-1234.so.5",
            "/opt/intel/libiomp5.so",
        ] {
            assert_eq!(kind(path, &own), Kind::Runtime, "{path}");
        }
        for path in [
            "/t/libora.so",
            "/t/libora_profiler.so",
            "/x/libmine.so",
            "/t/libora.so (deleted)",
            "/memfd:libora.so (deleted)",
        ] {
            assert_eq!(kind(path, &own), Kind::Own, "{path}");
        }
        for path in [
            "/usr/lib/libomptarget.so.19",
            "/home/libgomp/prog",
            "/x/liboracle.so",
            "/usr/lib/libompitrace.so.40",
            "prog",
        ] {
            assert_eq!(kind(path, &own), Kind::Program, "{path}");
        }
        for path in ["/usr/bin/python3.11", "python", "/o/python3.14t", "/p/lib/libpython3.12.so.1.0"] {
            assert_eq!(kind(path, &own), Kind::Interpreter, "{path}");
        }
        for path in ["/usr/bin/pythonic", "/x/libpython.txt", "/x/_tree.cpython-311-x86_64-linux-gnu.so"] {
            assert_eq!(kind(path, &own), Kind::Program, "{path}");
        }
        for path in ["[vdso]", "/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/lib/libc-2.31.so"] {
            assert_eq!(kind(path, &own), Kind::System, "{path}");
        }
    }

    #[test]
    fn an_address_belongs_to_one_object_after_the_other() {
        let list =
            vec![object(10, 20, 5, "a"), object(15, 30, 50, "b"), object(40, 50, 0, "c"), object(40, 50, 9, "c")];
        let objects = Objects::new(list, &[], &mut Libraries::default());
        let at = |address, at_ns| objects.at(address, at_ns).map(|object| object.path.as_str());
        assert_eq!((at(9, 60), at(10, 60), at(30, 60), at(49, 60)), (None, Some("a"), None, Some("c")));
        assert_eq!((at(16, 0), at(16, 49), at(16, 50), at(25, 49)), (Some("a"), Some("a"), Some("b"), Some("b")));
        assert_eq!((objects.era(49), objects.era(50)), (0, 1));
        for era in [0, 1] {
            assert_eq!(objects.era(objects.time_in(era)), era);
        }
    }

    #[test]
    fn an_object_that_returns_is_another_one() {
        // The second overlaps the first, the third is the first again; then it is recorded once more, and built anew.
        let list = [(10, 30, 5, "a"), (20, 40, 50, "b"), (10, 30, 90, "a"), (10, 30, 95, "a"), (10, 30, 99, "a")];
        let mut list = list.map(|(start, end, since_ns, path)| object(start, end, since_ns, path)).to_vec();
        list.last_mut().unwrap().build_id = vec![1];
        let objects = Objects::new(list, &[], &mut Libraries::default());
        let at = |at_ns| objects.at(25, at_ns).map(|object| (object.path.as_str(), object.since_ns));
        assert_eq!([at(0), at(49), at(50), at(89)], [("a", 5), ("a", 5), ("b", 50), ("b", 50)].map(Some));
        assert_eq!([at(90), at(98), at(99)], [("a", 90), ("a", 90), ("a", 99)].map(Some));
        assert!(objects.have_changed());
    }

    #[test]
    fn objects_that_stay_make_one_era() {
        let objects =
            Objects::new(vec![object(10, 20, 5, "a"), object(20, 30, 50, "b")], &[], &mut Libraries::default());
        assert_eq!((objects.era(0), objects.era(u64::MAX)), (0, 0));
        assert_eq!(objects.at(25, 0).map(|object| object.path.as_str()), Some("b"));
    }

    #[test]
    fn thousands_of_objects_in_one_place_take_no_memory_by_their_square() {
        let list = (0..40_000).map(|at| object(10 + at, u64::MAX, at, "/no/such/lib.so")).collect();
        let objects = Objects::new(list, &[], &mut Libraries::default());
        assert_eq!(objects.iter().count(), MAX_OBJECTS);
        assert!(objects.changes_ns.len() <= MAX_CHANGES);
        assert!(objects.at(50_000, 0).is_some());
    }
}
