//! Source locations of tasks and parallel regions: from a return address to a function, a file and a line.

use std::collections::HashMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

use object::{Object, ObjectSegment};
use outside::content::Content;
use outside::regular::LARGEST_CODE;
use stat_layout::loaded::{LoadedObjects, ObjectSlot, place};
use symbols::{Calls, DebugInfo, Instrumented, TimeLeft, author, brief, processor};
use system::arch::instructions::Processor;
use terminal::printable::Shown;

use crate::body::{Argument, Code};

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Function, file and line, from debug information.
    Line { function: String, file: String, line: u32 },
    /// Function and offset, from the symbol table.
    Symbol { function: String, offset: u64, object: String },
    /// An address in the file, as `objdump` shows it.
    Offset { object: String, address: u64 },
    /// An address that no file has: code that was made while the program ran.
    Address(u64),
    /// A chunk of a taskloop that was run where its taskloop was not on the stack.
    Chunk,
    /// The stack did not show it.
    Unknown,
    /// One of the places beyond the number that a thread can tell apart.
    Many,
}

/// Resolver of code addresses of one process: its loaded objects, and a cache of locations.
#[derive(Debug)]
pub(crate) struct Resolver {
    objects: Vec<Mapped>,
    /// Constructs that OPARI has instrumented, of all processes.
    instrumented: Rc<Instrumented>,
    files: HashMap<String, Option<Opened>>,
    known: HashMap<u64, Resolved>,
}

/// A place, and what makes it one: calls for the same body are one place, also where the compiler has copied the call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Resolved {
    pub(crate) place: Place,
    /// The address of the body, or else of the call.
    pub(crate) address: u64,
    /// True if the address is that of the body.
    pub(crate) has_body: bool,
}

#[derive(Debug)]
struct Mapped {
    start: u64,
    end: u64,
    offset: u64,
    inode: u64,
    path: String,
}

thread_local! {
    /// Time for the look-ups of all resolvers of the command, which are on one thread.
    static TIME_LEFT: TimeLeft = TimeLeft::default();
}

/// A file that was opened.
struct Opened {
    processor: Option<Processor>,
    bytes: Content,
    /// Loaded segments: the range in the file, and the address.
    segments: Vec<(u64, u64, u64)>,
    debug_info: Option<DebugInfo>,
    /// Calls that OPARI has written into the object.
    calls: Option<Calls>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Opened").field("segments", &self.segments).finish_non_exhaustive()
    }
}

impl Resolver {
    /// Resolver for the process with this slot.
    pub(crate) fn of(loaded: &LoadedObjects, process: u32, instrumented: &Rc<Instrumented>) -> Self {
        let mut resolver = Self { instrumented: Rc::clone(instrumented), ..Self::new(Vec::new()) };
        resolver.learn(loaded, process);
        resolver
    }

    /// Takes over the objects that the process has entered meanwhile.
    pub(crate) fn learn(&mut self, loaded: &LoadedObjects, process: u32) {
        let own = |slot: &&ObjectSlot| slot.owner.load(Relaxed) == process + 1;
        let mapped = |slot: &ObjectSlot| Mapped {
            start: slot.start.load(Relaxed),
            end: slot.end.load(Relaxed),
            offset: slot.offset.load(Relaxed),
            inode: slot.inode.load(Relaxed),
            path: slot.path.get(),
        };
        self.objects = loaded.slots().filter(own).map(mapped).collect();
    }

    fn new(objects: Vec<Mapped>) -> Self {
        Self { objects, instrumented: Rc::default(), files: HashMap::new(), known: HashMap::new() }
    }

    /// Location that a cell's raw place stands for.
    pub(crate) fn resolve(&mut self, raw: u64) -> Resolved {
        let alone = |place| Resolved { place, address: 0, has_body: false };
        match raw {
            place::CHUNK => alone(Place::Chunk),
            place::MANY => alone(Place::Many),
            raw if raw < place::FIRST_ADDRESS => alone(Place::Unknown),
            raw => {
                if let Some(resolved) = self.known.get(&raw) {
                    return resolved.clone();
                }
                let resolved = self.look_up(raw);
                self.known.insert(raw, resolved.clone());
                resolved
            }
        }
    }

    /// Location of a cell's raw place, without its address.
    pub(crate) fn place(&mut self, raw: u64) -> Place {
        self.resolve(raw).place
    }

    /// The object, and the address in it as `objdump` shows it, of an address that [`Self::resolve`] was asked for.
    pub(crate) fn listed(&self, returns_to: u64) -> Option<(String, u64)> {
        if returns_to < place::FIRST_ADDRESS {
            return None;
        }
        let (object, in_file) = in_file(&self.objects, returns_to)?;
        let opened = self.files.get(&object.path).and_then(Option::as_ref);
        let address = opened.and_then(|opened| opened.code().address(in_file - 1)).map_or(in_file, |call| call + 1);
        Some((short(&object.path), address))
    }

