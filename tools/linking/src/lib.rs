//! Programs and libraries as the dynamic linker sees them.
//!
//! [`image`] reads one ELF file, [`scope`] lists what is loaded with it, and [`search_path`] finds a program by its name. [`tool`]
//! recognizes libraries that are tools of OMPT. [`preload`] and [`tool_libraries`] compute the variables by which libraries are
//! attached to a program.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod image;
mod linker;
pub mod preload;
pub mod preloaded;
pub mod scope;
pub mod search_path;
pub mod tool;
pub mod tool_libraries;
