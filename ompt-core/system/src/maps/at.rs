//! The mapping that contains an address, queried from the kernel (`PROCMAP_QUERY`, Linux 6.11): the time does not grow with the number of
//! mappings. On older kernels the list is read.

use std::ffi::CStr;
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
/// Bit of `vma_flags`.
const EXECUTABLE: u64 = 4;

/// True if the kernel does not support the request.
static IS_UNKNOWN: AtomicBool = AtomicBool::new(false);

/// Calls `show` with the mapping of this process that contains an address; `None` if there is none. Allocates nothing; takes 4 KiB of
/// stack.
pub fn own_mapping_at<T>(address: u64, show: impl FnOnce(Mapping<'_>) -> T) -> Option<T> {
    let mut path = [0; LONGEST];
    if !IS_UNKNOWN.load(Relaxed) {
        match query(address, &mut path) {
            Answer::Mapping(query) => return Some(show(query.mapping(&path))),
            Answer::Nothing => return None,
            Answer::Refused => IS_UNKNOWN.store(true, Relaxed),
        }
    }
    let (mut show, mut shown) = (Some(show), None);
    any_own_mapping(|mapping| {
        if mapping.holds(address) {
            shown = show.take().map(|show| show(mapping));
        }
        shown.is_some()
    });
    shown
}

enum Answer {
    Mapping(Query),
    Nothing,
    Refused,
}

/// Asks for the mapping, and for its path.
fn query(address: u64, path: &mut [u8; LONGEST]) -> Answer {
    let mut query = Query {
        size: size_of::<Query>() as u64,
        query_flags: 0,
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
    // SAFETY: `OWN_MAPPINGS` is a C string, which the call only reads (open(2)).
    let file = unsafe { libc::open(OWN_MAPPINGS.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return Answer::Nothing;
    }
    // SAFETY: the kernel reads and writes `query`, whose size is part of the request, and writes at most `vma_name_size` bytes to `path`.
    let answer = unsafe { libc::ioctl(file, PROCMAP_QUERY, &raw mut query) };
    let found_nothing = std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT);
    // SAFETY: `open` returned this descriptor, and no other code has it.
    unsafe { libc::close(file) };
    match answer {
        0 => Answer::Mapping(query),
        _ if found_nothing => Answer::Nothing,
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
}
