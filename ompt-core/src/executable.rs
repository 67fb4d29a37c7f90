//! Functions of the executable that the dynamic linker doesn't know: they are in its symbol table (`.symtab`) only, which
//! is not loaded. So the file itself is read.
//!
//! Takes nothing from the heap. Takes the time to look through all symbols, so it is for rare questions.
#![allow(unsafe_code)] // maps a file, and asks the dynamic linker

mod elf;

use crate::warning;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

/// The address of a function that the executable defines for other files to see, by its symbol table; `None` where that is
/// stripped, or where the file can't be read.
///
/// A tool that is part of the program is found by this where nothing made the linker put its function among the dynamic
/// symbols (TR2, 6.3).
pub fn symbol(name: &CStr) -> Option<*const c_void> {
    let image = Image::of_executable();
    let file = File::open(c"/proc/self/exe")?;
    // The file may be another program's: that of the dynamic linker, if it was called by its name.
    if elf::segments(file.bytes())? != image.segments() {
        return None;
    }
    let address = image.base.wrapping_add(elf::function(file.bytes(), name.to_bytes())?);
    image.holds_code(address).then_some(address as *const c_void)
}

/// Whether the executable's code is at this address.
pub(crate) fn holds(address: *const c_void) -> bool {
    Image::of_executable().holds_code(address as usize)
}

/// The executable as it is loaded.
struct Image {
    base: usize,
    headers: *const libc::Elf64_Phdr,
    count: u16,
}

impl Image {
    /// The dynamic linker shows the executable first.
    fn of_executable() -> Self {
        unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, image: *mut c_void) -> c_int {
            // SAFETY: `image` below, which lives until the call returns.
            let image = unsafe { &mut *image.cast::<Image>() };
            // SAFETY: the linker's description of one object, valid during this call.
            let info = unsafe { &*info };
            #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
            let base = info.dlpi_addr as usize;
            *image = Image { base, headers: info.dlpi_phdr, count: info.dlpi_phnum };
            1
        }
        let mut image = Self { base: 0, headers: ptr::null(), count: 0 };
        // SAFETY: `first` gets what it is written for.
        unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut image).cast()) };
        image
    }

    fn headers(&self) -> &[libc::Elf64_Phdr] {
        if self.headers.is_null() {
            return &[];
        }
        // SAFETY: the linker's array of program headers, of the length it says; an executable is never unloaded.
        unsafe { std::slice::from_raw_parts(self.headers, self.count.into()) }
    }

    /// The bytes of its program headers.
    fn segments(&self) -> &[u8] {
        let headers = self.headers();
        // SAFETY: the same memory; program headers have no padding.
        unsafe { std::slice::from_raw_parts(headers.as_ptr().cast(), size_of_val(headers)) }
    }

    fn holds_code(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.base) as u64;
        self.headers().iter().any(|h| {
            h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_X != 0 && offset.wrapping_sub(h.p_vaddr) < h.p_memsz
        })
    }
}

/// A file that is mapped, to be read.
struct File {
    start: *mut c_void,
    length: usize,
}

impl File {
    fn open(path: &CStr) -> Option<Self> {
        // SAFETY: a C string.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file < 0 {
            return None;
        }
        let mapped = Self::map(file);
        // SAFETY: opened above; the mapping stays.
        unsafe { libc::close(file) };
        mapped
    }

    fn map(file: c_int) -> Option<Self> {
        // SAFETY: only moves the place where nobody reads.
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
        // SAFETY: a mapping of this length; the file of a running program can't be written or cut (ETXTBSY).
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the mapping of above; what borrowed it is gone.
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
