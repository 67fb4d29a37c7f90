//! What tools are told of the runtime that they watch.

use std::ffi::CStr;

/// The runtime at hand.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name and version, as tools get it (`runtime_version`).
    pub runtime: &'static CStr,
    /// The OpenMP that its interface follows, as tools get it (`omp_version`).
    pub openmp: u32,
}
