//! Addresses of the collector's callbacks, and of other code in this process.
#![allow(unsafe_code)] // makes code at fixed addresses

use std::ffi::c_int;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

/// Number of different callbacks.
pub const CALLBACKS: usize = 4;

/// Addresses of callbacks. Two addresses may refer to the same callback.
#[derive(Debug)]
pub struct Callbacks {
    /// Addresses by number.
    pub plain: [u64; CALLBACKS],
    /// Two addresses that overlap: the high half of the first is the low half of the second. They belong to callbacks 2 and 3.
    pub twins: [u64; 2],
    /// Ranges of code.
    pub code: Vec<Range<u64>>,
    /// Ranges of code in loaded objects, which are all except the twins.
    pub loaded: Vec<Range<u64>>,
}

/// A callback.
pub type Callback = extern "C-unwind" fn(c_int);

static ALL: OnceLock<Callbacks> = OnceLock::new();

/// All callbacks.
///
/// # Panics
/// Before [`prepare`].
pub fn callbacks() -> &'static Callbacks {
    ALL.get().expect("the callbacks were prepared")
}

/// Makes these functions the callbacks, by number. Only the first call has an effect.
pub fn prepare(functions: [Callback; CALLBACKS]) -> &'static Callbacks {
    ALL.get_or_init(|| {
        let plain = functions.map(|f| f as usize as u64);
        let [.., second, third] = plain;
        let twins = [0x7abc_0000_1000, 0x1234_0000_7abc];
        write_code(twins[0], second);
        write_code(twins[1], third);
        let code = executable();
        let is_loaded = |range: &&Range<u64>| !twins.iter().any(|twin| range.contains(twin));
        let loaded = code.iter().filter(is_loaded).cloned().collect();
        Callbacks { plain, twins, code, loaded }
    })
}

impl Callbacks {
    /// Number of the callback at an address.
    pub fn number(&self, address: u64) -> Option<usize> {
        let plain = self.plain.iter().position(|known| *known == address);
        plain.or_else(|| self.twins.iter().position(|known| *known == address).map(|twin| twin + 2))
    }

    /// True if an address is code, but not a callback.
    pub fn is_foreign(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address)) && self.number(address).is_none()
    }
}

/// Generates code: `mov rax, target; jmp rax`.
fn write_code(at: u64, target: u64) {
    const PAGE: usize = 4096;
    let place = usize::try_from(at).expect("addresses have 64 bits");
    let page = ptr::without_provenance_mut::<libc::c_void>(place & !(PAGE - 1));
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a new mapping; the kernel refuses if the address is in use.
    let got = unsafe { libc::mmap(page, PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    assert!(got == page, "no memory for code at {at:#x}");
    let code = [[0x48, 0xb8].as_slice(), &target.to_le_bytes(), &[0xff, 0xe0]].concat();
    // SAFETY: 12 bytes in the page just created.
    unsafe { ptr::copy_nonoverlapping(code.as_ptr(), place as *mut u8, code.len()) };
    // SAFETY: the page just created.
    let done = unsafe { libc::mprotect(page, PAGE, libc::PROT_READ | libc::PROT_EXEC) };
    assert!(done == 0, "no code at {at:#x}");
}

/// Executable mappings of the program, from the kernel's list. Some kernels list a page of their own past the end of the user address
/// space.
fn executable() -> Vec<Range<u64>> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel lists mappings");
    let range = |line: &str| {
        let (addresses, rest) = line.split_once(' ')?;
        let (from, to) = addresses.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        (rest.as_bytes().get(2) == Some(&b'x')).then_some(number(from)?..number(to)?)
    };
    maps.lines().filter_map(range).filter(|range| range.end <= 1 << 56).collect()
}
