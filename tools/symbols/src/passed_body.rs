//! A body that a call passes on to a runtime, found by its name.

use crate::argument::{Argument, Code};
use crate::symbol_table::Symbols;

/// Part of the function names that gcc generates for the bodies of constructs.
const BODY_BY_GCC: &str = "._omp_fn.";
const BODY_BY_CLANG: &str = ".omp_outlined";

/// A body, and what passes it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassedBody {
    pub(super) address: u64,
    /// Address of the instruction that loads the body's address.
    pub(super) loaded_at: u64,
    /// An address in the call, or in the jump in place of one.
    pub(super) passed_at: u64,
    /// True if the body's own lines are those of the construct, which those of the calls may not be.
    pub(super) has_lines: bool,
}

impl PassedBody {
    /// The body that the call or jump at an address passes on, in the function that begins at `begin`.
    pub(super) fn of(code: &Code<'_>, symbols: &Symbols, at: u64, begin: u64) -> Option<Self> {
        let body = |which, mark: &str| {
            let loaded = code.argument(at, begin, which)?;
            symbols.containing(loaded.address).filter(|symbol| symbol.name.contains(mark)).map(|_| loaded)
        };
        let body_by_gcc = body(Argument::First, BODY_BY_GCC);
        let loaded = body_by_gcc.or_else(|| body(Argument::Third, BODY_BY_CLANG))?;
        let (address, loaded_at) = (loaded.address, loaded.at);
        Some(Self { address, loaded_at, passed_at: at, has_lines: body_by_gcc.is_some() })
    }
}
