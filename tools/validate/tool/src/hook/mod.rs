//! The tool's FFI boundary: `ompt_start_tool`, the callbacks, and the entry points that they use.

mod callback_table;
mod callbacks;
mod code_map;
mod deliver;
mod entry_points;
mod process;
mod raw;
mod registration;
mod session;
mod start_tool;
