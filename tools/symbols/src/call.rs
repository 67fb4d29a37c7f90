//! Look-up of the construct that a call implements, in a file of code.

use system::arch::instructions::Call;

use crate::argument::{Argument, Code};
use crate::author::author;
use crate::callee::Callee;
use crate::file::CodeFile;
use crate::lookup::Frame;
use crate::place::Place;

/// Part of the function names that gcc generates for the bodies of constructs.
const BODY_BY_GCC: &str = "._omp_fn.";
const BODY_BY_CLANG: &str = ".omp_outlined";

/// A place, and what identifies it: calls for the same body are one place, even if the compiler has duplicated the
/// call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resolved {
    /// The place.
    pub place: Place,
    /// The address of the body or, without one, of the call.
    pub address: u64,
    /// True if the address is that of the body.
    pub has_body: bool,
}

impl CodeFile {
    /// The place of the call that returns to an offset in the file: determined by the body that it passes on, or
    /// otherwise by its own.
    pub(super) fn call(&self, returns_to: u64) -> Result<Resolved, Place> {
        let Some(code) = self.code() else {
            return Err(Place::Offset { object: self.short.clone(), address: returns_to });
        };
        // The code after the call may belong to the next line, or function.
        let call = code.address(returns_to - 1).unwrap_or(returns_to - 1);
        if let Some(resolved) = self.instrumented(&code, call) {
            return Ok(resolved);
        }
        let nothing = || Place::Offset { object: self.short.clone(), address: call + 1 };
        let place = self.line(call).or_else(|| self.symbol(call)).unwrap_or_else(nothing);
        // Another function may get the address of something else, from a register that has also had a body's.
        let callee = |call: Call| self.imports().callee(self.symbols(), &code, call.target);
        if code.call_before(call + 1).and_then(callee) == Some(Callee::Other) {
            return Err(place);
        }
        let body = |which, mark: &str| {
            let body = self.argument(&code, call, which)?;
            let name = self.symbols().containing(body)?.name.as_str();
            name.contains(mark).then_some((body, name))
        };
        if let Some((body, name)) = body(Argument::First, BODY_BY_GCC) {
            let place = match (place, self.frames(body).last().and_then(described)) {
                (Place::Line { .. }, Some((_, file, line))) => Place::Line { function: author(name), file, line },
                (other, _) => other.within(author(name), body),
            };
            return Ok(Resolved { place, address: body, has_body: true });
        }
        match body(Argument::Third, BODY_BY_CLANG) {
            Some((body, name)) => {
                Ok(Resolved { place: place.within(author(name), body), address: body, has_body: true })
            }
            None => Err(place),
        }
    }

    /// The construct that the call which returns to an address is made for.
    pub(super) fn construct(&self, returns_to: u64) -> Option<Place> {
        let in_file = self.code()?.in_file(returns_to.checked_sub(1)?)?.checked_add(1)?;
        let found = self.time.spend(|| self.call(in_file))?.ok()?;
        found.has_body.then_some(found.place)
    }

    /// The place according to OPARI's calls for the construct: those in its body, or those around the call. Debug
    /// information has other lines for calls that OPARI has written.
    fn instrumented(&self, code: &Code<'_>, call: u64) -> Option<Resolved> {
        let calls = self.calls.as_ref()?;
        let body = self.argument(code, call, Argument::First).and_then(|body| Some((body, calls.body(body)?)));
        let construct = body.map(|(_, construct)| construct).or_else(|| calls.made_for(call + 1))?;
        let address = body.map(|(body, _)| body).or_else(|| calls.first_announced(construct)).unwrap_or(call + 1);
        let function = || match self.line(call) {
            Some(Place::Line { function, .. }) => Some(function),
            _ => self.symbols().containing(call).map(|symbol| author(&symbol.name)),
        };
        let function = function().unwrap_or_else(|| format!("{}+{address:#x}", self.short));
        let place = Place::Line { function, file: construct.file.clone(), line: construct.line };
        Some(Resolved { place, address, has_body: body.is_some() })
    }

    /// The address that a call gets as this argument. `call`: address of its last byte.
    fn argument(&self, code: &Code<'_>, call: u64, which: Argument) -> Option<u64> {
        let at = (call + 1).checked_sub(code.processor?.smallest_call() as u64)?;
        code.argument(at, self.begin(at).unwrap_or(0), which)
    }

    /// Start of the function around an address.
    fn begin(&self, address: u64) -> Option<u64> {
        let symbol = self.symbols().containing(address).map(|symbol| symbol.address);
        symbol.or_else(|| self.functions().begin(address))
    }

    /// The innermost function, even if it was inlined.
    fn line(&self, address: u64) -> Option<Place> {
        let (function, file, line) = described(self.frames(address).first()?)?;
        Some(Place::Line { function, file, line })
    }

    fn symbol(&self, address: u64) -> Option<Place> {
        let symbol = self.symbols().containing(address)?;
        Some(Place::Symbol { function: author(&symbol.name), address: address + 1, object: self.short.clone() })
    }
}

/// A function's name, and the file and line in it. `None` if the line isn't known.
fn described(frame: &Frame) -> Option<(String, String, u32)> {
    let name = frame.raw.as_deref().map_or_else(|| "?".to_owned(), author);
    Some((name, frame.file.clone()?, Some(frame.line).filter(|line| *line > 0)?))
}
