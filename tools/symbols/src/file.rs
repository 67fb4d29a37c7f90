//! Code files: each is opened once for all processes.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use object::{Object, ObjectKind, ObjectSegment};
use system::arch::instructions::Processor;
use untrusted::content::Content;
use untrusted::regular::LARGEST_CODE;

use crate::argument::Code;
use crate::callee::Imports;
use crate::construct::{Bodies, bodies};
use crate::debug_file::{Parsed, Places, with_object};
use crate::debug_info::DebugInfo;
use crate::image::processor;
use crate::instrumented::{Calls, Instrumented};
use crate::linkage_table::LinkageTable;
use crate::name::{ConstructEnd, Name};
use crate::place::{Place, short};
use crate::symbol_table::Symbols;
use crate::tail_call::TailCalls;
use crate::time::TimeLeft;
use crate::unnamed_body::{UnnamedBody, unnamed_bodies};
use crate::unwind::Functions;
use crate::vdso;

/// Files by path and build id.
type Opened = HashMap<(PathBuf, Vec<u8>), Rc<CodeFile>>;
/// Names by the address in the file, with a flag that is true for a return address.
type Known = HashMap<(u64, bool), Rc<[Name]>>;

thread_local! {
    /// Time for the look-ups in the runs of the command, which are on one thread.
    static TIME_OF_RUNS: Rc<TimeLeft> = Rc::default();
}

/// The files that processes have mapped. Clones share the opened files.
#[derive(Clone, Debug, Default)]
pub struct Files {
    places: Places,
    instrumented: Rc<Instrumented>,
    opened: Rc<RefCell<Opened>>,
    time: Rc<TimeLeft>,
}

impl Files {
    /// Adds folders of separate debug files: one like `/usr/lib/debug`, and the cache of a debuginfod client.
    pub fn with_debug_files_in(root: &Path, fetched: Option<&Path>) -> Self {
        let places = Places { root: root.to_owned(), fetched: fetched.map(Path::to_owned) };
        Self { places, ..Self::default() }
    }

    /// Adds the constructs of instrumented code.
    pub fn with_instrumented(self, instrumented: Instrumented) -> Self {
        Self { instrumented: Rc::new(instrumented), ..self }
    }

    /// The files of one run, with the constructs of instrumented code. All runs of the command together have the time
    /// of a single one.
    pub fn of_run(instrumented: &Rc<Instrumented>) -> Self {
        Self { instrumented: Rc::clone(instrumented), time: TIME_OF_RUNS.with(Rc::clone), ..Self::default() }
    }

    /// These files, with this much processor time for all look-ups.
    #[must_use]
    pub fn with_time(self, left: std::time::Duration) -> Self {
        Self { time: Rc::new(TimeLeft::of(left)), ..self }
    }

    pub(super) fn open(&self, path: &Path, build_id: &[u8]) -> Rc<CodeFile> {
        let key = (path.to_owned(), build_id.to_owned());
        let mut opened = self.opened.borrow_mut();
        opened.entry(key).or_insert_with(|| Rc::new(self.read(path, build_id))).clone()
    }

    /// The place of the call that returns to an offset in a file.
    pub fn place_of_call(&self, path: &str, returns_to: u64) -> Place {
        let file = self.open(Path::new(path), &[]);
        let found = self.time.spend(|| file.call(returns_to).map_or_else(|place| place, |resolved| resolved.place));
        found.unwrap_or_else(|| Place::Offset { object: short(path).to_owned(), address: returns_to })
    }

    /// Reads a file without keeping it for later look-ups.
    pub(super) fn read(&self, path: &Path, build_id: &[u8]) -> CodeFile {
        let without_time = || CodeFile {
            symbols: OnceCell::from(Symbols::default()),
            ..CodeFile::new(short(&path.to_string_lossy()).to_owned(), None, None)
        };
        let file = self.time.spend(|| CodeFile::open(&self.places, path, build_id)).unwrap_or_else(without_time);
        // For another build the addresses are meaningless.
        let calls = self.instrumented.of(&path.to_string_lossy()).filter(|_| file.own.is_some()).cloned();
        CodeFile { calls, time: Rc::clone(&self.time), ..file }
    }
}

