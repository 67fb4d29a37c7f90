//! Analysis behind `ora report`: from the records of `ora profile` to tables, findings and files for other programs.
//!
//! [`input`] reads the records. [`user_model`] reconstructs the stacks as the program's author knows them (white paper,
//! section 6), and [`names`] names their functions. The result is a [`profile`]; [`metrics`] are its sums, from which
//! `advice` makes findings. [`text`] and [`json`] show all that; [`out`] writes it for other programs, [`page`] lays text
//! out for a screen.

mod describe;
mod facts;
pub mod input;
pub mod job;
pub mod json;
pub mod metrics;
pub mod names;
pub mod out;
pub mod page;
pub mod printable;
pub mod profile;
pub use ::advice::quantity;
mod report;
pub mod source;
pub mod state;
pub mod text;
pub mod user_model;

pub use report::Report;
