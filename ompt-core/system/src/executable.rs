//! Functions of the executable that the dynamic linker doesn't know: they are only in its symbol table (`.symtab`),
//! which is not loaded. So the file itself is read.
//!
//! Allocates nothing on the heap. Searches all symbols, so it is for rare requests only.
#![allow(unsafe_code)] // maps a file

use crate::elf;
use crate::objects;
use crate::warning;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

/// The address of a function that the executable defines with external linkage, from its symbol table; `None` if the
/// table is stripped, or the file can't be read.
///
/// This finds a tool that is part of the program even if nothing made the linker export its function as a dynamic
/// symbol (TR2, 6.3).
pub fn symbol(name: &CStr) -> Option<*const c_void> {
    let image = objects::executable()?;
    let file = File::open(c"/proc/thread-self/exe")?;
    // The file may be another program's: the dynamic linker's, if that was invoked by name.
    if elf::program_headers_bytes(file.bytes())? != image.headers_bytes() {
        return None;
    }
    let address = image.base().wrapping_add(elf::function(file.bytes(), name.to_bytes())?);
    image.has_code(address).then_some(address as *const c_void)
}

/// True if this address is in the executable's code.
pub fn holds(address: *const c_void) -> bool {
    objects::executable().is_some_and(|image| image.has_code(address as usize))
}

/// A file that is mapped read-only.
struct File {
    start: *mut c_void,
    length: usize,
}

impl File {
    fn open(path: &CStr) -> Option<Self> {
        // SAFETY: `path` is a C string, which the call only reads (open(2)).
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file < 0 {
            return None;
        }
        let mapped = Self::map(file);
        // SAFETY: `open` returned this descriptor, and no other code has it; a mapping outlives its descriptor
        // (mmap(2)).
        unsafe { libc::close(file) };
        mapped
    }

    fn map(file: c_int) -> Option<Self> {
        // SAFETY: lseek(2) touches no memory; nobody reads from this descriptor.
        let length = usize::try_from(unsafe { libc::lseek(file, 0, libc::SEEK_END) }).ok()?;
        // SAFETY: a private mapping at an address of the system's choice touches no memory of ours.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file, 0) };
        if start == libc::MAP_FAILED {
            warning::of_refused_memory();
            return None;
        }
        Some(Self { start, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: `map` mapped `length` bytes there; the file of a running program can't be written or cut (ETXTBSY,
        // open(2)).
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: `map` mapped `length` bytes there; what borrowed them from `self` is gone.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[unsafe(no_mangle)]
    extern "C" fn ora_executable_test_function() {}

    #[unsafe(no_mangle)]
    static ORA_EXECUTABLE_TEST_DATA: usize = 1;

    #[test]
    fn a_function_of_the_executable_is_found_by_its_name() {
        let found = symbol(c"ora_executable_test_function").unwrap();
        assert_eq!(found, ora_executable_test_function as *const c_void);
    }

    #[test]
    fn what_is_no_function_of_the_executable_is_not_found() {
        assert_eq!(*std::hint::black_box(&ORA_EXECUTABLE_TEST_DATA), 1);
        assert_eq!(symbol(c"ORA_EXECUTABLE_TEST_DATA"), None, "data");
        assert_eq!(symbol(c"ora_executable_test_functio"), None, "a beginning");
        assert_eq!(symbol(c"executable_test_function"), None, "an end, at which a shared string could start");
        assert_eq!(symbol(c"getpid"), None, "another object's");
        assert_eq!(symbol(c""), None);
    }
}
