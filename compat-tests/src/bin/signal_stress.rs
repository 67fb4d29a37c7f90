//! `signal_stress SECONDS FOLDER [WORDS]`: runs the signal stress test over all programs on all runtimes, or those whose line
//! has these words. Compiled programs are kept in the folder. `cargo xtask signal-stress` calls it.

use std::process::ExitCode;
use std::time::Duration;

use compat_tests::forge::Forge;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, folder, words @ ..] = arguments.as_slice() else {
        eprintln!("signal_stress SECONDS FOLDER [WORDS]");
        return ExitCode::from(2);
    };
    let Ok(seconds) = seconds.parse() else {
        eprintln!("signal_stress: {seconds} is no number of seconds");
        return ExitCode::from(2);
    };
    let all_is_well = compat_tests::signal_stress::run(&Forge::at(folder), Duration::from_secs(seconds), words);
    if all_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
