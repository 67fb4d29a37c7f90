//! Other runtimes with OMPT in the process: tools of OpenMP 5 are theirs, since each calls the tool that it finds, and a tool
//! starts once.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::executable;
use crate::linker::{Object, Scope};
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

/// What LLVM's and Intel's runtimes are called, also with a number of a Python wheel behind the name.
const NAMES: [&[u8]; 2] = [b"libomp", b"libiomp5"];

/// Whether such a runtime is loaded.
pub(super) fn is_there() -> bool {
    // One that a library brought along is not in the global scope.
    // SAFETY: the function takes what it is called with.
    look() || unsafe { libc::dl_iterate_phdr(Some(look_at), std::ptr::null_mut()) } != 0
}

/// Whether the global scope has one at the first look.
pub(super) fn look() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| fork_call().is_some())
}

/// Whether the address lies in such a runtime.
pub(super) fn has(address: *const c_void) -> bool {
    // One that is linked into the executable exports nothing.
    if executable::holds(address) && executable::symbol(c"__kmpc_fork_call").is_some() {
        return true;
    }
    let Some(object) = Object::of(address) else { return false };
    let global = fork_call().and_then(|call| Object::of(call));
    global.is_some_and(|its| its.base == object.base) || is_rival(object.name())
}

/// What only such runtimes define.
fn fork_call() -> Option<*mut c_void> {
    Scope::Default.symbol(c"__kmpc_fork_call")
}

unsafe extern "C" fn look_at(object: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the linker describes an object that is loaded.
    let path = unsafe { (*object).dlpi_name };
    if path.is_null() {
        return 0;
    }
    // SAFETY: a C string.
    c_int::from(is_rival(unsafe { CStr::from_ptr(path) }.to_bytes()))
}

fn is_rival(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let rest = NAMES.iter().filter_map(|known| name.strip_prefix(*known));
    rest.into_iter().any(|rest| matches!(rest.first(), Some(b'.' | b'-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_names_and_nothing_else_is() {
        for path in ["/usr/lib/libomp.so.5", "libiomp5.so", "/x/torch.libs/libomp-a34b.so", "/y/libiomp5-3c.so.1"] {
            assert!(is_rival(path.as_bytes()), "{path}");
        }
        for path in ["", "/usr/lib/libgomp.so.1", "/libomp.so/libm.so.6", "libompt-tool.so", "/z/libomptarget.so"] {
            assert!(!is_rival(path.as_bytes()), "{path}");
        }
        assert!(!is_there());
    }
}
