//! C types of OMPT, OpenMP's interface for tools: names, numbers, layouts and signatures, as C spells them.
//!
//! - [`v5`]: OpenMP 5.0, with the additions of 5.1, 5.2 and 6.0. `headers/omp-tools.h` is generated from it.
//! - [`tr2`]: Technical Report 2 of 2014. `headers/ompt_tr2.h` is generated from it.
//!
//! The crate depends on nothing and contains only declarations and lists of numbers. The tool interfaces of libora, its adapter for
//! runtimes with OMPT, the validator and the crate for tools in Rust share it.

pub mod tr2;
pub mod v5;
