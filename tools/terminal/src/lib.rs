//! Text for terminals, files and pipes.
//!
//! [`page`] lays text out for a width, [`screen`] finds the width, [`quantity`] formats numbers with units, [`printable`]
//! escapes text from outside. [`pager`] and [`progress`] are for people who sit before a terminal.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod page;
pub mod pager;
pub mod printable;
pub mod progress;
pub mod quantity;
pub mod screen;
