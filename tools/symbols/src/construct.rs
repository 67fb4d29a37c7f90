//! Outlined functions of a file, with their constructs.

use std::collections::{HashMap, HashSet};

use object::Object;

use crate::debug_info::DebugInfo;
use crate::dwarf::{Origin, origins};
use crate::image::Image;
use crate::launch::{Launch, Launchers, launches, passes_on};
use crate::linkage_name::{is_mangled, plain};
use crate::name::{Construct, ConstructKind};
use crate::outlined::{Outlined, Part};
use crate::symbol_table::Symbols;

/// An outlined function: the body of a construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    /// Name of the function that contains the construct; empty if not known.
    pub(super) author: String,
    pub(super) construct: Construct,
    /// True if it only calls another function, which has the author's code.
    pub(super) passes_on: bool,
    /// Address of the instruction, in the author's function, that takes the body's address.
    pub(super) launched: Option<u64>,
}

/// Outlined functions, by the address of their first instruction.
pub(super) type Bodies = HashMap<u64, Body>;

/// Limit of nesting: bodies inside bodies.
pub(super) const DEPTH: usize = 16;
/// Maximum number of bytes of the authors' names and the files of one program: any number of bodies can have the same
/// long ones.
const MAX_TEXT: usize = 256 << 20;

struct Sources<'a> {
    symbols: &'a Symbols,
    outlined: HashMap<u64, Outlined<'a>>,
    origins: HashMap<u64, Origin>,
    launches: HashMap<u64, Launch>,
    /// Entry functions, by the body that each calls.
    entries: HashMap<u64, u64>,
    /// The entry functions.
    callers: HashSet<u64>,
    /// Functions by their separate parts (`work._omp_fn.0.cold`).
    wholes: HashMap<u64, u64>,
}

/// Finds the outlined functions. `own`: the file with the code.
pub(super) fn bodies<'own>(symbols: &Symbols, own: Option<&impl Object<'own>>, debug: Option<&DebugInfo>) -> Bodies {
    let outlined = symbols.iter().filter_map(|symbol| Some((symbol.address, Outlined::of(&symbol.name)?)));
    let outlined: HashMap<u64, Outlined> = outlined.collect();
    if outlined.is_empty() {
        return Bodies::new();
    }
    let mut begins: Vec<u64> = outlined.keys().copied().collect();
    begins.sort_unstable();
    let origins = debug.map(|debug| origins(&debug.sections(), &begins)).unwrap_or_default();
    let image = own.map(Image::of).unwrap_or_default();
    let launchers = own.map(|own| Launchers::of(own, symbols)).unwrap_or_default();
    let end = |at| symbols.containing(at).map(|symbol| symbol.end);
    let launches = launches(&image, &launchers, |address| outlined.contains_key(&address), end);
    let part = |address: &u64| outlined.get(address).map(|outlined| outlined.part);
    let ranges = symbols.iter().filter(|symbol| part(&symbol.address) == Some(Part::Entry));
    let entries = ranges.filter_map(|entry| {
        let body = passes_on(&image, entry.address, entry.end, |target| part(&target) == Some(Part::Body))?;
        Some((body, entry.address))
    });
    let entries: HashMap<u64, u64> = entries.collect();
    let callers = entries.values().copied().collect();
    let wholes = wholes(symbols, &outlined);
    let sources = Sources { symbols, outlined, origins, launches, entries, callers, wholes };
    let mut left = MAX_TEXT;
    let is_within = |(_, body): &(u64, Body)| {
        let bytes = body.author.len() + body.construct.file.as_ref().map_or(0, String::len);
        let after = left.checked_sub(bytes);
        left = after.unwrap_or(0);
        after.is_some()
    };
    begins.iter().filter_map(|begin| Some((*begin, sources.body(*begin)?))).take_while(is_within).collect()
}

fn wholes(symbols: &Symbols, outlined: &HashMap<u64, Outlined>) -> HashMap<u64, u64> {
    let bodies = || symbols.iter().filter(|symbol| outlined.contains_key(&symbol.address));
    // A name that several files of the program have does not identify a function.
    let mut by_name: HashMap<&str, Option<u64>> = HashMap::new();
    for symbol in bodies() {
        by_name.entry(&symbol.name).and_modify(|several| *several = None).or_insert(Some(symbol.address));
    }
    let whole = |name: &str| by_name.get(name.split_once(".cold")?.0).copied().flatten();
    bodies().filter_map(|part| Some((part.address, whole(&part.name)?))).collect()
}

impl Sources<'_> {
    fn body(&self, begin: u64) -> Option<Body> {
        let begin = self.wholes.get(&begin).copied().unwrap_or(begin);
        let outlined = self.outlined.get(&begin)?;
        // The line of the author's code may be that of its first brace.
        let entry = self.entries.get(&begin).copied().unwrap_or(begin);
        let launch = self.launches.get(&entry).filter(|_| outlined.part != Part::Detail);
        let kind = launch.and_then(|launch| launch.kind).unwrap_or(outlined.kind);
        let launched = launch.map(|launch| launch.at);
        let place = self.origins.get(&entry).and_then(|origin| origin.place.clone());
        let (file, line) = place.map_or((None, 0), |(file, line)| (Some(file), line));
        let passes_on = self.callers.contains(&begin);
        let construct = Construct { kind, line, file, call: None };
        Some(Body { author: self.author(begin, DEPTH).unwrap_or_default(), construct, passes_on, launched })
    }

    fn author(&self, begin: u64, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let outlined = self.outlined.get(&begin)?;
        if is_mangled(outlined.author) {
            return Some(plain(outlined.author, false));
        }
        if let Some(origin) = self.origins.get(&begin)
            && let Some(author) = &origin.author
        {
            return Some(plain(author, origin.fortran));
        }
        if !outlined.author.is_empty() {
            let fortran = self.origins.get(&begin).is_some_and(|origin| origin.fortran);
            return Some(plain(without_number(outlined.author), fortran));
        }
        let entry = self.entries.get(&begin).unwrap_or(&begin);
        let taker = self.symbols.containing(self.launches.get(entry)?.at)?;
        match Outlined::of(&taker.name) {
            Some(_) => self.author(taker.address, depth),
            None => Some(plain(&taker.name, false)),
        }
    }
}

/// A name without the number of a nested function: `step` for `step.0`.
pub(super) fn without_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit()) => name,
        _ => name,
    }
}

impl Body {
    /// A body that was inlined, so that only its name is known.
    pub(super) fn named(outlined: Outlined, fortran: bool) -> Self {
        let author = plain(without_number(outlined.author), fortran);
        let construct = Construct { kind: outlined.kind, line: 0, file: None, call: None };
        Self { author, construct, passes_on: false, launched: None }
    }

    /// True if the construct is a task.
    pub(super) fn is_task(&self) -> bool {
        self.construct.kind == ConstructKind::Task
    }
}