/// A code file. A file that is missing, or was replaced by another build, does not provide names.
pub(super) struct CodeFile {
    /// File name without folders.
    pub(super) short: String,
    own: Option<PathBuf>,
    debug: Option<PathBuf>,
    /// Function symbols, of the debug file or its own.
    symbols: OnceCell<Symbols>,
    /// Address of the program's entry.
    pub(super) entry: Option<u64>,
    pub(super) debug_info: Option<DebugInfo>,
    /// OPARI's calls in the file.
    pub(super) calls: Option<Calls>,
    code: OnceCell<Option<Segments>>,
    functions: OnceCell<Functions>,
    bodies: OnceCell<Bodies>,
    /// See `CodeFile::ends`.
    pub(super) ends: OnceCell<HashMap<u64, ConstructEnd>>,
    unnamed_bodies: OnceCell<HashMap<u64, UnnamedBody>>,
    linkage_table: OnceCell<LinkageTable>,
    imports: OnceCell<Imports>,
    pub(super) tail_calls: RefCell<TailCalls>,
    pub(super) known: RefCell<Known>,
    /// Demangled names of functions, by linkage name, except for Fortran.
    pub(super) plain: RefCell<HashMap<String, String>>,
    /// Time for look-ups in this and all other files.
    pub(super) time: Rc<TimeLeft>,
}

/// The content of a file, and its loaded segments.
struct Segments {
    processor: Option<Processor>,
    bytes: Content,
    /// The range in the file, and the address.
    ranges: Vec<(u64, u64, u64)>,
    is_fixed: bool,
}

impl Segments {
    fn of(path: &Path) -> Option<Self> {
        let bytes = Content::of(path, LARGEST_CODE).ok()?;
        let parsed = object::File::parse(&*bytes).ok()?;
        let range = |segment: object::Segment<'_, '_>| {
            let (offset, size) = segment.file_range();
            (offset, size, segment.address())
        };
        let (ranges, processor) = (parsed.segments().map(range).collect(), processor(parsed.architecture()));
        let is_fixed = parsed.kind() == ObjectKind::Executable;
        Some(Self { processor, bytes, ranges, is_fixed })
    }
}

impl fmt::Debug for CodeFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CodeFile").field("own", &self.own).field("debug", &self.debug).finish_non_exhaustive()
    }
}

impl CodeFile {
    fn open(places: &Places, path: &Path, build_id: &[u8]) -> Self {
        let bytes = path.as_os_str().as_bytes();
        let path = Path::new(OsStr::from_bytes(bytes.strip_suffix(b" (deleted)").unwrap_or(bytes)));
        let short = short(&path.to_string_lossy()).to_owned();
        if path == Path::new(vdso::PATH) {
            return Self::of_the_kernel(short, build_id);
        }
        let is_the_one = |object: &Parsed| is_build(object, build_id);
        let own = with_object(path, is_the_one).unwrap_or(false).then(|| path.to_owned());
        let debug = match &own {
            Some(own) => with_object(own, |object| {
                let build_id = object.build_id().ok().flatten().unwrap_or(build_id);
                places.find(own, build_id, object.gnu_debuglink().ok().flatten())
            })
            .flatten(),
            None => places.find(path, build_id, None),
        };
        let informed = debug.as_ref().or(own.as_ref());
        let debug_info = informed.and_then(|path| DebugInfo::open(path, places.shared(path).as_deref()));
        let entry = own.as_deref().and_then(|own| with_object(own, |object| object.entry())).filter(|entry| *entry > 0);
        Self { debug_info, entry, ..Self::new(short, own, debug) }
    }

