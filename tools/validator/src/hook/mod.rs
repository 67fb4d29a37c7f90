//! The tool's FFI boundary: `ompt_start_tool`, the callbacks, and the entry points that they use.

mod callbacks;
mod code_map;
mod entry_points;
mod process;
mod raw;
mod seen;
mod session;
mod table;
mod tool;
