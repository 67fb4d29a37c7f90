//! The tool: whoever defines `ompt_initialize` (TR2, 6.1.1 and 6.3). We never do: that would hide a tool that comes later.
#![allow(unsafe_code)] // asks the dynamic linker, and calls the tool

use super::entry_points::lookup;
use super::types::ompt_function_lookup_t;
use crate::about::About;
use crate::executable;
use crate::omp_tool;
use crate::tool_log::{Outcome, ToolLog};
use std::arch::asm;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// `ompt_initialize`: 0 is no.
type Initialize = unsafe extern "C-unwind" fn(ompt_function_lookup_t, *const c_char, c_uint) -> c_int;

/// The interface's version.
const VERSION: c_uint = 1;

/// The tool's function.
pub(super) struct Tool(Initialize);

/// The tool, if there is one and `OMP_TOOL` lets it be asked.
pub(super) fn find(log: &ToolLog) -> Option<Tool> {
    if !omp_tool::enabled() {
        log.says(Outcome::Disabled);
        return None;
    }
    let Some(address) = look() else {
        log.says(Outcome::None);
        return None;
    };
    log.asks(address);
    // SAFETY: a function of this name is a tool's initializer.
    Some(Tool(unsafe { std::mem::transmute::<*const c_void, Initialize>(address) }))
}

/// Its function, as the first look finds it.
pub(super) fn look() -> Option<*const c_void> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    let find = || {
        let global = linked().or_else(|| global(libc::RTLD_DEFAULT)).or_else(|| global(libc::RTLD_NEXT));
        global.or_else(|| executable::symbol(c"ompt_initialize")).map_or(0, |address| address as usize)
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

/// The first one in the global scope, or after this library. A failed look-up leaves no message for `dlerror`.
fn global(scope: *mut c_void) -> Option<*const c_void> {
    // SAFETY: a C string, and a handle that the dynamic linker knows.
    let address = unsafe { libc::dlsym(scope, c"ompt_initialize".as_ptr()) };
    if address.is_null() {
        // SAFETY: takes nothing; the message is not used.
        unsafe { libc::dlerror() };
        return None;
    }
    Some(address)
}

impl Tool {
    /// Calls the tool, which registers its callbacks meanwhile. Whether it wants to be told.
    pub(super) fn initialize(&self, about: &About) -> bool {
        // SAFETY: the arguments are what the report gives to a tool's initializer.
        unsafe { (self.0)(Some(lookup), about.runtime.as_ptr(), VERSION) != 0 }
    }
}
