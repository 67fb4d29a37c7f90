//! Plays the corpus, which consists of the files that the coverage-guided target starts from, without the target's instrumentation.
#![allow(missing_docs, clippy::print_stdout)] // a test with a `main` of its own

use fuzz::setup::{Features, set_up};

fn main() {
    set_up(Features::All);
    let played = fuzz::corpus::play_all();
    assert!(played > 0, "the corpus is empty");
    println!("{played} files played");
}
