//! Program counters of one process as functions and lines, without those of runtimes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use object::{Object as _, ObjectSegment};
use race_format::{Address, Module};
use serde::Serialize;
use symbols::{ConstructKind, Files, Name, Names, ProcessNames, Spans};
use terminal::printable::Shown;
use untrusted::regular;

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Frame {
    /// Its name, as the author wrote it.
    pub(crate) function: String,
    /// Its source file.
    pub(crate) file: Option<String>,
    /// The line; 0: unknown.
    pub(crate) line: u32,
    /// File name of the program or library.
    pub(crate) object: String,
    /// Address in the file.
    #[serde(skip)]
    pub(crate) address: u64,
    /// The construct whose body the function is, and its line.
    #[serde(skip)]
    pub(crate) body_of: Option<(ConstructKind, u32)>,
}

/// Files whose code is not the user's, besides OpenMP runtimes: ThreadSanitizer, the system, and what is preloaded.
const SYSTEM: [&str; 5] = ["libtsan.so", "libora", "ld-linux", "libclang_rt.tsan", "libc.so"];
/// Functions of ThreadSanitizer in programs that have it linked in, and of C libraries before `main`.
const RUNTIME_FUNCTIONS: [&str; 6] =
    ["__tsan_", "__interceptor_", "___interceptor_", "__libc_start_", "_start", "__kmp_invoke_microtask"];

impl Frame {
    fn of(name: &Name, address: u64) -> Self {
        let body_of = name.construct.as_ref().map(|construct| (construct.kind, construct.line));
        let (function, object) = (name.function.clone(), name.object.clone());
        Self { function, file: name.file.clone(), line: name.line, object, address, body_of }
    }

    /// True for code of a runtime, which is of no interest to users.
    fn is_runtimes(&self) -> bool {
        symbols::runtime(&self.object).is_some()
            || SYSTEM.iter().any(|name| self.object.starts_with(name))
            || RUNTIME_FUNCTIONS.iter().any(|name| self.function.starts_with(name))
    }

    /// True for a source of the system, a compiler or an installed library, which a user would not change.
    pub(crate) fn is_of_system(&self) -> bool {
        const FOLDERS: [&str; 6] =
            ["/usr/include/", "/usr/lib", "/usr/share/", "/usr/local/include/", "/usr/local/lib", "/nix/store/"];
        const PARTS: [&str; 4] = ["/include/c++/", "/lib/gcc/", "/lib/clang/", "/site-packages/"];
        let file = self.file.as_deref().unwrap_or_default();
        FOLDERS.iter().any(|folder| file.starts_with(folder))
            || PARTS.iter().any(|part| file.contains(part))
            || file.starts_with("/opt/") && file.contains("/include/")
    }

    /// The file's name without folders.
    pub(crate) fn short_file(&self) -> Option<&str> {
        self.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file))
    }

    /// True for code of a Fortran source.
    pub(crate) fn is_fortran(&self) -> bool {
        let file = self.file.as_deref().unwrap_or_default();
        let ending = file.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08"].contains(&ending.as_str())
    }

    /// `function at file.c:17`, or what is known of that.
    pub(crate) fn name(&self) -> String {
        let function = symbols::brief(&self.function);
        match self.line_name() {
            Some(line) => format!("{} at {line}", function.shown()),
            None if self.object.is_empty() => function.shown().to_string(),
            None => format!("{} in {}", function.shown(), self.object.shown()),
        }
    }

    /// `file.c:17`.
    pub(crate) fn line_name(&self) -> Option<String> {
        let file = self.short_file().filter(|_| self.line > 0)?;
        Some(format!("{}:{}", file.shown(), self.line))
    }
}

/// A module with the offset between its addresses and those of its file.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) module: Module,
    pub(crate) bias: u64,
    /// Addresses of the whole object, which may exceed those of its mappings: zeroed data is not in the file.
    pub(crate) span: Range<u64>,
    /// Position of its line in the process's file, from which on it replaces earlier ones.
    pub(crate) since: u64,
}

