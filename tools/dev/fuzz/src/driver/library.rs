//! Entry points of the library, looked up as a collector and a runtime do.
#![allow(unsafe_code)] // looks functions up, and says what they take

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;

use anyhow::{Context, Result};

pub(crate) type Api = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Address of a symbol.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Looks up a function; `None` if it doesn't exist.
///
/// # Safety
/// It has the type `F`, a pointer to a function.
pub(crate) unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let found = symbol(name)?;
    // SAFETY: of the same size, and of this type because of this function's `# Safety`.
    Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}

/// Interface for collectors.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub(crate) api: Api,
}

impl Library {
    pub(crate) fn find() -> Result<Self> {
        let found = symbol(c"__omp_collector_api").context("no __omp_collector_api: is the library preloaded?")?;
        // SAFETY: the function of this name has this type (white paper, "The Collector/OpenMP Runtime API").
        Ok(Self { api: unsafe { transmute::<*mut c_void, Api>(found) } })
    }

    /// Makes one request with these bytes as `mem`; returns the error code of the answer.
    pub(crate) fn request(self, request: i32, mem: &[u8]) -> i32 {
        let size = i32::try_from(16 + mem.len()).unwrap_or(16);
        let mut array = [size, request, 0, 0].into_iter().flat_map(i32::to_ne_bytes).collect::<Vec<u8>>();
        array.extend(mem);
        array.extend([0; 4]);
        // SAFETY: a well-formed array; heap memory is aligned.
        unsafe { (self.api)(array.as_mut_ptr().cast()) };
        array.get(8..).and_then(|rest| rest.first_chunk::<4>()).map_or(-1, |code| i32::from_ne_bytes(*code))
    }
}
