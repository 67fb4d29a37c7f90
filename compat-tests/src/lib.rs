//! Real collectors and real programs against real OpenMP runtimes.
//!
//! The tests of this crate compile its C, C++ and Fortran sources and run them with `libora.so` preloaded. They check exit codes, output,
//! and the traces that the collectors in `collectors/` write.
//!
//! Environment of the tests:
//! - `ORA_LIB`: the library under test; the default is `target/release/libora.so`.
//! - `ORA_COMPAT=full`: runs the whole matrix of programs, thread counts and collectors instead of a selection.
//! - `ORA_TEST_PYTHON`: a Python with the packages of `python/requirements.txt`; if unset, the tests that need them are skipped.
//! - `ORA_POMP_ARCHIVE`: `libora_pomp.a` (`cargo xtask archive`); if unset, the tests on static programs are skipped.
//! - `ORA_TEST_RUNTIMES`: a folder with OpenMP runtimes (`stacks.rs`); if unset, the tests on them are skipped.
//! - `ORA_TEST_TOOLS`: a folder with unpacked third-party tools; if unset, the tests on them are skipped.
//! - `CI=true`: a compiler or a Python that is missing or incomplete ([`requirements`]) is a failure, not a skip.
#![allow(clippy::panic, reason = "a harness has only one way to say that a test has failed")]

pub mod archer;
pub mod barriers;
pub mod bindings;
pub mod c_header;
pub mod checkout;
pub mod compiled;
pub mod conformance;
pub mod expect;
pub mod forge;
pub mod invariants;
pub mod known_gaps;
pub mod library;
pub mod llvm;
pub mod numbers;
pub mod ompt5;
pub mod pomp;
pub mod private_libgomp;
pub mod run;
pub mod samples;
pub mod session_rules;
pub mod signal_stress;
pub mod small;
pub mod stacks;
pub mod suite;
pub mod support;
pub mod tasks;
pub mod tr2;
pub mod trace;
pub mod valgrind;
pub mod verdict;
pub mod watch;

pub use requirements::{self, skips};
