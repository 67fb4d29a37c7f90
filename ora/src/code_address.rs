//! Whether an address can be code: a callback that isn't must never be called.
#![allow(unsafe_code)] // asks the dynamic linker and the kernel

use std::ffi::{c_int, c_void};

/// Where a program's addresses end: at 2^56 with five levels of page tables, at 2^47 with four (Linux,
/// Documentation/arch/x86/x86_64/mm.rst). The one page beyond that a process may have, `vsyscall`, holds no callback.
const END: u64 = 1 << 56;

/// Whether the address lies in an executable mapping: of a loaded object, or any other (generated code counts). Not
/// async-signal-safe.
///
/// Half a pointer beside padding, which every REGISTER of the padded layout offers, is mostly beyond all addresses: then
/// nobody needs to be asked.
pub(crate) fn is_code(address: u64) -> bool {
    (1..END).contains(&address) && (in_loaded_object(address) || in_mapping(address))
}

fn in_loaded_object(address: u64) -> bool {
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, address: *mut c_void) -> c_int {
        // SAFETY: the linker's description of one object, valid during this call.
        let info = unsafe { &*info };
        // SAFETY: the linker's array of program headers, of the length it says.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let offset = (address as u64).wrapping_sub(info.dlpi_addr);
        let holds = |h: &libc::Elf64_Phdr| {
            h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_X != 0 && offset.wrapping_sub(h.p_vaddr) < h.p_memsz
        };
        c_int::from(headers.iter().any(holds))
    }
    // SAFETY: `one` reads what it is given; the address travels as a number.
    unsafe { libc::dl_iterate_phdr(Some(one), address as *mut c_void) != 0 }
}

/// Reads `/proc/self/maps`, without the heap: lines `from-to perms ...`.
fn in_mapping(address: u64) -> bool {
    // SAFETY: a C string.
    let file = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return false;
    }
    let mut line = Line::default();
    let mut found = false;
    let mut buffer = [0u8; 1024];
    loop {
        // SAFETY: at most the buffer's length is written.
        let n = unsafe { libc::read(file, buffer.as_mut_ptr().cast(), buffer.len()) };
        let Some(bytes) = usize::try_from(n).ok().and_then(|n| buffer.get(..n)).filter(|b| !b.is_empty()) else {
            break;
        };
        found |= bytes.iter().any(|byte| line.feed(*byte) && line.holds(address));
    }
    // SAFETY: opened above.
    unsafe { libc::close(file) };
    found
}

/// One line of the file, as far as it has been read.
#[derive(Default)]
struct Line {
    from: u64,
    to: u64,
    field: u8,
    column: u8,
    executable: bool,
}

impl Line {
    /// Takes the next byte; true at the end of the permissions.
    fn feed(&mut self, byte: u8) -> bool {
        match (self.field, byte) {
            (_, b'\n') => *self = Self::default(),
            (0, b'-') | (1 | 2, b' ') => {
                self.field += 1;
                self.column = 0;
                return self.field == 3;
            }
            (0 | 1, _) => {
                let digit = u64::from(char::from(byte).to_digit(16).unwrap_or(0));
                let number = if self.field == 0 { &mut self.from } else { &mut self.to };
                *number = *number << 4 | digit;
            }
            (2, _) => {
                self.executable |= self.column == 2 && byte == b'x';
                self.column += 1;
            }
            _ => {}
        }
        false
    }

    fn holds(&self, address: u64) -> bool {
        self.executable && (self.from..self.to).contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_data_and_from_nothing() {
        static DATA: u64 = 7;
        assert!(is_code(is_code as *const () as u64));
        for other in
            [0, 1, 0x1234, END - 1, END, VSYSCALL, u64::MAX, &raw const DATA as u64, &raw const other_stack as u64]
        {
            assert!(!is_code(other), "{other:#x}");
        }
    }
    /// Where many kernels list an executable page for every process: system calls of old.
    const VSYSCALL: u64 = 0xffff_ffff_ff60_0000;
    #[allow(non_upper_case_globals)]
    static other_stack: [u8; 4] = [0; 4];

    #[test]
    fn generated_code_counts() {
        let prot = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: a fresh anonymous mapping.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), 4096, prot, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) };
        assert!(is_code(page as u64) && is_code(page as u64 + 4095));
        assert!(!in_loaded_object(page as u64));
    }
}
