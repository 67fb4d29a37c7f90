//! The looks of `ora top`: where a program's time goes right now, once a second.
//!
//! The figures come from the memory of `ora stat`'s collector ([`Source`]), which the program writes anyway: a look costs it nothing.
//! The difference of two looks is shown on a screen ([`screen`]), or as text and JSON ([`batch`]). The command has the
//! programs that it starts or attaches to, and the terminal.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod batch;
pub mod candidates;
mod draw;
mod found;
mod json;
mod load;
mod pages;
mod sample;
pub mod screen;
mod source;
mod view;

use std::time::Duration;

pub use found::Found;
pub use source::Source;

/// Options of the user.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Time between two looks.
    pub interval: Duration,
    /// Number of looks; `None`: until the end.
    pub count: Option<u32>,
    /// JSON in place of text.
    pub json: bool,
    /// Most threads in rows of their own.
    pub threads: usize,
    /// The screen may have colours.
    pub has_colour: bool,
}
