//! The coverage-guided target: libFuzzer makes the files.
#![no_main]

use fuzz::setting::{Features, set_up};
use std::sync::Once;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let plain = std::env::var_os("ORA_FUZZ_PLAIN").is_some();
        set_up(if plain { Features::Regions } else { Features::All });
    });
    fuzz::play::play(file);
});
