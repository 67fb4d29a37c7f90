//! `libora`: lets tools of the Sun Collector API watch OpenMP programs on runtimes that never had that interface.
//!
//! This crate is the FFI layer: bytes come in through [`exports`], [`wire`] parses them, [`request`] interprets them,
//! [`session`] and the core answer. [`codes`] has the interface's numbers; C programs include the header that is
//! generated from it.

// For the symbol that it exports.
extern crate start_tool as _;

mod code_address;
pub mod codes;
pub mod exports;
mod load;
mod lock;
mod ompt;
pub mod request;
pub mod session;
#[cfg(not(feature = "linked"))]
mod tau;
pub mod translate;
mod warning;
pub mod wire;
