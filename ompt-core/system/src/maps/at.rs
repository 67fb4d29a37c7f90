//! The mappings at some addresses, queried from the kernel (`PROCMAP_QUERY`, Linux 6.11): the time does not grow with the number of
//! all mappings. On older kernels the list is read.

use std::ffi::{CStr, c_int};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{LONGEST, Mapping, OWN_MAPPINGS, any_own_mapping};

/// Argument of the request: `struct procmap_query` of `linux/fs.h`.
#[repr(C)]
struct Query {
    size: u64,
    query_flags: u64,
    query_addr: u64,
    vma_start: u64,
    vma_end: u64,
    vma_flags: u64,
    vma_page_size: u64,
    vma_offset: u64,
    inode: u64,
    dev_major: u32,
    dev_minor: u32,
    vma_name_size: u32,
    build_id_size: u32,
    vma_name_addr: u64,
    build_id_addr: u64,
}

const _: () = assert!(size_of::<Query>() == 104);

const PROCMAP_QUERY: libc::Ioctl = libc::_IOWR::<Query>(b'f' as u32, 17);
/// Bit of `query_flags`: without a mapping at the address, the next one is the answer.
const OR_NEXT: u64 = 0x10;
/// Bit of `vma_flags`.
const EXECUTABLE: u64 = 4;

/// True if the kernel does not support the request.
static IS_UNKNOWN: AtomicBool = AtomicBool::new(false);

/// Calls `show` with the mapping of this process that contains an address; `None` if there is none. Allocates nothing; takes 8 KiB of
/// stack.
pub fn own_mapping_at<T>(address: u64, show: impl FnOnce(Mapping<'_>) -> T) -> Option<T> {
    let (mut show, mut shown) = (Some(show), None);
    any_own_mapping_in(std::slice::from_ref(&(address..address.saturating_add(1))), |mapping| {
        if mapping.holds(address) {
            shown = show.take().map(|show| show(mapping));
        }
        shown.is_some()
    });
    shown
}

/// Calls `show` with each mapping of this process that has addresses in one of the ranges, until it returns true. Returns true if it
/// did. Allocates nothing; takes 8 KiB of stack.
pub fn any_own_mapping_in(ranges: &[Range<u64>], mut show: impl FnMut(Mapping<'_>) -> bool) -> bool {
    if !IS_UNKNOWN.load(Relaxed) {
        // SAFETY: `OWN_MAPPINGS` is a C string, which the call only reads (open(2)).
        let file = unsafe { libc::open(OWN_MAPPINGS.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file < 0 {
            return false;
        }
        let found = ranges.iter().try_fold(false, |found, range| Some(found || any_in(file, range, &mut show)?));
        // SAFETY: `open` returned this descriptor, and no other code has it.
        unsafe { libc::close(file) };
        if let Some(found) = found {
            return found;
        }
        IS_UNKNOWN.store(true, Relaxed);
    }
    any_own_mapping(|mapping| {
        let is_in = |range: &Range<u64>| mapping.start < range.end && range.start < mapping.end;
        ranges.iter().any(is_in) && show(mapping)
    })
}

/// The same for one range; `None` if the kernel does not support the request.
fn any_in(file: c_int, range: &Range<u64>, show: &mut impl FnMut(Mapping<'_>) -> bool) -> Option<bool> {
    let mut path = [0; LONGEST];
    let mut address = range.start;
    while address < range.end {
        let query = match query(file, address, &mut path) {
            Answer::Mapping(query) if query.vma_start < range.end => query,
            Answer::Mapping(_) | Answer::Nothing => break,
            Answer::Refused => return None,
        };
        if show(query.mapping(&path)) {
            return Some(true);
        }
        address = query.vma_end;
    }
    Some(false)
}

enum Answer {
    Mapping(Query),
    Nothing,
    Refused,
}

/// Asks for the mapping at an address or after it, and for its path.
fn query(file: c_int, address: u64, path: &mut [u8; LONGEST]) -> Answer {
    let mut query = Query {
        size: size_of::<Query>() as u64,
        query_flags: OR_NEXT,
        query_addr: address,
        vma_start: 0,
        vma_end: 0,
        vma_flags: 0,
        vma_page_size: 0,
        vma_offset: 0,
        inode: 0,
        dev_major: 0,
        dev_minor: 0,
        vma_name_size: u32::try_from(path.len()).unwrap_or(0),
        build_id_size: 0,
        vma_name_addr: path.as_mut_ptr().expose_provenance() as u64,
        build_id_addr: 0,
    };
    // SAFETY: the kernel reads and writes `query`, whose size is part of the request, and writes at most `vma_name_size` bytes to `path`.
    let answer = unsafe { libc::ioctl(file, PROCMAP_QUERY, &raw mut query) };
    match answer {
        0 => Answer::Mapping(query),
        _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT) => Answer::Nothing,
        _ => Answer::Refused,
    }
}

impl Query {
    fn mapping<'a>(&self, path: &'a [u8]) -> Mapping<'a> {
        let path = if self.vma_name_size == 0 { c"" } else { CStr::from_bytes_until_nul(path).unwrap_or(c"") };
        Mapping {
            start: self.vma_start,
            end: self.vma_end,
            is_executable: self.vma_flags & EXECUTABLE != 0,
            offset: self.vma_offset,
            inode: self.inode,
            path: path.to_bytes(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this
mod tests {
    use super::*;

    static DATA: u8 = 0;

    fn listed(address: u64) -> Option<String> {
        let mut found = None;
        any_own_mapping(|mapping| {
            found = mapping.holds(address).then(|| format!("{mapping:?}"));
            found.is_some()
        });
        found
    }

    #[test]
    fn a_mapping_is_the_same_asked_for_and_read() {
        let local = 0_u8;
        let code = listed as fn(u64) -> Option<String> as usize as u64;
        let libc = libc::getpid as *const () as usize as u64;
        // SAFETY: reads the auxiliary vector.
        let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
        for address in [code, libc, vdso, &raw const DATA as u64, &raw const local as u64, 0, 8, u64::MAX] {
            let asked = || own_mapping_at(address, |mapping| format!("{mapping:?}"));
            assert_eq!(asked(), listed(address), "{address:#x}");
            IS_UNKNOWN.store(true, Relaxed);
            assert_eq!(asked(), listed(address), "{address:#x}");
            IS_UNKNOWN.store(false, Relaxed);
        }
    }

    #[test]
    fn the_mappings_in_ranges_are_the_same_asked_for_and_read() {
        let mut all = Vec::new();
        any_own_mapping(|mapping| {
            all.push(mapping.start..mapping.end);
            false
        });
        let (Some(first), Some(third)) = (all.first(), all.get(2)) else { panic!("{all:?}") };
        let ranges =
            [first.end - 1..third.start + 1, third.end - 1..third.end, 0..first.start, first.start..first.start];
        let asked = || {
            let mut starts = Vec::new();
            assert!(!any_own_mapping_in(&ranges, |mapping| {
                starts.push(mapping.start);
                false
            }));
            starts
        };
        let by_kernel = asked();
        IS_UNKNOWN.store(true, Relaxed);
        let by_list = asked();
        IS_UNKNOWN.store(false, Relaxed);
        let expected: Vec<u64> = all.iter().take(3).map(|range| range.start).collect();
        assert_eq!(by_list, expected);
        assert_eq!(by_kernel.iter().collect::<std::collections::BTreeSet<_>>(), expected.iter().collect());
        assert!(any_own_mapping_in(&ranges, |_| true) && !any_own_mapping_in(&[], |_| true));
    }
}
