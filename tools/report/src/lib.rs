//! From the records of `ora profile` to what `ora report` shows.
//!
//! [`input`] reads the records, [`user_model`] makes the stacks that the program's author knows (white paper, section 6).

pub mod input;
pub mod names;
pub mod state;
pub mod user_model;

#[cfg(test)]
mod simulated;
