//! From the records of `ora profile` to what `ora report` shows.
//!
//! [`input`] reads the records, [`user_model`] makes the stacks that the program's author knows (white paper, section 6),
//! [`names`] names their functions. [`profile`] is what all this makes,
//! [`metrics`] what it adds up to, [`advice`] what to do about it. [`text`] and [`json`] show it; [`out`] writes it for other
//! programs, [`page`] lays text out for a screen.

pub mod advice;
pub mod input;
pub mod json;
pub mod metrics;
pub mod names;
pub mod out;
pub mod page;
pub mod printable;
pub mod profile;
pub mod quantity;
pub mod regular;
mod report;
pub mod state;
pub mod text;
pub mod user_model;
mod words;

pub use report::Report;
