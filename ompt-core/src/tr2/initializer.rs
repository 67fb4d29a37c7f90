//! Where a tool's `ompt_initialize` is (TR2, 6.1.1). The name is as good for the initializer of a tool of OpenMP 5, which its
//! runtime gets as a pointer and calls with other arguments (OpenMP 5.0, 4.5.1.1); LLVM's own tests have it. So what has
//! `ompt_start_tool` is no tool of this interface.
#![allow(unsafe_code)] // reads a word of the dynamic linker's

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use system::executable;
use system::global_scope;

const NAME: &CStr = c"ompt_initialize";
const START_TOOL: &CStr = c"ompt_start_tool";

/// The function, as the first look finds it.
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

/// What our own reference to the name was bound to. It is weak: it may stay unbound. That there is one makes linkers put the
/// function of a program that is linked with this library among the program's dynamic symbols; and it finds a tool that is
/// linked statically with this library.
fn linked() -> Option<*const c_void> {
    let address: *const c_void = system::weak_symbol!("ompt_initialize");
    (!address.is_null()).then_some(address)
}

/// Whether the object that has this function is a tool of OpenMP 5.
fn is_of_openmp_5(address: *const c_void) -> bool {
    let exports = global_scope::function_beside(START_TOOL, address).is_some();
    exports || executable::holds(address) && executable::symbol(START_TOOL).is_some()
}
