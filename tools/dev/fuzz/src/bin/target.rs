//! Coverage-guided fuzz target: libFuzzer generates the files. At exit it prints the number of steps.
#![no_main]
#![allow(unsafe_code)] // asks the C library to be called at the end

use fuzz::model::with;
use fuzz::race::fight;
use fuzz::setup::{Features, set_up, stay_on_one_core};
use std::sync::Once;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("ORA_FUZZ_FIGHT").is_some() {
            fight(4, 1_000_000);
        }
        stay_on_one_core();
        set_up(Features::of_environment());
        // SAFETY: a function without parameters that is never unloaded.
        unsafe { libc::atexit(say) };
    });
    fuzz::play::play(file);
});

extern "C" fn say() {
    eprintln!("{}", with(|model| model.counts));
}
