//! Where a tool's `ompt_initialize` is (TR2, 6.1.1). The name is as good for the initializer of a tool of OpenMP 5, which its
//! runtime gets as a pointer and calls with other arguments (OpenMP 5.0, 4.5.1.1); LLVM's own tests have it. So what has
//! `ompt_start_tool` is no tool of this interface.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::executable;
use crate::linker::{Object, Scope};
use std::arch::asm;
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::OnceLock;

const NAME: &CStr = c"ompt_initialize";
const START_TOOL: &CStr = c"ompt_start_tool";

/// The function, as the first look finds it.
pub(super) fn look() -> Option<*const c_void> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    let find = || {
        let first = linked().or_else(|| symbol(Scope::Default, NAME)).or_else(|| symbol(Scope::Next, NAME));
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

/// Whether the object that has this function is a tool of OpenMP 5.
fn is_of_openmp_5(address: *const c_void) -> bool {
    let Some(own) = Object::of(address) else { return false };
    if executable::holds(address) {
        let found = symbol(Scope::Default, START_TOOL).filter(|address| executable::holds(*address));
        return found.or_else(|| executable::symbol(START_TOOL)).is_some();
    }
    symbol_of(&own, START_TOOL).and_then(Object::of).is_some_and(|found| found.base == own.base)
}

/// The first one of this name in a scope.
fn symbol(scope: Scope, name: &CStr) -> Option<*const c_void> {
    scope.symbol(name).map(<*mut c_void>::cast_const)
}

/// The function of a library, or of one that it needs.
fn symbol_of(library: &Object, name: &CStr) -> Option<*const c_void> {
    library.hold(0)?.symbol(name).map(<*mut c_void>::cast_const)
}

/// The first one that is a tool's of this interface in the objects behind that of `first`.
fn behind(first: *const c_void) -> Option<*const c_void> {
    let mut passed = false;
    let base = Object::of(first)?.base;
    // SAFETY: a null name is that of the executable.
    let mut object: *const LinkMap = unsafe { libc::dlopen(null(), libc::RTLD_LAZY) }.cast();
    // SAFETY: a handle of glibc's is the object's entry in its list of objects (`struct link_map`, public in <link.h>).
    while let Some(entry) = unsafe { object.as_ref() } {
        object = entry.next;
        if passed {
            let own =
                |address: &*const c_void| Object::of(*address).is_some_and(|found| found.base == entry.object.base);
            let found = symbol_of(&entry.object, NAME).filter(own).filter(|address| !is_of_openmp_5(*address));
            if found.is_some() {
                return found;
            }
        }
        passed |= entry.object.base == base || (executable::holds(first) && entry.previous.is_null());
    }
    None
}

/// The public part of glibc's `struct link_map`.
#[repr(C)]
struct LinkMap {
    object: Object,
    dynamic: *const c_void,
    next: *const LinkMap,
    previous: *const LinkMap,
}
