//! OMPT of OpenMP 5: the face that a tool with `ompt_start_tool` sees.

pub mod types;
