//! Where in the program a task comes from: from a return address to a function, a file and a line.

use std::collections::HashMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use addr2line::Loader;
use object::{Object, ObjectSegment};
use ora_collectors::tasks::layout::{Area, ObjectSlot, place};

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// From debug information.
    Line { function: String, file: String, line: u32 },
    /// From the symbol table.
    Symbol { function: String, offset: u64, object: String },
    /// An address in the file, as `objdump` shows it.
    Offset { object: String, address: u64 },
    /// An address that no file has: code that was made while the program ran.
    Address(u64),
    /// A chunk of a taskloop that was run where its taskloop was not on the stack.
    Chunk,
    /// The stack did not tell.
    Unknown,
    /// One of more places than a thread tells apart.
    Many,
}

/// The objects of one process.
#[derive(Debug)]
pub(super) struct Atlas {
    objects: Vec<Mapped>,
    files: HashMap<String, Option<Opened>>,
    known: HashMap<u64, Place>,
}

#[derive(Debug)]
struct Mapped {
    start: u64,
    end: u64,
    offset: u64,
    inode: u64,
    path: String,
}

/// A file that was opened.
struct Opened {
    /// Of what is loaded: the range in the file, and the address.
    segments: Vec<(u64, u64, u64)>,
    loader: Option<Loader>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Opened").field("segments", &self.segments).finish_non_exhaustive()
    }
}

impl Atlas {
    /// Those of the process with this slot.
    pub(super) fn of(area: &Area, process: u32) -> Self {
        let own = |slot: &&ObjectSlot| slot.owner.load(Relaxed) == process + 1;
        let mapped = |slot: &ObjectSlot| Mapped {
            start: slot.start.load(Relaxed),
            end: slot.end.load(Relaxed),
            offset: slot.offset.load(Relaxed),
            inode: slot.inode.load(Relaxed),
            path: slot.path.get(),
        };
        Self { objects: area.object_slots().filter(own).map(mapped).collect(), ..Self::new(Vec::new()) }
    }

    fn new(objects: Vec<Mapped>) -> Self {
        Self { objects, files: HashMap::new(), known: HashMap::new() }
    }

    /// What a cell's place means.
    pub(super) fn place(&mut self, raw: u64) -> Place {
        match raw {
            place::CHUNK => Place::Chunk,
            place::MANY => Place::Many,
            raw if raw < place::FIRST_ADDRESS => Place::Unknown,
            raw => {
                if let Some(place) = self.known.get(&raw) {
                    return place.clone();
                }
                let place = self.look_up(raw);
                self.known.insert(raw, place.clone());
                place
            }
        }
    }

    fn look_up(&mut self, returns_to: u64) -> Place {
        // In the call: what follows it may belong to the next line.
        let address = returns_to - 1;
        let Some(object) = self.objects.iter().find(|object| (object.start..object.end).contains(&address)) else {
            return Place::Address(returns_to);
        };
        if object.path.is_empty() {
            return Place::Address(returns_to);
        }
        let in_file = address - object.start + object.offset;
        let opened = self.files.entry(object.path.clone()).or_insert_with(|| Opened::open(object));
        let name = short(&object.path);
        match opened {
            Some(opened) => opened.look_up(&name, in_file),
            None => Place::Offset { object: name, address: in_file + 1 },
        }
    }
}

impl Opened {
    /// `None` where the file is gone or another one.
    fn open(object: &Mapped) -> Option<Self> {
        let path = Path::new(&object.path);
        if path.metadata().ok()?.ino() != object.inode {
            return None;
        }
        let bytes = std::fs::read(path).ok()?;
        let parsed = object::File::parse(bytes.as_slice()).ok()?;
        let segments = parsed.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        Some(Self { segments: segments.collect(), loader: Loader::new(path).ok() })
    }

    fn look_up(&self, object: &str, in_file: u64) -> Place {
        let within = |(offset, size, _): &&(u64, u64, u64)| (*offset..offset + size).contains(&in_file);
        let address = self.segments.iter().find(within).map_or(in_file, |(offset, _, at)| in_file - offset + at);
        let nothing = Place::Offset { object: object.to_owned(), address: address + 1 };
        let Some(loader) = &self.loader else { return nothing };
        line(loader, address).or_else(|| symbol(loader, object, address)).unwrap_or(nothing)
    }
}

