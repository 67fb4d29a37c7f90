//! Functions of the executable that the dynamic linker doesn't know: they are in its symbol table only.

use std::ffi::{CStr, c_void};

/// The address of a function that the executable defines, by its symbol table (`.symtab`); `None` where it is stripped.
pub fn symbol(_name: &CStr) -> Option<*const c_void> {
    None
}
