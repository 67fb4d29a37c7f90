//! OMPT of Technical Report 2: the face that a tool with `ompt_initialize` sees.

pub mod types;
