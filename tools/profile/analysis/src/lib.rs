//! Analysis of `ora report`: from the records of `ora profile` to tables, findings and files for other programs.
//!
//! [`input`] reads the records. [`user_model`] reconstructs the stacks as the program's author sees them (white paper,
//! section 6), and `symbols` names their functions. The result is a [`profile`]; [`metrics`] are its sums, from which
//! `advice` derives findings. [`text`] and [`json`] show all that; [`out`] writes it for other programs.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod describe;
mod facts;
pub mod html;
pub mod input;
pub mod job;
pub mod json;
pub mod metrics;
pub mod out;
pub mod profile;
pub use ::terminal::quantity;
mod report;
pub mod run;
pub mod state;
pub mod text;
pub mod together;
pub mod undelivered;
pub mod user_model;

pub use facts::own_time;
pub use report::Report;
