//! What tools are told about us.

use std::ffi::CStr;

/// What tools are told about us when they are asked to start.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Our name and version, and those of the runtime that the program uses.
    pub runtime: &'static CStr,
}
