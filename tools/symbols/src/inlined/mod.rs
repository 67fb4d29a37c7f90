//! Calls that gcc's code makes for constructs that it compiles into the program: loops with a static schedule, `distribute`, and
//! the implicit barriers that are calls of an explicit one's function.
//!
//! A static loop starts with two consecutive calls: of `omp_get_num_threads` and `omp_get_thread_num`. gcc gives both the same line and
//! column, and divides the iterations by the number of threads before it calls anything else. Two calls that a person wrote have two
//! columns. gfortran's own calls have names without the underscore of the user's, so they need no line.

mod barriers;
mod calls;
mod directive;
mod pairs;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

use call_sites::{Kind, Site};
use object::Object as _;

use self::calls::{Called, calls, imports_routines};
use self::directive::Directives;
use crate::debug_file::with_object;
use crate::file::{CodeFile, Files};
use crate::name::ConstructEnd;
use crate::time::is_over;

/// A source line and column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    /// Path of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if not known.
    pub column: u32,
}

/// A call that was made for a construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// The call.
    pub site: Site,
    /// Place of the construct or, if that is not known, of the call. `None` without debug information.
    pub place: Option<SourcePosition>,
}

/// The calls of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedCalls {
    /// The calls that were made for constructs, by address.
    pub known: Vec<Inlined>,
    /// Number of calls of explicit barriers, and of those that can't be distinguished from implicit ones.
    pub other_barriers: usize,
    /// Number of pairs of calls that a person wrote, or that can't be distinguished from such.
    pub other_pairs: usize,
    /// True if the file has debug information of calls of these kinds.
    pub has_lines: bool,
    /// True if all source files that its lines name could be read.
    pub has_sources: bool,
    /// True if the time was over before all calls were looked at.
    pub is_cut_short: bool,
}

impl Files {
    /// Build ID of a file; `None` if it has none.
    pub fn build_id(&self, path: &Path) -> Option<Vec<u8>> {
        with_object(path, |object| Some(object.build_id().ok()??.to_owned())).flatten()
    }

    /// Finds the calls of a file that were made for constructs; `None` if the file imports none of the routines.
    pub fn inlined_calls(&self, path: &Path) -> Option<InlinedCalls> {
        // This excludes most libraries without opening their debug information.
        if !imports_routines(path) {
            return None;
        }
        let file = self.read(path, &[]);
        file.time.spend(|| InlinedCalls::of(&file)).flatten()
    }
}

impl CodeFile {
    /// The constructs that barriers end, by the return addresses of the barriers' calls.
    pub(super) fn ends(&self) -> &HashMap<u64, ConstructEnd> {
        self.ends.get_or_init(|| InlinedCalls::of(self).map(|calls| calls.ends()).unwrap_or_default())
    }
}

impl InlinedCalls {
    /// True if nothing was missing that another search of the same file might find.
    pub fn is_final(&self) -> bool {
        self.has_lines && self.has_sources && !self.is_cut_short
    }

    /// The constructs of implicit barriers, by the return addresses.
    fn ends(&self) -> HashMap<u64, ConstructEnd> {
        let end = |call: &Inlined| {
            let construct = match call.site.kind {
                Kind::LoopEnd => "loop",
                Kind::SingleEnd => "single",
                _ => return None,
            };
            let place = call.place.as_ref()?;
            Some((call.site.address, ConstructEnd { construct, file: place.file.clone(), line: place.line }))
        };
        self.known.iter().filter_map(end).collect()
    }

    fn of(file: &CodeFile) -> Option<Self> {
        let calls = calls(file)?;
        let mut scan = Scan { file, directives: Directives::default(), begins: OnceCell::new() };
        let pairs = scan.pairs(&calls);
        let barriers = scan.barriers(&calls, &pairs.known);
        let mut known = [pairs.known, barriers.known].concat();
        known.sort_by_key(|call| call.site);
        Some(Self {
            known,
            other_barriers: barriers.others,
            other_pairs: pairs.others,
            has_lines: calls.all.iter().any(|call| scan.position(call).is_some()),
            has_sources: scan.directives.are_readable(),
            is_cut_short: is_over(),
        })
    }
}

/// Calls of one kind that were made for constructs, and the number of others.
struct Sorted {
    known: Vec<Inlined>,
    others: usize,
}

/// The search in one file.
struct Scan<'a> {
    file: &'a CodeFile,
    directives: Directives,
    /// Places of the constructs of outlined functions, by the functions' addresses.
    begins: OnceCell<HashMap<u64, SourcePosition>>,
}

impl Scan<'_> {
    /// The line of a call. The row of the instruction itself counts: the next one may belong to another line.
    fn position(&self, call: &Called) -> Option<SourcePosition> {
        let (file, line, column, _) = self.file.debug_info.as_ref()?.position(call.at)?;
        Some(SourcePosition { file, line, column })
    }

    /// True if the call has a row of its own in the line table. Otherwise its line may be that of preceding code.
    fn has_row(&self, call: &Called) -> bool {
        let position = self.file.debug_info.as_ref().and_then(|information| information.position(call.at));
        position.is_some_and(|(.., begin)| begin == call.at)
    }

    /// The first address of the function that contains the call.
    fn function(&self, call: &Called) -> Option<u64> {
        let symbol = self.file.symbols().containing(call.at).map(|symbol| symbol.address);
        symbol.or_else(|| self.file.functions().begin(call.at))
    }

    fn inlined(call: &Called, kind: Kind, place: Option<SourcePosition>) -> Inlined {
        Inlined { site: Site { address: call.returns, kind }, place }
    }
}
