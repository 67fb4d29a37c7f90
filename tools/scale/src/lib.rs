//! Scaling of a program, for `ora scale`: times, speed-ups and efficiencies over the numbers of threads, from the figures of runs.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod figures;
mod grown;
mod html;
mod json;
mod scaling;
mod svg;
mod table;

pub use figures::{Part, Run, Subject};
pub use grown::{Cause, Grown};
pub use html::document as html;
pub use json::document as json;
pub use scaling::Scaling;
pub use svg::picture as svg;
pub use table::page;