fn line(loader: &Loader, address: u64) -> Option<Place> {
    // The innermost function, also where it was inlined.
    let frame = loader.find_frames(address).ok()?.next().ok()??;
    let location = frame.location?;
    let named = frame.function.and_then(|function| Some(function.demangle().ok()?.into_owned()));
    let function = named.or_else(|| loader.find_symbol(address).map(str::to_owned));
    Some(Place::Line {
        function: plain(&function.unwrap_or_else(|| "?".to_owned())),
        file: location.file?.to_owned(),
        line: location.line?,
    })
}

fn symbol(loader: &Loader, object: &str, address: u64) -> Option<Place> {
    let symbol = loader.find_symbol_info(address)?;
    let name = addr2line::demangle_auto(symbol.name().into(), None);
    Some(Place::Symbol { function: plain(&name), offset: address + 1 - symbol.address(), object: object.to_owned() })
}

/// The function that the programmer wrote: gcc cuts the bodies of constructs out into functions of their own.
fn plain(function: &str) -> String {
    let cut = |function: &str, mark| function.find(mark).map(|at| function.get(..at).unwrap_or_default().to_owned());
    cut(function, "._omp_fn.").unwrap_or_else(|| function.to_owned())
}

fn short(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

impl Place {
    /// In few words.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Line { function, file, line } => format!("{function} at {}:{line}", short(file)),
            Self::Symbol { function, offset, object } => format!("{function}+{offset:#x} in {object}"),
            Self::Offset { object, address } => format!("{object}+{address:#x}"),
            Self::Address(address) => format!("code without a file, at {address:#x}"),
            Self::Chunk => "chunks of taskloops, run by other threads".to_owned(),
            Self::Unknown => "place unknown".to_owned(),
            Self::Many => "more places".to_owned(),
        }
    }

    /// In one word, for programs.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Line { .. } => "line",
            Self::Symbol { .. } => "symbol",
            Self::Offset { .. } => "offset",
            Self::Address(_) => "address",
            Self::Chunk => "taskloop_chunk",
            Self::Unknown => "unknown",
            Self::Many => "more",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_becomes_a_line_where_there_is_debug_information() {
        let own = an_address_becomes_a_line_where_there_is_debug_information as fn() as usize as u64;
        let path = std::env::current_exe().unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mapped = maps.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let (start, end) = words.next()?.split_once('-')?;
            let hex = |text| u64::from_str_radix(text, 16).unwrap();
            let offset = hex(words.nth(1)?);
            let inode = words.nth(1)?.parse().unwrap();
            let range = hex(start)..hex(end);
            range.contains(&own).then(|| Mapped {
                start: range.start,
                end: range.end,
                offset,
                inode,
                path: path.display().to_string(),
            })
        });
        let mut mapped = mapped.unwrap();
        let place = Atlas::new(vec![Mapped { path: mapped.path.clone(), ..mapped }]).place(own + 8);
        let Place::Line { function, file, .. } = &place else { panic!("{place:?}") };
        assert!(function.contains("an_address_becomes_a_line"), "{function}");
        assert!(file.ends_with("places.rs"), "{file}");
        mapped.inode += 1;
        let offset = own + 8 - mapped.start + mapped.offset;
        let other = Atlas::new(vec![mapped]).place(own + 8);
        assert_eq!(other, Place::Offset { object: short(&path.display().to_string()), address: offset });
    }

    #[test]
    fn places_without_an_address_have_names() {
        let mut atlas = Atlas::new(Vec::new());
        assert_eq!(atlas.place(place::CHUNK), Place::Chunk);
        assert_eq!(atlas.place(place::MANY), Place::Many);
        assert_eq!([atlas.place(place::UNKNOWN), atlas.place(0)], [Place::Unknown, Place::Unknown]);
        assert_eq!(atlas.place(0x7000), Place::Address(0x7000));
    }

    #[test]
    fn functions_are_those_that_the_programmer_wrote() {
        assert_eq!(plain("main._omp_fn.0"), "main");
        assert_eq!(plain("work"), "work");
    }
}
