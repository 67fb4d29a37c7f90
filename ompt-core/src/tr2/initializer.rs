//! Lookup of a tool's `ompt_initialize` (TR2, 6.1.1).
//!
//! The initializer of a tool of OpenMP 5 may have the same name: its runtime gets it as a pointer and calls it with
//! different arguments (OpenMP 5.0, 4.5.1.1); LLVM's own tests do so. So an object that defines `ompt_start_tool` is
//! not a tool of this interface.
#![allow(unsafe_code)] // reads a word of the dynamic linker's

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use system::executable;
use system::global_scope;

const NAME: &CStr = c"ompt_initialize";
const START_TOOL: &CStr = c"ompt_start_tool";

/// The tool's function, as the first lookup found it; later calls return the same.
pub(super) fn look() -> Option<*const c_void> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    let find = || {
        let mut global =
            linked().into_iter().chain(global_scope::functions(NAME).known).filter(|address| !address.is_null());
        let is_one = |address: &*const c_void| !is_of_openmp_5(*address);
        let first = global.find(is_one).or_else(|| executable::symbol(NAME).filter(is_one));
        first.map_or(0, |address| address as usize)
    };
    Some(*FOUND.get_or_init(find) as *const c_void).filter(|address| !address.is_null())
}

/// The address to which the linker has bound this library's own reference. The reference is weak: it may stay unbound.
/// Because it exists, linkers put the function of a program that is linked with this library among the program's
/// dynamic symbols. It also finds a tool that is linked statically with this library.
fn linked() -> Option<*const c_void> {
    let address: *const c_void = system::weak_symbol!("ompt_initialize");
    (!address.is_null()).then_some(address)
}

/// True if the object that contains this function is a tool of OpenMP 5.
fn is_of_openmp_5(address: *const c_void) -> bool {
    let exports = global_scope::function_beside(START_TOOL, address).is_some();
    exports || executable::holds(address) && executable::symbol(START_TOOL).is_some()
}
