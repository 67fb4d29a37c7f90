//! From the records of `ora profile` to what `ora report` shows.

pub mod names;
pub mod out;
