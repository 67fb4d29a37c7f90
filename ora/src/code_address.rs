//! Checks that an address can be code: a callback that isn't must never be called.

use system::arch::ADDRESS_END;
use system::maps::any_own_mapping;
use system::objects::any_image;

/// True if the address is in an executable mapping, of a loaded object or any other (generated code counts). Not
/// async-signal-safe.
///
/// A word that combines half a pointer with padding, which every REGISTER with the padded layout contains, is usually
/// above all user addresses: then the mappings needn't be read. The one page above them that a process may have,
/// `vsyscall`, contains no callback.
pub(crate) fn is_code(address: u64) -> bool {
    (1..ADDRESS_END).contains(&address) && (in_loaded_object(address) || in_mapping(address))
}

fn in_loaded_object(address: u64) -> bool {
    usize::try_from(address).is_ok_and(|address| any_image(&mut |image, _| image.has_code(address)))
}

fn in_mapping(address: u64) -> bool {
    any_own_mapping(|mapping| mapping.is_executable && mapping.holds(address))
}

#[cfg(test)]
#[allow(unsafe_code)] // maps a page
mod tests {
    use super::*;

    #[test]
    fn code_is_distinguished_from_data_and_from_nothing() {
        static DATA: u64 = 7;
        assert!(is_code(is_code as *const () as u64));
        for other in [
            0,
            1,
            0x1234,
            ADDRESS_END - 1,
            ADDRESS_END,
            VSYSCALL,
            u64::MAX,
            &raw const DATA as u64,
            &raw const other_stack as u64,
        ] {
            assert!(!is_code(other), "{other:#x}");
        }
    }
    /// The address at which many kernels list an executable page for every process (obsolete system calls).
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
