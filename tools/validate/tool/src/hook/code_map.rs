//! Map of the program's executable memory, for return addresses.

use system::maps::any_own_mapping;

use crate::engine::Place;

/// A range of executable memory.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    start: u64,
    end: u64,
    offset: u64,
    path: String,
}

/// The ranges that were read so far. Part of the session, so that a forked child doesn't wait for a lock that no thread
/// releases.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    pieces: Vec<Piece>,
    /// Path of the runtime's file, which contains its entry points.
    runtime: String,
}

/// Prefixes of the names of our libraries and of runtimes.
const OURS: [&str; 4] = ["libora", "libgomp.", "libgomp-", "libomp."];

/// True for a library of ours or a runtime. A program may have such a name as well (some of gcc's own tests do).
fn is_ours(name: &str) -> bool {
    name.contains(".so") && OURS.iter().any(|begin| name.starts_with(begin))
}

impl CodeMap {
    /// Creates the map, and locates the runtime by the address of one of its functions.
    pub(super) fn of(runtime: u64) -> Self {
        let mut map = Self::default();
        map.runtime = map.find(runtime + 1).map(|piece| piece.path.clone()).unwrap_or_default();
        map
    }

    /// Kind of memory that a return address points to.
    pub(super) fn place(&mut self, address: u64) -> Place {
        let Some(path) = self.find(address).map(|piece| piece.path.clone()) else { return Place::Nowhere };
        let name = path.rsplit('/').next().unwrap_or_default();
        let runtime = !path.is_empty() && path == self.runtime;
        if runtime || is_ours(name) { Place::Runtime } else { Place::Program }
    }

    /// The file that contains an address, and the offset in the file.
    pub(super) fn origin(&mut self, address: u64) -> Option<(String, u64)> {
        let piece = self.find(address).filter(|piece| piece.path.starts_with('/'))?;
        Some((piece.path.clone(), address - piece.start + piece.offset))
    }

    /// The range that contains the call before a return address.
    fn find(&mut self, address: u64) -> Option<&Piece> {
        let call = address.checked_sub(1)?;
        let within = |piece: &Piece| (piece.start..piece.end).contains(&call);
        if !self.pieces.iter().any(within) {
            self.pieces = read();
        }
        self.pieces.iter().find(|piece| within(piece))
    }
}

fn read() -> Vec<Piece> {
    let mut pieces = Vec::new();
    any_own_mapping(|mapping| {
        if mapping.is_executable {
            let path = String::from_utf8_lossy(mapping.path).into_owned();
            pieces.push(Piece { start: mapping.start, end: mapping.end, offset: mapping.offset, path });
        }
        false
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_named_like_a_runtime_is_none() {
        for library in ["libora.so", "libora_validator.so", "libgomp.so.1.0.0", "libgomp-a34b3233.so.1", "libomp.so.5"]
        {
            assert!(is_ours(library), "{library}");
        }
        for program in ["libgomp.c-doacross-1", "libgomp-test", "libomp.exe", "solver.so"] {
            assert!(!is_ours(program), "{program}");
        }
    }

    #[test]
    fn code_is_in_the_program_and_data_is_nowhere() {
        let mut map = CodeMap::of(0);
        let code = code_is_in_the_program_and_data_is_nowhere as fn() as usize as u64;
        assert_eq!(map.place(code + 1), Place::Program);
        assert!(
            map.origin(code + 1).is_some_and(|(path, _)| path == std::env::current_exe().unwrap().to_string_lossy())
        );
        static DATA: u8 = 0;
        let data = &raw const DATA as u64;
        assert_eq!([map.place(data), map.place(0), map.place(1)], [Place::Nowhere; 3]);
        assert_eq!(CodeMap::of(code).place(code + 1), Place::Runtime);
    }
}