impl Loaded {
    pub(crate) fn new(module: Module, since: u64, files: &mut Segments) -> Self {
        let plain = || (module.start.0.wrapping_sub(module.offset.0), module.start.0..module.end.0);
        let (bias, span) = files.place(&module).unwrap_or_else(plain);
        Self { module, bias, span, since }
    }
}

/// A loaded segment: start and size in the file, address and size in memory.
type Segment = (u64, u64, u64, u64);

/// Segments of files, each of which is read once.
#[derive(Debug, Default)]
pub(crate) struct Segments(HashMap<OsString, Vec<Segment>>);

impl Segments {
    /// Load bias of a module, from the segment of its file that is mapped there, and the addresses of all segments.
    fn place(&mut self, module: &Module) -> Option<(u64, Range<u64>)> {
        const PAGE: u64 = 4096;
        if !self.0.contains_key(&module.path) {
            self.0.insert(module.path.clone(), segments(Path::new(&module.path)).unwrap_or_default());
        }
        let segments = self.0.get(&module.path)?;
        let (offset, length) = (module.offset.0, module.end.0.checked_sub(module.start.0)?);
        let pages = |begin: u64, end: u64| end.next_multiple_of(PAGE) - begin / PAGE * PAGE;
        // Segments may share a page of the file: the length distinguishes them. A part of a segment may have
        // different access rights.
        let fit = |begin: u64, size: u64| match begin / PAGE * PAGE {
            first if first == offset && pages(begin, begin + size) == length => 3,
            first if first == offset => 2,
            first if (first..begin + size).contains(&offset) => 1,
            _ => 0,
        };
        let fits = segments.iter().map(|(begin, size, address, _)| (fit(*begin, *size), address.wrapping_sub(*begin)));
        let (_, delta) =
            fits.filter(|(fit, _)| *fit > 0).reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let bias = module.start.0.wrapping_sub(delta.wrapping_add(offset));
        let first = segments.iter().map(|(_, _, address, _)| *address).min()?;
        let last = segments.iter().map(|(_, _, address, size)| address + size).max()?;
        Some((bias, bias.wrapping_add(first)..bias.wrapping_add(last)))
    }
}

fn segments(path: &Path) -> Option<Vec<Segment>> {
    let bytes = regular::read(path, regular::LARGEST_CODE).ok()?;
    let file = object::File::parse(bytes.as_slice()).ok()?;
    let segments = file.segments().map(|segment| {
        let (begin, size) = segment.file_range();
        (begin, size, segment.address(), segment.size())
    });
    Some(segments.collect())
}

/// Resolver of one process's addresses.
#[derive(Debug)]
pub(crate) struct Resolver {
    names: ProcessNames,
    loaded: Vec<Loaded>,
    /// Addresses of the objects of [`Self::loaded`].
    spans: Spans,
}

impl Resolver {
    pub(crate) fn new(files: &Files, loaded: Vec<Loaded>) -> Self {
        let build_ids: Vec<Vec<u8>> = loaded.iter().map(|loaded| digits(&loaded.module.build_id)).collect();
        let objects = loaded.iter().zip(&build_ids).map(|(loaded, build_id)| profile_format::Object {
            start: loaded.module.start.0,
            end: loaded.module.end.0,
            bias: loaded.bias,
            since_ns: loaded.since,
            build_id,
            path: loaded.module.path.as_encoded_bytes(),
        });
        let names = ProcessNames::new(files, objects);
        let spans = Spans::new(loaded.iter().map(|loaded| (loaded.span.start, loaded.span.end, loaded.since)));
        Self { names, loaded, spans }
    }

    /// The functions at a return address, the innermost inlined one first; also those of runtimes.
    fn at(&mut self, pc: Address, exact: bool, now: u64) -> Vec<Frame> {
        if pc.0 == 0 {
            return Vec::new();
        }
        let in_file = self.in_file(pc.0 - u64::from(!exact), now).map_or(0, |(_, address)| address);
        self.names.at(pc.0, !exact, now).iter().map(|name| Frame::of(name, in_file)).collect()
    }

