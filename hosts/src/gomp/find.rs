//! Where the real functions are. A libgomp in the global scope serves every object of the process, as it would without us;
//! one that a library brought along privately serves the objects that need it.
#![allow(unsafe_code)] // asks the dynamic linker

use super::bank::BANKS;
use super::entry::Code;
use super::relink;
use super::table::{ENTRIES, Entry, STAND_INS, SYMBOLS};
use ompt_core::host;
use ompt_core::slab::Errno;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::*};

static BOUND: AtomicBool = AtomicBool::new(false);

/// Binds the libgomp of the global scope, if there is one.
pub(super) fn load() {
    if bind_global() {
        relink::old_locks();
    }
}

/// A call came in through an unbound slot: says where it goes. The return address may be that of the caller's caller (gcc
/// emits tail calls).
pub(super) extern "C" fn late(entry: usize, return_address: usize) -> Code {
    let errno = Errno::save();
    let code = find(entry, return_address);
    errno.restore();
    code
}

fn find(entry: usize, return_address: usize) -> Code {
    let [bank] = &BANKS;
    if let Some(target) = (BOUND.load(Acquire) || bind_global()).then(|| bank.target(entry)).flatten() {
        return target;
    }
    let [stand_in, ..] = &STAND_INS;
    relink::private(entry, return_address).unwrap_or(*STAND_INS.get(entry).unwrap_or(stand_in))
}

/// True if the global scope has a runtime with libgomp's entry points. May run on several threads at once: all find the
/// same.
fn bind_global() -> bool {
    if [Entry::GOMP_parallel, Entry::omp_set_lock].iter().all(|e| next(*e as usize).is_none()) {
        return false;
    }
    let [bank] = &BANKS;
    let llvm = object_of(next_symbol(c"__kmpc_fork_call"));
    for entry in 0..ENTRIES {
        match next(entry) {
            // LLVM's runtime has these names too, but not what wrappers rely on: its calls go unreported.
            Some(real) if llvm.is_some() && object_of(real.0.cast()) == llvm => bank.forward(entry, real),
            Some(real) => bank.bind(entry, real),
            None => {}
        }
    }
    BOUND.store(true, Release);
    // A tool that attached meanwhile had nothing to wrap.
    if host::tracking() {
        bank.wrap();
    }
    true
}

/// The function that the program would have got without us.
fn next(entry: usize) -> Option<Code> {
    let (name, version) = SYMBOLS.get(entry)?;
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    let address = match version {
        None => next_symbol(name),
        Some(version) => {
            let version = CStr::from_bytes_with_nul(version.as_bytes()).ok()?;
            // SAFETY: two C strings.
            let address = unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), version.as_ptr()) };
            forget_error(address)
        }
    };
    (!address.is_null()).then_some(Code(address.cast()))
}

fn next_symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a C string.
    forget_error(unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) })
}

/// A failed look-up leaves a message for `dlerror` that the program must not find.
fn forget_error(address: *mut c_void) -> *mut c_void {
    if address.is_null() {
        // SAFETY: takes nothing; the message is not used.
        unsafe { libc::dlerror() };
    }
    address
}

/// The start of the loaded object that holds an address.
fn object_of(address: *const c_void) -> Option<usize> {
    if address.is_null() {
        return None;
    }
    let mut info =
        libc::Dl_info { dli_fname: null_mut(), dli_fbase: null_mut(), dli_sname: null_mut(), dli_saddr: null_mut() };
    // SAFETY: the linker looks the address up and fills `info`.
    let found = unsafe { libc::dladdr(address, &raw mut info) } != 0;
    found.then_some(info.dli_fbase as usize)
}
