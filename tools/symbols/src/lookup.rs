//! Look-up of the functions at an address of a file.

use std::rc::Rc;

use crate::construct::{Body, DEPTH};
use crate::dwarf::is_fortran;
use crate::file::CodeFile;
use crate::linkage_name::{is_mangled, plain};
use crate::name::{Construct, ConstructKind, Name};
use crate::outlined::{Outlined, Part};

/// A function from debug information or a symbol.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Linkage name, if there is one.
    pub(super) raw: Option<String>,
    fortran: bool,
    pub(super) file: Option<String>,
    /// The line; 0 if unknown.
    pub(super) line: u32,
}

impl CodeFile {
    /// The functions at an address, the innermost inlined one first.
    pub(super) fn names(&self, address: u64, returns: bool) -> Rc<[Name]> {
        if let Some(names) = self.known.borrow().get(&(address, returns)) {
            return names.clone();
        }
        let found = self.time.spend(|| {
            let mut names = self.look_up(address, returns);
            self.place(&mut names, address, returns);
            if let Some(innermost) = names.first_mut().filter(|_| returns) {
                innermost.ends = self.ends().get(&address).cloned();
            }
            names
        });
        let names = found.unwrap_or_else(|| vec![self.without_time(address.wrapping_sub(u64::from(returns)))]);
        let names: Rc<[Name]> = names.into();
        self.known.borrow_mut().insert((address, returns), names.clone());
        names
    }

    /// Corrects lines of instrumented code: the instrumentation has more precise lines of constructs than debug
    /// information.
    fn place(&self, names: &mut [Name], address: u64, returns: bool) {
        let Some(calls) = &self.calls else { return };
        if let Some(name) = names.first_mut().filter(|_| returns)
            && let Some(place) = calls.made_for(address)
        {
            if name.line == 0 {
                name.place = Some(place.clone());
            } else {
                (name.file, name.line) = (Some(place.file.clone()), place.line);
            }
        }
        let bodies = names.iter_mut().filter_map(|name| name.construct.as_mut());
        for construct in bodies.filter(|construct| construct.line == 0) {
            if let Some(place) = calls.body(address.wrapping_sub(u64::from(returns))) {
                (construct.file, construct.line) = (Some(place.file.clone()), place.line);
            }
        }
    }

    fn look_up(&self, address: u64, returns: bool) -> Vec<Name> {
        // An address within the call: the code after it may belong to the next line, or function.
        let at = address.wrapping_sub(u64::from(returns));
        let symbol = self.symbols().containing(at);
        let body = symbol
            .filter(|symbol| Outlined::of(&symbol.name).is_some())
            .and_then(|symbol| self.bodies().get(&symbol.address));
        if returns && body.is_some_and(|body| body.passes_on) {
            return Vec::new();
        }
        let mut frames = self.frames(at);
        if symbol.is_none()
            && frames.is_empty()
            && let Some(name) = self.without_symbol(at)
        {
            return vec![name];
        }
        let mut outermost = frames.pop().unwrap_or_default();
        // Short debug information omits the enclosing scope of a function; its symbol has it.
        let short = outermost.raw.as_deref().is_none_or(|raw| !is_mangled(raw));
        if let Some(symbol) = symbol.filter(|symbol| outermost.raw.is_none() || (short && is_mangled(&symbol.name))) {
            outermost.raw = Some(symbol.name.clone());
        }
        frames.push(outermost);
        let last = frames.len().saturating_sub(1);
        let mut names: Vec<Name> = Vec::new();
        // The outlined function that the last name was made from.
        let mut inside: Option<Outlined> = None;
        for (index, frame) in frames.iter().enumerate() {
            let outlined = frame.raw.as_deref().and_then(Outlined::of);
            let Some(this) = outlined else {
                names.push(self.ordinary(frame, at));
                inside = None;
                continue;
            };
            let own = body.filter(|_| index == last).map(|body| self.with_line(body));
            let body = own.unwrap_or_else(|| Body::named(this, frame.fortran));
            let is_one =
                inside.is_some_and(|inside| inside.part == Part::Body || (body.is_task() && is_without_author(inside)));
            if let Some(name) = names.last_mut().filter(|_| is_one) {
                if !body.author.is_empty() {
                    name.function = body.author;
                }
                name.construct = Some(body.construct);
            } else {
                let function = if body.author.is_empty() { self.ordinary(frame, at).function } else { body.author };
                names.push(Name { function, construct: Some(body.construct), ..self.placed(frame) });
            }
            inside = outlined;
        }
        names
    }

