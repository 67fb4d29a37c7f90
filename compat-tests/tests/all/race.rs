//! The race detector of `ora race` on gcc's programs: each kind of synchronisation orders what it should, and nothing else. The programs
//! are those for Archer, and those for what Archer's tests leave out: tasks and teams of one thread. Each has a twin that lacks one
//! synchronisation.

use compat_tests::archer::{Suspect, Verdict, Version, suspects, suspects_in};
use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::llvm::thread_sanitizer;
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::{is_short, whole_matrix};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a program with the detector, whose reports ThreadSanitizer also prints; `seed` decides what is left to chance.
fn judge(launch: Launch, seed: usize) -> (Verdict, Outcome) {
    let outcome = detect(launch.env("ORA_RACE_RAW", "1"), seed, "");
    (Verdict::of(&outcome), outcome)
}

/// Runs a program with the detector and with more ThreadSanitizer options.
fn detect(launch: Launch, seed: usize, options: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let detector = libora().with_file_name("libora_race.so");
    assert!(detector.is_file(), "{} is missing: cargo build --release", detector.display());
    let launch = launch.with_preload(&detector).with_ora().env("ORA_RACE_DIR", &folder.path().to_string_lossy());
    let options = format!(
        "ignore_noninstrumented_modules=1 suppress_equal_addresses=0 die_after_fork=0 atexit_sleep_ms=0 {options}"
    );
    let launch =
        launch.env("TSAN_OPTIONS", &options).env("ORA_RACE_EXITCODE", "66").env("ORA_RACE_SEED", &seed.to_string());
    launch.run()
}

/// Error in the verdict on a version, if any.
fn objection(suspect: &Suspect, version: Version, verdict: &Verdict) -> Option<String> {
    let file = format!("{}.c", suspect.name);
    let right = match (version, verdict) {
        (Version::Right, verdict) => *verdict == Verdict::Acquitted,
        (Version::Twin, Verdict::Accused(places)) => {
            !places.is_empty() && places.iter().all(|(place, line)| *place == file && suspect.races_at(*line))
        }
        (Version::Twin, _) => false,
    };
    (!right).then(|| format!("{}, {version:?}: {verdict:?}", suspect.name))
}

/// Programs for Archer whose subject another one of them, or a program of `programs/race`, has as well: only the whole matrix runs them.
const LIKE_ANOTHER: [&str; 29] = [
    "barrier_rounds",
    "cancel_loop",
    "cancel_taskgroup",
    "critical_contended",
    "critical_named",
    "doacross_distance",
    "locks_two",
    "loop_combined",
    "loop_nowait",
    "many_regions",
    "nested_join",
    "ordered_static",
    "regions",
    "single_copyprivate_entry",
    "single_entry",
    "task_barrier",
    "task_depend_others",
    "task_depend_readers",
    "task_depend_waits",
    "task_grandchild",
    "task_join",
    "task_siblings",
    "taskgroup_before",
    "taskloop_firstprivate",
    "taskloop_reduction",
    "undeferred_child",
    "user_threads_first",
    "loop_task_reduction",
    "firstprivate",
];

#[test]
#[ignore = "slow: --all runs it"]
fn the_detector_acquits_right_programs_and_accuses_each_twin_where_it_races() {
    let mut suspects = suspects();
    assert!(LIKE_ANOTHER.iter().all(|name| suspects.iter().any(|suspect| suspect.name == *name)));
    suspects.retain(|suspect| !is_short() || !LIKE_ANOTHER.contains(&&*suspect.name));
    judge_all(&suspects);
}

#[test]
#[ignore = "slow: --all runs it"]
fn tasks_and_teams_of_one_thread_are_concurrent_but_for_what_is_the_threads_own() {
    judge_all(&suspects_in("race"));
}

/// LLVM's library replaces gcc 12's; later releases of gcc behave like LLVM's: a report about a word discards the word's accesses.
#[test]
fn a_race_behind_one_that_does_not_count_is_found_where_reports_cost_accesses() {
    let name = "a_race_behind_one_that_does_not_count_is_found_where_reports_cost_accesses";
    let Some(sanitizer) = thread_sanitizer(name) else { return };
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(sanitizer, folder.path().join("libtsan.so.2")).unwrap();
    let suspects = suspects_in("race");
    for name in ["task_threadprivate_late", "chunks_possible"] {
        let suspect = suspects.iter().find(|suspect| suspect.name == name).unwrap();
        for (version, seed) in [(Version::Right, 0), (Version::Twin, 0), (Version::Twin, 1)] {
            let launch = suspect.launch(&forge(), Language::C11, version);
            let launch = launch.env("LD_LIBRARY_PATH", &folder.path().to_string_lossy());
            // Symbolization takes time under ThreadSanitizer's locks, while other threads wait for them.
            let outcome = detect(launch, seed, "symbolize=0");
            let expected = if version == Version::Twin { 66 } else { 0 };
            assert_eq!(outcome.status.code(), Some(expected), "{name}, {version:?}\n{}", outcome.describe());
        }
    }
}

#[test]
fn a_race_of_singles_is_found_though_one_thread_could_execute_both() {
    for suspect in suspects_in("race_by_chance") {
        let objection = |version, seed| {
            let (verdict, outcome) = judge(suspect.launch(&forge(), Language::C11, version), seed);
            objection(&suspect, version, &verdict).map(|objection| format!("{objection}\n{}", outcome.describe()))
        };
        assert_eq!(objection(Version::Right, 0), None);
        let tries: Vec<_> = (0..8).map_while(|seed| objection(Version::Twin, seed)).collect();
        assert!(tries.len() < 8, "{}", tries.join("\n\n"));
    }
}

#[test]
fn each_program_names_its_twin_and_the_lines_that_race() {
    for suspect in ["race", "race_by_chance"].into_iter().flat_map(suspects_in) {
        assert!(suspect.names_its_twin() && suspect.has_racing_lines(), "{}", suspect.name);
    }
}

/// Judges each program and its twin.
fn judge_all(suspects: &[Suspect]) {
    let rounds = if whole_matrix() { 5 } else { 1 };
    let mut objections = Vec::new();
    for suspect in suspects {
        for (round, version) in (0..rounds).flat_map(|round| [(round, Version::Right), (round, Version::Twin)]) {
            let policy = if round % 2 == 0 { "passive" } else { "active" };
            let launch = suspect.launch(&forge(), Language::C11, version).env("OMP_WAIT_POLICY", policy);
            let (verdict, outcome) = judge(launch, round);
            let objection = objection(suspect, version, &verdict);
            objections.extend(objection.map(|objection| format!("{objection}\n{}", outcome.describe())));
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n\n"));
}