    /// The file of the code that an address lies in.
    pub(crate) fn file(&self, returns_to: u64) -> Option<&str> {
        if returns_to < place::FIRST_ADDRESS {
            return None;
        }
        in_file(&self.objects, returns_to).map(|(object, _)| object.path.as_str())
    }

    fn look_up(&mut self, returns_to: u64) -> Resolved {
        let at = |place| Resolved { place, address: returns_to, has_body: false };
        let Some((object, in_file)) = in_file(&self.objects, returns_to) else { return at(Place::Address(returns_to)) };
        let open = || Some(Opened { calls: self.instrumented.of(&object.path).cloned(), ..Opened::open(object)? });
        let name = short(&object.path);
        let found = TIME_LEFT.with(|time| {
            time.spend(|| {
                let opened = self.files.entry(object.path.clone()).or_insert_with(open);
                opened.as_ref().map(|opened| opened.look_up(&name, in_file).unwrap_or_else(at))
            })
        });
        found.flatten().unwrap_or_else(|| at(Place::Offset { object: name, address: in_file }))
    }
}

/// The object that has a call, and where in its file the call returns to.
fn in_file(objects: &[Mapped], returns_to: u64) -> Option<(&Mapped, u64)> {
    // In the call: what follows it may be another mapping's.
    let within = |object: &&Mapped| (object.start..object.end).contains(&(returns_to - 1));
    let object = objects.iter().find(within).filter(|object| !object.path.is_empty())?;
    Some((object, (returns_to - object.start).wrapping_add(object.offset)))
}

impl Opened {
    /// `None` where the file is gone or another one.
    fn open(object: &Mapped) -> Option<Self> {
        let path = Path::new(&object.path);
        if path.metadata().ok()?.ino() != object.inode {
            return None;
        }
        Self::read(path)
    }

    fn read(path: &Path) -> Option<Self> {
        let bytes = Content::of(path, LARGEST_CODE).ok()?;
        let parsed = object::File::parse(&*bytes).ok()?;
        let segments = parsed.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        });
        let segments = segments.collect();
        let processor = processor(parsed.architecture());
        Some(Self { processor, bytes, segments, debug_info: DebugInfo::open(path, None), calls: None })
    }

    fn code(&self) -> Code<'_> {
        Code { processor: self.processor, bytes: &self.bytes, segments: &self.segments }
    }

    /// Location by the body, or else the place by its call.
    fn look_up(&self, object: &str, returns_to: u64) -> Result<Resolved, Place> {
        let code = self.code();
        // What follows the call may belong to the next line, or function.
        let call = code.address(returns_to - 1).unwrap_or(returns_to - 1);
        let nothing = Place::Offset { object: object.to_owned(), address: call + 1 };
        let Some(information) = &self.debug_info else { return Err(nothing) };
        let arguments = |which| code.argument(returns_to, which);
        if let Some(resolved) =
            self.instrumented(information, object, call, arguments(Argument::First).first().copied())
        {
            return Ok(resolved);
        }
        let place = line(information, call).or_else(|| symbol(information, object, call)).unwrap_or(nothing);
        let body = |which, mark: &str| {
            let named = |body: u64| {
                Some((body, information.symbol(body).map(|(_, name)| name).filter(|name| name.contains(mark))?))
            };
            arguments(which).into_iter().find_map(named)
        };
        if let Some((body, name)) = body(Argument::First, BODY_BY_GCC) {
            let place = match (place, outermost(information, body)) {
                (Place::Line { .. }, Some((_, file, line))) => Place::Line { function: author(name), file, line },
                (other, _) => other.within(author(name)),
            };
            return Ok(Resolved { place, address: body, has_body: true });
        }
        match body(Argument::Third, BODY_BY_CLANG) {
            Some((body, name)) => Ok(Resolved { place: place.within(author(name)), address: body, has_body: true }),
            None => Err(place),
        }
    }

    /// By what OPARI's calls say of the construct: those in its body, or those around the call. Debug information has other
    /// lines for calls that OPARI has written.
    fn instrumented(
        &self,
        information: &DebugInfo,
        object: &str,
        call: u64,
        argument: Option<u64>,
    ) -> Option<Resolved> {
        let calls = self.calls.as_ref()?;
        let body = argument.and_then(|body| Some((body, calls.body(body)?)));
        let construct = body.map(|(_, construct)| construct).or_else(|| calls.made_for(call + 1))?;
        let address = body.map(|(body, _)| body).or_else(|| calls.first_announced(construct)).unwrap_or(call + 1);
        let function = || match line(information, call) {
            Some(Place::Line { function, .. }) => Some(function),
            _ => information.symbol(call).map(|(_, name)| author(name)),
        };
        let function = function().unwrap_or_else(|| format!("{object}+{address:#x}"));
        let place = Place::Line { function, file: construct.file.clone(), line: construct.line };
        Some(Resolved { place, address, has_body: body.is_some() })
    }
}

