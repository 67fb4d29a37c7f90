//! Look-up of the construct that a call implements, in a file of code.

use system::arch::instructions::Call;

use crate::argument::{Argument, Code};
use crate::author::author;
use crate::callee::Callee;
use crate::file::CodeFile;
use crate::lookup::Frame;
use crate::passed_body::PassedBody;
use crate::place::Place;
use crate::tail_call::Search;

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
        let place = |at: u64| {
            let nothing = || Place::Offset { object: self.short.clone(), address: call + 1 };
            self.line(at).or_else(|| self.symbol(at)).unwrap_or_else(nothing)
        };
        let Some(body) = self.passed(&code, call) else { return Err(place(call)) };
        let name = self.symbols().containing(body.address).map(|symbol| author(&symbol.name)).unwrap_or_default();
        let own =
            Some(body).filter(|body| body.has_lines).and_then(|body| described(self.frames(body.address).last()?));
        let place = match (place(body.passed_at), own) {
            (Place::Line { .. }, Some((_, file, line))) => Place::Line { function: name, file, line },
            (other, _) => other.within(name, body.address),
        };
        Ok(Resolved { place, address: body.address, has_body: true })
    }

    /// The body that a call passes on to a runtime, or that the function which it calls passes on by a jump.
    /// `call`: address of the call's last byte, or the start of a function that jumps and does not return to the program.
    fn passed(&self, code: &Code<'_>, call: u64) -> Option<PassedBody> {
        let (symbols, imports) = (self.symbols(), self.imports());
        let jumps_of = |function| {
            let search = Search { code, symbols, imports };
            self.tail_calls.borrow_mut().body(&search, function)
        };
        // The library reports such a jump with the address after the function's first byte. No call is so short.
        if symbols.containing(call).is_some_and(|symbol| symbol.address == call) {
            return jumps_of(call);
        }
        let callee = |call: Call| imports.callee(symbols, code, call.target);
        match code.call_before(call + 1).and_then(callee) {
            // Another function may get the address of something else, from a register that has also had a body's.
            Some(Callee::Other) => None,
            Some(Callee::Own(function)) => jumps_of(function),
            Some(Callee::Launcher) | None => {
                let at = code.call_at(call + 1)?;
                Some(PassedBody { passed_at: call, ..PassedBody::of(code, symbols, at, self.begin(call)?)? })
            }
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
        let argument = || code.argument(code.call_at(call + 1)?, self.begin(call)?, Argument::First);
        let body = argument().and_then(|body| Some((body.address, calls.body(body.address)?)));
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
