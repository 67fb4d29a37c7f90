//! Where a tool's `ompt_initialize` is (TR2, 6.1.1). The name is as good for the initializer of a tool of OpenMP 5, which its
//! runtime gets as a pointer and calls with other arguments (OpenMP 5.0, 4.5.1.1); LLVM's own tests have it. So what has
//! `ompt_start_tool` is no tool of this interface.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::executable;
use std::arch::asm;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

const NAME: &CStr = c"ompt_initialize";
const START_TOOL: &CStr = c"ompt_start_tool";

/// The function, as the first look finds it.
pub(super) fn look() -> Option<*const c_void> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    let find = || {
        let first = linked().or_else(|| symbol(libc::RTLD_DEFAULT, NAME)).or_else(|| symbol(libc::RTLD_NEXT, NAME));
        let global = first.filter(|address| !is_of_openmp_5(*address)).or_else(|| first.and_then(behind));
        let hidden = || executable::symbol(NAME).filter(|address| !is_of_openmp_5(*address));
        global.or_else(hidden).map_or(0, |address| address as usize)
    };
    Some(*FOUND.get_or_init(find) as *const c_void).filter(|address| !address.is_null())
}

/// What our own reference to the name was bound to. It is weak: it may stay unbound. That there is one makes linkers put the
/// function of a program that is linked with this library among the program's dynamic symbols; and it finds a tool that is
/// linked statically with this library.
fn linked() -> Option<*const c_void> {
    let address: *const c_void;
    // SAFETY: reads a word that the linker fills in.
    unsafe {
        asm!(
            ".weak ompt_initialize",
            "mov {a}, qword ptr [rip + ompt_initialize@GOTPCREL]",
            a = out(reg) address,
            options(nostack, preserves_flags, readonly),
        );
    }
    (!address.is_null()).then_some(address)
}

/// The first one of this name there. A failed look-up leaves no message for `dlerror`.
fn symbol(scope: *mut c_void, name: &CStr) -> Option<*const c_void> {
    // SAFETY: a C string, and a handle that the dynamic linker knows.
    let address = unsafe { libc::dlsym(scope, name.as_ptr()) };
    if address.is_null() {
        // SAFETY: takes nothing; the message is not used.
        unsafe { libc::dlerror() };
        return None;
    }
    Some(address)
}

/// Whether the object that has this function is a tool of OpenMP 5.
fn is_of_openmp_5(address: *const c_void) -> bool {
    let Some(own) = about(address) else { return false };
    if executable::holds(address) {
        let found = symbol(libc::RTLD_DEFAULT, START_TOOL).filter(|address| executable::holds(*address));
        return found.or_else(|| executable::symbol(START_TOOL)).is_some();
    }
    of_library(own.dli_fname, START_TOOL).and_then(about).is_some_and(|found| found.dli_fbase == own.dli_fbase)
}

/// The function of a library that is loaded, or of one that it needs.
fn of_library(library: *const c_char, name: &CStr) -> Option<*const c_void> {
    // SAFETY: the linker's name of an object, which is loaded.
    let handle = unsafe { libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        // SAFETY: takes nothing; the message is not used.
        unsafe { libc::dlerror() };
        return None;
    }
    let found = symbol(handle, name);
    // SAFETY: opened above; it stays loaded by who loaded it.
    unsafe { libc::dlclose(handle) };
    found
}

/// The first one that is a tool's of this interface in the objects behind that of `first`.
fn behind(first: *const c_void) -> Option<*const c_void> {
    let mut passed = false;
    let first = about(first)?.dli_fbase;
    // SAFETY: a null name is that of the executable.
    let mut object: *const LinkMap = unsafe { libc::dlopen(null_mut(), libc::RTLD_LAZY) }.cast();
    // SAFETY: a handle of glibc's is the object's entry in its list of objects (`struct link_map`, public in <link.h>).
    while let Some(entry) = unsafe { object.as_ref() } {
        object = entry.next;
        if passed {
            let own = |address: &*const c_void| about(*address).is_some_and(|about| about.dli_fbase as usize == entry.base);
            let found = of_library(entry.name, NAME).filter(own).filter(|address| !is_of_openmp_5(*address));
            if found.is_some() {
                return found;
            }
        }
        passed |= entry.base == first as usize || (executable::holds(first) && entry.previous.is_null());
    }
    None
}

/// The public part of glibc's `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const c_void,
    next: *const LinkMap,
    previous: *const LinkMap,
}

fn about(address: *const c_void) -> Option<libc::Dl_info> {
    let mut info =
        libc::Dl_info { dli_fname: null_mut(), dli_fbase: null_mut(), dli_sname: null_mut(), dli_saddr: null_mut() };
    // SAFETY: the linker looks the address up and fills `info`.
    let found = unsafe { libc::dladdr(address, &raw mut info) } != 0;
    found.then_some(info)
}
