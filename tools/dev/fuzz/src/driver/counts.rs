//! Counts of arrays and entries, and the limits of the run.

use std::fmt::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

static ARRAYS: AtomicU64 = AtomicU64::new(0);
static ENTRIES: AtomicU64 = AtomicU64::new(0);
static CALLBACKS: AtomicU64 = AtomicU64::new(0);
static LIMIT: OnceLock<(u64, Instant, Instant)> = OnceLock::new();
static REPORTED: AtomicU64 = AtomicU64::new(0);

/// Sets the limits. Must be called once.
pub(crate) fn limit(arrays: u64, time: Duration) {
    let now = Instant::now();
    let _ = LIMIT.set((arrays, now, now + time));
}

/// Adds to the counts, and prints the progress every minute.
#[expect(clippy::print_stdout, reason = "a command talks on stdout")]
pub(crate) fn add(arrays: u64, entries: u64) {
    ARRAYS.fetch_add(arrays, Relaxed);
    ENTRIES.fetch_add(entries, Relaxed);
    let minutes = LIMIT.get().map_or(0, |(_, begun, _)| begun.elapsed().as_secs() / 60);
    if REPORTED.fetch_max(minutes, Relaxed) < minutes {
        println!("{}", summary());
    }
}

pub(crate) fn callback() {
    CALLBACKS.fetch_add(1, Relaxed);
}

/// True once a limit has been reached.
pub(crate) fn is_over() -> bool {
    LIMIT.get().is_none_or(|(arrays, _, end)| ARRAYS.load(Relaxed) >= *arrays || Instant::now() >= *end)
}

/// Counts as a sentence.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
pub(crate) fn summary() -> String {
    let [arrays, entries, callbacks] = [&ARRAYS, &ENTRIES, &CALLBACKS].map(|count| count.load(Relaxed));
    let seconds = LIMIT.get().map_or(0.0, |(_, begun, _)| begun.elapsed().as_secs_f64());
    let mut text = format!("{arrays} arrays, {entries} entries ({:.2} each), ", entries as f64 / arrays.max(1) as f64);
    let _ = write!(text, "{callbacks} callbacks, {:.0} arrays a second", arrays as f64 / seconds.max(0.001));
    text
}