    /// The file that contains an address, and the address in it.
    pub(crate) fn in_file(&self, address: u64, now: u64) -> Option<(&Path, u64)> {
        let latest = self.spans.at(address, now).and_then(|number| self.loaded.get(number));
        // Where none was there yet, the spans have the first one to come.
        let loaded = latest.filter(|loaded| loaded.since <= now)?;
        Some((Path::new(&loaded.module.path), address.wrapping_sub(loaded.bias)))
    }

    /// The user's function at a return address.
    pub(crate) fn user_frame(&mut self, pc: Address, now: u64) -> Option<Frame> {
        self.at(pc, false, now).into_iter().find(|frame| !frame.is_runtimes())
    }

    /// The function that starts at an address: the body of a construct.
    pub(crate) fn body(&mut self, begin: Address, now: u64) -> Option<Frame> {
        self.at(begin, true, now).pop()
    }

    /// True if the innermost function of a stack is the user's: no function of a runtime or C library was called.
    pub(crate) fn is_direct(&mut self, pcs: &[Address], exact: bool, now: u64) -> bool {
        let Some(pc) = pcs.first() else { return false };
        self.at(*pc, exact, now).first().is_some_and(|frame| !frame.is_runtimes())
    }

    /// The user's functions on a stack, innermost first.
    pub(crate) fn stack(&mut self, pcs: &[Address], exact: bool, now: u64) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut last = None;
        for (depth, pc) in pcs.iter().enumerate() {
            // ThreadSanitizer repeats the program counter for each function that is inlined there.
            if last == Some(*pc) {
                continue;
            }
            last = Some(*pc);
            frames.extend(self.at(*pc, exact && depth == 0, now).into_iter().filter(|frame| !frame.is_runtimes()));
        }
        frames
    }
}

fn digits(hexadecimal: &str) -> Vec<u8> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_test_is_a_line_of_it() {
        let own = an_address_of_this_test_is_a_line_of_it as fn() as usize as u64;
        let path = std::env::current_exe().unwrap().into_os_string();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let module = maps.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (start, end) = words.next()?.split_once('-')?;
            let offset = hex(words.nth(1)?);
            (hex(start)..hex(end)).contains(&own).then(|| Module {
                path: path.clone(),
                start: Address(hex(start)),
                end: Address(hex(end)),
                offset: Address(offset),
                build_id: String::new(),
            })
        });
        let mut resolver =
            Resolver::new(&Files::default(), vec![Loaded::new(module.unwrap(), 3, &mut Segments::default())]);
        let stack = resolver.stack(&[Address(own + 1), Address(own + 1), Address(0)], false, 7);
        let [frame] = stack.as_slice() else { panic!("{stack:?}") };
        assert!(frame.function.contains("an_address_of_this_test") && frame.line > 0, "{frame:?}");
        assert_eq!(frame.short_file(), Some("frames.rs"));
        assert!(resolver.in_file(own, 2).is_none());
    }

    #[test]
    fn the_file_at_an_address_is_the_latest_one_that_was_there() {
        let loaded = |number: u64| {
            let (start, length) = (number * 7 % 40, 1 + number * 5 % 9);
            let path = format!("/{number}").into();
            let module = Module { path, start: Address(start), end: Address(start + length), ..Module::default() };
            // Two come at a time, and at last ten.
            let since = if number < 90 { number / 2 } else { 60 };
            Loaded { module, bias: number, span: start..start + length, since }
        };
        let all: Vec<Loaded> = (0..100).map(loaded).collect();
        let resolver = Resolver::new(&Files::default(), all.clone());
        for (address, now) in (0..50).flat_map(|address| (0..70).map(move |now| (address, now))) {
            let is_there = |loaded: &&Loaded| loaded.span.contains(&address) && loaded.since <= now;
            let wanted = all.iter().rev().find(is_there).map(|loaded| loaded.module.path.clone());
            let found = resolver.in_file(address, now).map(|(path, _)| path.as_os_str().to_owned());
            assert_eq!(found, wanted, "{address} at {now}");
        }
    }

    #[test]
    fn build_ids_are_hexadecimal() {
        assert_eq!(digits("0aff"), [10, 255]);
        assert_eq!(digits(""), [0_u8; 0]);
    }
}
