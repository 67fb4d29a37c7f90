//! Signal stress test: signals on every thread, 10,000 times a second, with a handler that queries all three interfaces. The answers have
//! to be consistent. `cargo run --release -p compat-tests -- 600` runs it for ten minutes, over all programs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use compat_tests::forge::{Forge, Language};
use compat_tests::run::Launch;
use compat_tests::signal_stress::counts::Count;
use compat_tests::signal_stress::{StressLibraries, bare, cells};
use compat_tests::skips::skip;
use compat_tests::suite::whole_matrix;
use compat_tests::valgrind::valgrind_is_here;

/// Tasks, teams in teams, leagues, a runtime that embeds the library, instrumented code.
const PROGRAMS: [&str; 5] = [" tasks.c", " nested.c", " hosted.c", " teams_program.c", " pomp/constructs.c"];

#[test]
#[ignore = "slow: --all runs it"]
fn wherever_a_signal_comes_three_interfaces_agree() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let libraries = StressLibraries::build(&forge);
    let mut hosts = 0;
    for cell in cells::all(&forge) {
        if !PROGRAMS.iter().any(|program| cell.to_string().contains(program)) {
            continue;
        }
        let Some(bare) = bare(cell.launch(&forge)) else { continue };
        let row = libraries.over(&cell, &forge, &bare, Duration::from_millis(200));
        assert!(row.otherwise.is_none(), "{cell}: {}", row.otherwise.unwrap_or_default());
        assert_eq!(row.counts.contradictions(), [], "{cell}");
        assert!(row.counts.of(Count::Delivered) > 0, "{cell}: no samples");
        hosts += 1;
    }
    assert!(hosts >= 4, "only {hosts} programs were run");
}

/// The program checks the answers itself, and exits with 1 if one is impossible.
#[test]
#[ignore = "slow: --all runs it"]
fn a_handler_gets_true_answers_while_all_events_are_registered_for() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let seconds = if whole_matrix() { "20" } else { "1" };
    let outcome = Launch::of(&forge, &queries(&forge)).with_ora().arg(seconds).run().succeeded();
    assert!(!outcome.text().starts_with("0 events"), "{}", outcome.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn queries_read_no_memory_that_is_not_set() {
    let test = "queries_read_no_memory_that_is_not_set";
    if !valgrind_is_here(test) {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let valgrind = Launch::of(&forge, Path::new("valgrind")).with_ora();
    let valgrind = valgrind.arg("--tool=memcheck").arg("--quiet").arg("--leak-check=no").arg("--error-exitcode=9");
    // Without signals.
    let outcome = valgrind.arg(&queries(&forge).to_string_lossy()).arg("0").run().succeeded();
    assert!(outcome.text().contains(" events; "), "{}", outcome.describe());
}

fn queries(forge: &Forge) -> PathBuf {
    forge.build(Language::C11, &["programs/signal_queries.c"], &["-O2", "-g", "-fopenmp", "-lrt"], "")
}

#[test]
fn what_no_handler_may_do_is_noticed() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let mut libraries = StressLibraries::build(&forge);
    libraries.breaks_rules = true;
    let cells = cells::all(&forge);
    let cell = cells.iter().find(|cell| cell.to_string().contains("libgomp      nested.c")).expect("it is in the list");
    let bare = bare(cell.launch(&forge)).expect("it runs");
    let row = libraries.over(cell, &forge, &bare, Duration::from_millis(100));
    let noticed: Vec<_> = row.counts.contradictions().into_iter().map(|(rule, ..)| rule).collect();
    if row.counts.of(Count::Guarded) == 0 {
        skip("calls of the system", "there is no syscall user dispatch (Linux 5.11)");
        assert_eq!(noticed, ["no query asks for memory", "no query takes a lock"]);
    } else {
        assert_eq!(noticed, ["no query calls the system", "no query asks for memory", "no query takes a lock"]);
    }
}