/// The place of the call that returns to an offset in a file.
pub(crate) fn place_of_call(path: &str, returns_to: u64) -> Place {
    let name = short(path);
    match Opened::read(Path::new(path)) {
        Some(opened) => opened.look_up(&name, returns_to).map_or_else(|place| place, |resolved| resolved.place),
        None => Place::Offset { object: name, address: returns_to },
    }
}

/// The function that an address is in, not one that was inlined there: its name, and the line in it.
fn outermost(information: &DebugInfo, address: u64) -> Option<(String, String, u32)> {
    let mut frames = information.frames(address)?;
    let mut found = None;
    while let Ok(Some(frame)) = frames.next() {
        found = described(&frame);
    }
    found
}

fn described<R: addr2line::gimli::Reader>(frame: &addr2line::Frame<'_, R>) -> Option<(String, String, u32)> {
    let location = frame.location.as_ref()?;
    let name = frame.function.as_ref().and_then(|function| Some(author(&function.raw_name().ok()?)));
    Some((name.unwrap_or_else(|| "?".to_owned()), location.file?.to_owned(), location.line?))
}

fn line(information: &DebugInfo, address: u64) -> Option<Place> {
    // The innermost function, also where it was inlined.
    let (function, file, line) = described(&information.frames(address)?.next().ok()??)?;
    Some(Place::Line { function, file, line })
}

fn symbol(information: &DebugInfo, object: &str, address: u64) -> Option<Place> {
    let (start, name) = information.symbol(address)?;
    Some(Place::Symbol { function: author(name), offset: address + 1 - start, object: object.to_owned() })
}

/// Part of the function names that gcc makes for the bodies of constructs.
const BODY_BY_GCC: &str = "._omp_fn.";
const BODY_BY_CLANG: &str = ".omp_outlined";

fn short(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

impl Place {
    /// Short text for the location.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Line { function, file, line } => format!("{} at {}:{line}", function.shown(), short(file).shown()),
            Self::Symbol { function, offset: 0, object } => format!("{} in {}", function.shown(), object.shown()),
            Self::Symbol { function, offset, object } => {
                format!("{}+{offset:#x} in {}", function.shown(), object.shown())
            }
            Self::Offset { object, address } => format!("{}+{address:#x}", object.shown()),
            Self::Address(address) => format!("code without a file, at {address:#x}"),
            Self::Chunk => "chunks of taskloops, run outside of them".to_owned(),
            Self::Unknown => "place unknown".to_owned(),
            Self::Many => "more places".to_owned(),
        }
    }

    /// The name without the argument list of its function.
    pub(crate) fn brief_name(&self) -> String {
        self.function().map_or_else(|| self.name(), |function| self.with_function(brief(function)).name())
    }

    /// File and line, where there is debug information.
    pub(crate) fn line(&self) -> Option<(&str, u32)> {
        match self {
            Self::Line { file, line, .. } => Some((file, *line)),
            _ => None,
        }
    }

    /// The place as findings have it. `None`: unknown.
    pub(crate) fn advice(&self) -> Option<advice::Place> {
        let (file, line) = self.line().map(|(file, line)| (file.to_owned(), line)).unzip();
        let function = self.function().map(str::to_owned);
        (*self != Self::Unknown).then(|| advice::Place { name: self.brief_name(), function, file, line })
    }

    /// The function, where it is known.
    pub(crate) fn function(&self) -> Option<&str> {
        match self {
            Self::Line { function, .. } | Self::Symbol { function, .. } => Some(function),
            _ => None,
        }
    }

    /// The same place, whose function was inlined there. An offset then says nothing.
    fn within(self, author: String) -> Self {
        match self {
            // clang's older names have no author.
            place if author.starts_with('.') || place.function() == Some(&author) => place,
            Self::Line { file, line, .. } => Self::Line { function: author, file, line },
            Self::Symbol { object, .. } => Self::Symbol { function: author, offset: 0, object },
            other => other,
        }
    }

    /// The same place, with another name of the function.
    pub(crate) fn with_function(&self, name: &str) -> Self {
        let mut named = self.clone();
        if let Self::Line { function, .. } | Self::Symbol { function, .. } = &mut named {
            name.clone_into(function);
        }
        named
    }

    /// Kind of the location as a word for JSON.
    pub(crate) fn kind(&self) -> &'static str {
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
mod tests;