    /// Adds the line of the call to a body generated by flang, which starts without a line.
    fn with_line(&self, body: &Body) -> Body {
        let mut body = body.clone();
        if let (0, Some(at)) = (body.construct.line, body.launched)
            && let Some(frame) = self.frames(at).pop()
        {
            (body.construct.file, body.construct.line) = (frame.file, frame.line);
        }
        body
    }

    /// Name of an entry of the procedure linkage table, or of a body in a file without symbols. Its author may have a name: libraries name their exports.
    fn without_symbol(&self, at: u64) -> Option<Name> {
        if let Some(function) = self.linkage_table().name(at) {
            return Some(Name { function: function.to_owned(), ..self.placed(&Frame::default()) });
        }
        let body = *self.unnamed_bodies().get(&self.functions().begin(at)?)?;
        let call = Some(format!("{}+{:#x}", self.short, body.returns));
        let construct = Construct { kind: body.kind, line: 0, file: None, call };
        let mut author = body;
        for _ in 0..DEPTH {
            // For a body inside another one, the outer one's author.
            let outer = self.functions().begin(author.returns - 1).and_then(|begin| self.unnamed_bodies().get(&begin));
            let Some(outer) = outer else { break };
            author = *outer;
        }
        let function = match self.symbols().containing(author.returns - 1) {
            Some(symbol) => plain(&symbol.name, false),
            None => self.ordinary(&Frame::default(), author.returns - 1).function,
        };
        Some(Name { function, construct: Some(construct), ..self.placed(&Frame::default()) })
    }

    /// Name of an address if no time is left to look its function up.
    fn without_time(&self, at: u64) -> Name {
        let function = if self.short.is_empty() { format!("{at:#x}") } else { format!("{}+{at:#x}", self.short) };
        Name { function, ..self.placed(&Frame::default()) }
    }

    fn placed(&self, frame: &Frame) -> Name {
        Name { file: frame.file.clone(), line: frame.line, object: self.short.clone(), ..Name::default() }
    }

    fn ordinary(&self, frame: &Frame, at: u64) -> Name {
        let function = match &frame.raw {
            Some(raw) => self.plain(raw, frame.fortran),
            None if self.short.is_empty() => format!("{at:#x}"),
            None => match self.functions().begin(at) {
                Some(begin) if self.entry == Some(begin) => "_start".to_owned(),
                begin => format!("{}+{:#x}", self.short, begin.unwrap_or(at)),
            },
        };
        Name { function, ..self.placed(frame) }
    }

    /// Demangles a name, with a cache: many addresses are in the same function.
    fn plain(&self, raw: &str, fortran: bool) -> String {
        if fortran {
            return plain(raw, fortran);
        }
        let mut known = self.plain.borrow_mut();
        if let Some(known) = known.get(raw) {
            return known.clone();
        }
        let made = plain(raw, fortran);
        known.insert(raw.to_owned(), made.clone());
        made
    }

    /// The functions at an address by debug information.
    pub(super) fn frames(&self, at: u64) -> Vec<Frame> {
        let mut found = Vec::new();
        let Some(mut frames) = self.debug_info.as_ref().and_then(|information| information.frames(at)) else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let raw = frame.function.as_ref().and_then(|function| Some(function.raw_name().ok()?.into_owned()));
            let fortran = frame.function.and_then(|function| function.language).is_some_and(is_fortran);
            let (file, line) = frame.location.map_or((None, None), |location| (location.file, location.line));
            found.push(Frame { raw, fortran, file: file.map(str::to_owned), line: line.unwrap_or(0) });
        }
        found
    }
}

/// True for the body of a clang task that is inlined into the task's entry: it has a name of its own, without an
/// author.
fn is_without_author(inside: Outlined) -> bool {
    inside.author.is_empty() && inside.part == Part::Entry && inside.kind == ConstructKind::Parallel
}
