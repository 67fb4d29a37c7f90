//! Plays the corpus where the runtime tells of regions only: what it can't raise is unsupported.
#![allow(missing_docs, clippy::print_stdout)] // a test with a `main` of its own

use fuzz::setting::{Features, set_up};

fn main() {
    set_up(Features::Regions);
    println!("{} files played", fuzz::corpus::play_all());
}
