//! `signal_stress SECONDS [WORDS]`: runs the signal stress test over all programs on all runtimes, or over those whose line contains these
//! words. Compiled programs are kept in `target/tmp`, beside those of the tests.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use compat_tests::forge::Forge;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, words @ ..] = arguments.as_slice() else {
        eprintln!("signal_stress SECONDS [WORDS]");
        return ExitCode::from(2);
    };
    let Ok(seconds) = seconds.parse() else {
        eprintln!("signal_stress: {seconds} is no number of seconds");
        return ExitCode::from(2);
    };
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(target, PathBuf::from);
    let folder = target.join("tmp").display().to_string();
    let all_is_well = compat_tests::signal_stress::run(&Forge::at(&folder), Duration::from_secs(seconds), words);
    if all_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
