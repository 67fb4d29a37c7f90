//! Plays the corpus with a runtime that reports only regions: other events are unsupported.
#![allow(missing_docs, clippy::print_stdout)] // a test with a `main` of its own

use fuzz::setup::{Features, set_up};

fn main() {
    set_up(Features::Regions);
    println!("{} files played", fuzz::corpus::play_all());
}
