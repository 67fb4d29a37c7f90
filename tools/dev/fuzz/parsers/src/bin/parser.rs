//! Coverage-guided fuzz target: libFuzzer generates files for the parser that `ORA_FUZZ_PARSER` names.
#![no_main]

use std::sync::LazyLock;

static CHECK: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("ORA_FUZZ_PARSER").unwrap_or_default();
    parsers::check_of(&name).expect("ORA_FUZZ_PARSER names a parser")
});

libfuzzer_sys::fuzz_target!(|file: &[u8]| CHECK(file));
