//! File of the constructs' source positions. Every process appends to the file that `ORA_POMP_REGIONS` names, once for each call in
//! instrumented code: the address of the call, its construct and its source lines. With it, a reader of the program's addresses can name
//! lines even without debug information.
//!
//! Each call has a line of seven fields, separated by tabs (here: arrows). They are the object that contains the code, the address in it to
//! which the call returns, the function that is called, the construct, its first and last line, and its source file. (A call at the end of
//! a function may be a tail call, and return to that function's caller.)
//!
//! ```text
//! /home/me/program→1a2b→POMP2_Parallel_fork→parallel→14→27→/home/me/program.c
//! ```

use super::call::Position;
use super::ctc;
use super::names::{Entry, NAMES};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};
use system::appended::{Appended, LONGEST, target, true_name};
use system::environment;
use system::errno::Errno;
use system::line::{DECIMAL, HEXADECIMAL, digits};
use system::objects::any_image;

/// Path of the file, with a zero byte. A copy, because programs may overwrite their environment.
static PATH: [AtomicU8; LONGEST] = [const { AtomicU8::new(0) }; LONGEST];

/// Return addresses of the calls that have been written: a hash table with linear probing. Calls that find no room are not
/// written.
static WRITTEN: [AtomicUsize; CAPACITY] = [const { AtomicUsize::new(0) }; CAPACITY];
const CAPACITY: usize = 1 << 12;
/// The largest number of probes.
const STEPS: usize = 64;

/// Reads the setting; true if such a file is to be written. Called once while the library is being loaded. A program with more privileges
/// than its user writes none on the user's request.
pub(super) fn look() -> bool {
    let Some(path) = environment::variable(c"ORA_POMP_REGIONS").filter(|_| !environment::is_secure()) else {
        return false;
    };
    let mut room = [0; LONGEST];
    let folder = if path.to_bytes().starts_with(b"/") { &[] } else { target(c"/proc/thread-self/cwd", &mut room) };
    let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
    let parts = || folder.iter().chain(slash).chain(path.to_bytes());
    if parts().count() >= LONGEST {
        return false;
    }
    PATH.iter().zip(parts()).for_each(|(place, byte)| place.store(*byte, Relaxed));
    true
}

/// Writes the line of a call that returns to this address, unless that has been done.
#[cold]
pub(super) fn write_once(Position { entry, returns, site, .. }: Position<'_>) {
    if let Some(site) = site.filter(|_| is_new(returns)) {
        let errno = Errno::save();
        site.with_text(|text| write(entry, returns, &ctc::parse(text), ctc::construct(text)));
        errno.restore();
    }
}

/// True for the first thread that asks about the call that returns to this address. That thread has to write its line.
fn is_new(returns: usize) -> bool {
    let start = returns.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    for place in (start..start + STEPS).filter_map(|place| WRITTEN.get(place % CAPACITY)) {
        match place.load(Relaxed) {
            0 => match place.compare_exchange(0, returns, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(other) if other == returns => return false,
                Err(_) => {}
            },
            other if other == returns => return false,
            _ => {}
        }
    }
    false
}

fn write(entry: Entry, returns: usize, ctc: &ctc::Ctc<'_>, construct: &[u8]) {
    let mut path = [0; LONGEST];
    path.iter_mut().zip(&PATH).for_each(|(byte, place)| *byte = place.load(Relaxed));
    let Ok(path) = CStr::from_bytes_until_nul(&path) else { return };
    let name = NAMES.get(entry as usize).map(|name| name.trim_end_matches('\0')).unwrap_or_default();
    let mut room = [0; LONGEST];
    let Some((object, base)) = object(returns, &mut room) else { return };
    let address = returns.wrapping_sub(base) as u64;
    with_line((object, address), name.as_bytes(), (ctc, construct), |line| {
        // While the file is open, nothing is called that could unwind, as far as the compiler can tell.
        if let Some(file) = Appended::open(path) {
            file.write(line);
        }
    });
}

/// Passes the parts of a call's line to `show`. Constructs without lines get no line, nor do names that contain a tab or line
/// break.
pub(super) fn with_line<T>(
    (object, address): (&[u8], u64),
    function: &[u8],
    (ctc, construct): (&ctc::Ctc<'_>, &[u8]),
    show: impl FnOnce(&[&[u8]]) -> T,
) -> Option<T> {
    let would_mix = |part: &[u8]| part.contains(&b'\t') || part.contains(&b'\n');
    if ctc.begin.first == 0 || [object, construct, ctc.file].into_iter().any(would_mix) {
        return None;
    }
    let mut room = [[0; 20]; 3];
    let [of_address, of_first, of_last] = &mut room;
    let address = digits(address, HEXADECIMAL, of_address);
    let first = digits(ctc.begin.first.into(), DECIMAL, of_first);
    let last = digits(ctc.end.last.max(ctc.begin.first).into(), DECIMAL, of_last);
    let tab: &[u8] = b"\t";
    Some(show(&[object, tab, address, tab, function, tab, construct, tab, first, tab, last, tab, ctc.file, b"\n"]))
}

/// File of the object that contains an address, by its real path, and the difference between addresses in memory and in the
/// file.
fn object(address: usize, room: &mut [u8; LONGEST]) -> Option<(&[u8], usize)> {
    let mut found = None;
    any_image(&mut |image, _| {
        if image.contains(address) {
            let length = match image.name() {
                path if path.is_empty() => target(c"/proc/thread-self/exe", room).len(),
                // The linker may have it under a symbolic link.
                path => true_name(path, room),
            };
            found = Some((length, image.base()));
        }
        found.is_some()
    });
    let (length, base) = found?;
    Some((room.get(..length).filter(|path| !path.is_empty())?, base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_written_once() {
        assert!(is_new(0x1000));
        assert!(!is_new(0x1000));
        assert!(is_new(0x1005));
    }

    #[test]
    fn an_object_is_known_by_its_file_and_its_base() {
        let own = an_object_is_known_by_its_file_and_its_base as fn() as usize;
        let mut room = [0; LONGEST];
        let (path, base) = object(own, &mut room).unwrap();
        assert_eq!(path, std::env::current_exe().unwrap().as_os_str().as_encoded_bytes());
        assert!(base > 0 && base < own);
        let libc = libc::getpid as *const () as usize;
        let (path, _) = object(libc, &mut room).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(maps.contains(std::str::from_utf8(path).unwrap()), "{path:?}");
        assert_eq!(object(8, &mut room), None);
    }
}
