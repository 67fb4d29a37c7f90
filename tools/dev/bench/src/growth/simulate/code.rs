//! Code of simulated processes: the functions of this program.

use std::{env, fs};

use anyhow::{Context, Result};
use object::{Object as _, ObjectSection, ObjectSymbol, SymbolKind};
use profile_format::Object;

/// Address at which the program starts.
const PROGRAM: u64 = 1 << 32;
/// Address of the runtime's code.
pub(super) const RUNTIME: u64 = 2 << 32;

pub(super) struct Code {
    path: String,
    build_id: Vec<u8>,
    text: (u64, u64),
    functions: Vec<u64>,
}

impl Code {
    pub(super) fn of_this_program() -> Result<Self> {
        let path = env::current_exe()?;
        let bytes = fs::read(&path)?;
        let file = object::File::parse(&*bytes)?;
        let text = file.section_by_name(".text").context("this program has no code")?;
        let text = (text.address(), text.address() + text.size());
        let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() >= 32);
        let mut functions: Vec<u64> = functions.map(|symbol| symbol.address()).collect();
        functions.retain(|address| (text.0..text.1).contains(address));
        let build_id = file.build_id()?.unwrap_or_default().to_owned();
        Ok(Self { path: path.display().to_string(), build_id, text, functions })
    }

    /// Return address in a function of the program.
    pub(super) fn call(&self, number: u64) -> u64 {
        let count = self.functions.len().max(1) as u64;
        let place = usize::try_from(number % count).unwrap_or_default();
        PROGRAM + self.functions.get(place).copied().unwrap_or_default() + 9
    }

    pub(super) fn objects(&self) -> [Object<'_>; 2] {
        let (start, end) = (PROGRAM + self.text.0, PROGRAM + self.text.1);
        let program =
            Object { start, end, bias: PROGRAM, since_ns: 0, build_id: &self.build_id, path: self.path.as_bytes() };
        let (start, path) = (RUNTIME, &b"/simulated/libgomp.so.1"[..]);
        [program, Object { start, end: start + 4096, bias: start, since_ns: 0, build_id: b"", path }]
    }
}
