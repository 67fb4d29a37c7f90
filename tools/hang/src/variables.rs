//! Names of variables at addresses, by the symbol tables of the loaded objects' files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol, SymbolKind};
use outside::regular;

/// Largest file that is read.
const MOST: u64 = 1 << 30;
/// Begin of the name of a named critical section's variable, by gcc and clang.
const CRITICAL: &str = ".gomp_critical_user_";

/// Variables of loaded objects.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// Files by the numbers of the objects.
    files: Vec<PathBuf>,
    read: HashMap<usize, Vec<Variable>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    start: u64,
    bytes: u64,
    name: String,
}

impl Variables {
    /// Variables of objects with these files.
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        Self { files, read: HashMap::new() }
    }

    /// Name of the variable at an address of an object's file; with an offset, if the address is within it.
    pub(crate) fn name(&mut self, object: usize, address: u64) -> Option<String> {
        let file = self.files.get(object)?;
        let variables = self.read.entry(object).or_insert_with(|| read(file).unwrap_or_default());
        named(variables, address)
    }
}

fn named(variables: &[Variable], address: u64) -> Option<String> {
    let behind = variables.partition_point(|variable| variable.start <= address);
    let before = variables.get(..behind)?.iter().rev().take(8);
    let variable = before.clone().find(|it| address - it.start < it.bytes.max(1))?;
    let name = variable.name.strip_prefix(CRITICAL).unwrap_or(&variable.name);
    let name = name.strip_suffix(".var").unwrap_or(name);
    match address - variable.start {
        0 => Some(name.to_owned()),
        offset => Some(format!("{name}+{offset}")),
    }
}

fn read(file: &Path) -> Option<Vec<Variable>> {
    let bytes = regular::read(file, MOST).ok()?;
    let object = object::File::parse(bytes.as_slice()).ok()?;
    let variable = |symbol: object::Symbol<'_, '_>| {
        let is_one = symbol.kind() == SymbolKind::Data && symbol.is_definition();
        let name = symbol.name().ok().filter(|name| is_one && !name.is_empty())?.to_owned();
        Some(Variable { start: symbol.address(), bytes: symbol.size(), name })
    };
    let mut variables: Vec<Variable> = object.symbols().chain(object.dynamic_symbols()).filter_map(variable).collect();
    variables.sort_by_key(|variable| variable.start);
    Some(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_place_of_a_library_is_not_opened() {
        let pipe = std::env::temp_dir().join(format!("ora-hang-pipe-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let name = Variables::new(vec![pipe.clone()]).name(0, 16);
        std::fs::remove_file(&pipe).unwrap();
        assert_eq!(name, None);
    }

    #[test]
    fn addresses_have_names_with_offsets() {
        let variable = |start, bytes, name: &str| Variable { start, bytes, name: name.to_owned() };
        let all = [variable(16, 8, "lock"), variable(32, 16, "locks"), variable(48, 8, ".gomp_critical_user_sum.var")];
        let names = [16, 24, 36, 48].map(|address| named(&all, address));
        assert_eq!(names, [Some("lock".to_owned()), None, Some("locks+4".to_owned()), Some("sum".to_owned())]);
    }
}