    fn of_the_kernel(short: String, build_id: &[u8]) -> Self {
        let read = || {
            let bytes = vdso::bytes()?;
            let object = object::File::parse(bytes.as_slice()).ok().filter(|object| is_build(object, build_id))?;
            Some((Symbols::of(&object), Functions::of(&object)))
        };
        let (symbols, functions) = read().unwrap_or_default();
        let (symbols, functions) = (OnceCell::from(symbols), OnceCell::from(functions));
        Self { symbols, functions, ..Self::new(short, None, None) }
    }

    fn new(short: String, own: Option<PathBuf>, debug: Option<PathBuf>) -> Self {
        let (symbols, code, functions, bodies, ends, unnamed_bodies, known, plain, time) = Default::default();
        let (linkage_table, imports, tail_calls) = Default::default();
        Self {
            short,
            own,
            debug,
            symbols,
            entry: None,
            debug_info: None,
            calls: None,
            code,
            functions,
            bodies,
            ends,
            unnamed_bodies,
            linkage_table,
            imports,
            tail_calls,
            known,
            plain,
            time,
        }
    }

    /// The file itself. `None` if it is gone, or another build.
    pub(super) fn path(&self) -> Option<&Path> {
        self.own.as_deref()
    }

    /// Function symbols.
    pub(super) fn symbols(&self) -> &Symbols {
        let read = |path: &Option<PathBuf>| with_object(path.as_deref()?, |object| Symbols::of(object));
        self.symbols.get_or_init(|| {
            let found = read(&self.debug).filter(|symbols| !symbols.is_empty()).or_else(|| read(&self.own));
            found.unwrap_or_default()
        })
    }

    /// The loaded segments. `None` if the file is gone.
    pub(super) fn code(&self) -> Option<Code<'_>> {
        let segments = self.code.get_or_init(|| Segments::of(self.own.as_deref()?)).as_ref()?;
        let Segments { processor, bytes, ranges, is_fixed } = segments;
        Some(Code { processor: *processor, bytes, segments: ranges, is_fixed: *is_fixed })
    }

    /// Ranges of functions, from the unwinding table.
    pub(super) fn functions(&self) -> &Functions {
        let read = || with_object(self.own.as_deref()?, |object| Functions::of(object));
        self.functions.get_or_init(|| read().unwrap_or_default())
    }

    /// Outlined functions that do not have a symbol.
    pub(super) fn unnamed_bodies(&self) -> &HashMap<u64, UnnamedBody> {
        let read = || with_object(self.own.as_deref()?, |object| unnamed_bodies(object, self.functions()));
        self.unnamed_bodies.get_or_init(|| read().unwrap_or_default())
    }

    /// Entries of procedure linkage tables.
    pub(super) fn linkage_table(&self) -> &LinkageTable {
        let read = || with_object(self.own.as_deref()?, |object| LinkageTable::of(object));
        self.linkage_table.get_or_init(|| read().unwrap_or_default())
    }

    /// Functions that are called through the GOT.
    pub(super) fn imports(&self) -> &Imports {
        let read = || with_object(self.own.as_deref()?, |object| Imports::of(object));
        self.imports.get_or_init(|| read().unwrap_or_default())
    }

    /// Outlined functions.
    pub(super) fn bodies(&self) -> &Bodies {
        self.bodies.get_or_init(|| {
            let with = |own: Option<&Parsed>| bodies(self.symbols(), own, self.debug_info.as_ref());
            let own = self.own.as_deref();
            own.and_then(|own| with_object(own, |own| with(Some(own)))).unwrap_or_else(|| with(None))
        })
    }
}

/// True if this is the build that the process had. Assumed if either lacks an id.
fn is_build<'data>(object: &impl Object<'data>, build_id: &[u8]) -> bool {
    let own = object.build_id().ok().flatten();
    build_id.is_empty() || own.is_none_or(|own| own == build_id)
}
