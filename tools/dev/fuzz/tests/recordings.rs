//! Recordings with structured damage and with hostile names, passed through every reader and writer of `ora report`. The command
//! `recordings` of the crate `parsers` plays more of them, and real ones.

use std::time::{Duration, Instant};

use parsers::recordings::outputs::Written;
use parsers::recordings::{HOSTILE_NAMES, Recording, play, simulated, well_formed, written};
use profile_analysis::user_model::View;
use symbols::Files;

#[test]
fn damaged_recordings_end_no_report_late_and_no_process() {
    let (recordings, files) = (simulated::recordings(), Files::default());
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..150 {
        let begun = Instant::now();
        play(&recordings, seed, folder.path(), &files);
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(10), "seed {seed} takes {took:?}");
    }
}

fn of(recording: &Recording) -> Written {
    written(recording, View::User, tempfile::tempdir().expect("a folder").path(), &Files::default())
}

#[test]
fn whatever_is_called_how_every_format_is_well_formed() {
    let long = b"long \x1b".repeat(1000);
    for recording in simulated::recordings() {
        let plain = of(&recording.named(b"plain"));
        let formats = |written: &Written| {
            let all = [&written.json, &written.markup, &written.text];
            all.into_iter().flatten().map(|(name, _)| *name).collect::<Vec<_>>()
        };
        let expected = if recording.events.is_some() { 14 } else { 9 };
        assert_eq!(formats(&plain).len(), expected, "{:?}", formats(&plain));
        for name in HOSTILE_NAMES.iter().copied().chain([&long[..]]) {
            let named = of(&recording.named(name));
            well_formed::check(&named);
            assert_eq!(formats(&named), formats(&plain), "{name:?}");
        }
    }
}
