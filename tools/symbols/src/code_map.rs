//! Functions of code that is generated while the program runs, from a perf map. It has a line for each function, `START
//! SIZE NAME`, with hexadecimal numbers (Linux, tools/perf/Documentation/jit-interface.txt). CPython writes one with
//! `-X perf` (3.12 and later), and calls its functions `py::NAME:FILE`.

use std::path::Path;
use std::sync::Arc;

use crate::name::Name;
use untrusted::regular;

/// Name of the map's file in a process's folder.
pub const FILE: &str = "perf.map";

/// Maximum size of a map that is read, in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// True if an object with this path has code that was made while the program ran: no file can be read for it.
pub fn is_made(path: &str) -> bool {
    path.is_empty() || path.starts_with("/memfd:") || path.starts_with("/dev/zero")
}

/// The functions of a process that are in a perf map.
#[derive(Clone, Debug, Default)]
pub struct CodeMap {
    /// The functions, by address; none overlaps the next.
    list: Arc<[Made]>,
}

/// A generated function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    start: u64,
    end: u64,
    name: String,
}

impl CodeMap {
    /// Reads the map in a process's folder; empty if there is none.
    pub fn of(folder: &Path) -> Self {
        let file = folder.join(FILE);
        Self::read(&regular::read(&file, MAX_SIZE).unwrap_or_default())
    }

    /// Parses a map. Malformed lines are skipped. If functions overlap, the later line is valid: its code has
    /// replaced the earlier one's.
    fn read(text: &[u8]) -> Self {
        let lines = text.split(|byte| *byte == b'\n').rev();
        let mut list: Vec<Made> = lines.filter_map(|line| line_of(&String::from_utf8_lossy(line))).collect();
        // Stable: among functions with the same start, the last line stays first.
        list.sort_by_key(|made| made.start);
        list.dedup_by_key(|made| made.start);
        let starts: Vec<u64> = list.iter().skip(1).map(|made| made.start).collect();
        for (made, next) in list.iter_mut().zip(starts) {
            made.end = made.end.min(next);
        }
        Self { list: list.into() }
    }

    fn made(&self, address: u64) -> Option<&Made> {
        let behind = self.list.partition_point(|made| made.start <= address);
        self.list.get(behind.checked_sub(1)?).filter(|made| address < made.end)
    }

    /// True if the address is in a Python function.
    pub fn is_python(&self, address: u64) -> bool {
        self.made(address).is_some_and(|made| python(&made.name).is_some())
    }

    /// Name of the function at an address.
    pub fn name(&self, address: u64) -> Option<Name> {
        let made = self.made(address)?;
        let (function, file) = match python(&made.name) {
            Some((function, file)) => (function.to_owned(), Some(file.to_owned())),
            None => (made.name.clone(), None),
        };
        let object = file.as_deref().map_or("[perf map]", base).to_owned();
        Some(Name { function, file, object, ..Name::default() })
    }
}

fn line_of(line: &str) -> Option<Made> {
    let hexadecimal = |text: &str| u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok();
    let (start, rest) = line.split_once(' ')?;
    let (size, name) = rest.split_once(' ')?;
    let start = hexadecimal(start)?;
    let end = start.checked_add(hexadecimal(size)?)?;
    (start < end && !name.is_empty()).then(|| Made { start, end, name: name.to_owned() })
}

/// Splits `py::step:/home/u/model.py` into `step` and `/home/u/model.py`.
fn python(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("py::")?.split_once(':')
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_address() {
        let map = CodeMap::read(
            b"7f01 b py::step:/home/u/model.py\n0x8000 0x10 LazyCompile:~run app.js:3\nnothing\n9000 zz x\n9000 0 x\n",
        );
        let function = |address| map.name(address).map(|name| (name.function, name.file, name.object));
        let step = ("step".to_owned(), Some("/home/u/model.py".to_owned()), "model.py".to_owned());
        assert_eq!([0x7f00, 0x7f01, 0x7f0b, 0x7f0c].map(function), [None, Some(step.clone()), Some(step), None]);
        let run = ("LazyCompile:~run app.js:3".to_owned(), None, "[perf map]".to_owned());
        assert_eq!((function(0x800f), function(0x9000)), (Some(run), None));
        assert_eq!((map.is_python(0x7f01), map.is_python(0x8000), map.is_python(0)), (true, false, false));
    }

    #[test]
    fn later_code_takes_the_place_of_earlier() {
        let map = CodeMap::read(b"100 20 old\n110 8 inner\n100 8 new\n");
        let function = |address| map.name(address).map(|name| name.function);
        assert_eq!(
            [0x100, 0x108, 0x110, 0x118].map(function),
            [Some("new".to_owned()), None, Some("inner".to_owned()), None]
        );
    }

    #[test]
    fn any_bytes_are_read() {
        let line = b"ffffffffffffff00 ff py::a:b\n1 ffffffffffffffff c\n10 10 py::d:e\n";
        let mut state = 7_u32;
        for _ in 0..20_000 {
            let mut bytes = line.to_vec();
            for _ in 0..4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (state >> 8) as usize % bytes.len();
                bytes[at] = state.to_le_bytes()[1];
            }
            let map = CodeMap::read(&bytes);
            assert!(map.list.iter().all(|made| made.start < made.end));
            assert!(map.list.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
