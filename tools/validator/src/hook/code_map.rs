//! What the program's memory is, as far as return addresses need to know.

use std::fs;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::engine::Place;

/// A piece of executable memory.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    start: u64,
    end: u64,
    offset: u64,
    path: String,
}

static PIECES: Mutex<Vec<Piece>> = Mutex::new(Vec::new());
/// The runtime's file: where its entry points are.
static RUNTIME: OnceLock<String> = OnceLock::new();

/// Files of ours, and of runtimes, by how their names begin.
const OURS: [&str; 4] = ["libora", "libgomp.", "libgomp-", "libomp."];

/// Remembers whose function an entry point is.
pub(super) fn runtime_is(function: u64) {
    if let Some(piece) = find(function) {
        RUNTIME.get_or_init(|| piece.path);
    }
}

/// Where a return address points.
pub(super) fn place(address: u64) -> Place {
    let Some(piece) = find(address) else { return Place::Nowhere };
    let name = piece.path.rsplit('/').next().unwrap_or_default();
    let runtime = !piece.path.is_empty() && RUNTIME.get().is_some_and(|runtime| *runtime == piece.path);
    if runtime || OURS.iter().any(|begin| name.starts_with(begin)) { Place::Runtime } else { Place::Program }
}

/// The file that an address comes from, and where it is in the file.
pub(super) fn origin(address: u64) -> Option<(String, u64)> {
    let piece = find(address).filter(|piece| piece.path.starts_with('/'))?;
    Some((piece.path, address - piece.start + piece.offset))
}

/// The memory that the call before a return address is in.
fn find(address: u64) -> Option<Piece> {
    let call = address.checked_sub(1)?;
    let within = |piece: &&Piece| (piece.start..piece.end).contains(&call);
    let mut pieces = PIECES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(piece) = pieces.iter().find(within) {
        return Some(piece.clone());
    }
    *pieces = read();
    pieces.iter().find(within).cloned()
}

fn read() -> Vec<Piece> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().filter_map(parse).collect()
}

/// An executable line of `/proc/self/maps`.
fn parse(line: &str) -> Option<Piece> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let executable = words.next()?.contains('x');
    let offset = hex(words.next()?)?;
    let path = words.nth(2).unwrap_or_default().trim().to_owned();
    executable.then_some(Piece { start: hex(start)?, end: hex(end)?, offset, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_executable_memory_is_read_and_others_are_not() {
        let piece = parse("7f00-7f10 r-xp 00001000 08:01 9    /usr/lib/lib x.so").unwrap();
        assert_eq!((piece.start, piece.end, piece.offset, &*piece.path), (0x7f00, 0x7f10, 0x1000, "/usr/lib/lib x.so"));
        assert!(parse("7f00-7f10 rwxp 00000000 00:00 0").unwrap().path.is_empty());
        assert!(parse("7f00-7f10 rw-p 00001000 08:01 9    /usr/lib/libx.so").is_none());
        assert!(parse("").is_none());
    }

    #[test]
    fn code_is_in_the_program_and_data_is_nowhere() {
        let code = code_is_in_the_program_and_data_is_nowhere as fn() as usize as u64;
        assert_eq!(place(code + 1), Place::Program);
        assert!(origin(code + 1).is_some_and(|(path, _)| path == std::env::current_exe().unwrap().to_string_lossy()));
        let data = &raw const RUNTIME as u64;
        assert_eq!([place(data), place(0), place(1)], [Place::Nowhere; 3]);
    }
}
