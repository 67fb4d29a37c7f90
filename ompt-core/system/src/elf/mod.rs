//! Reader of ELF files as bytes (System V gABI, "Object Files"): 64-bit and little-endian, as on every supported
//! machine. Files are untrusted input: each function accepts any bytes, and checks every offset.

mod fields;
mod header;
mod note;
mod program_header;
mod symbol_table;

pub use header::Header;
pub use note::build_id;
pub use program_header::{ProgramHeader, bias, program_headers, program_headers_bytes, unwind_index};
pub use symbol_table::function;
