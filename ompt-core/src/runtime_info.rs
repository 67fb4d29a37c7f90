//! Name and version of the runtime, as tools get them.

use std::ffi::CStr;

/// Description of the OpenMP runtime in this process.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeInfo {
    /// Name and version of the runtime, as passed to tools (`runtime_version` of `ompt_start_tool` and of
    /// `ompt_initialize`).
    pub runtime: &'static CStr,
    /// Date of the OpenMP specification that the interface follows, as passed to tools (`omp_version`), such as 201811.
    pub openmp: u32,
}
