//! Archer, LLVM's race detector, on gcc's programs: ThreadSanitizer sees the accesses, and our callbacks are Archer's only source of
//! OpenMP's ordering. With too little ordering, correct programs are accused; with too much, a twin that lacks one synchronisation is not
//! accused. Archer and ThreadSanitizer are unmodified.

use std::path::Path;
use std::thread;

use compat_tests::archer::{Natively, Suspect, Verdict, Version, suspects};
use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{archer, clangs_thread_sanitizer_is_here};
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::{one_in, whole_matrix};

/// Output of Archer with `ARCHER_OPTIONS=verbose=1` if it is active, and its only output if it got everything that it needs.
const IS_ON: &str = "Archer detected OpenMP application with TSan, supplying OpenMP synchronization semantics\n";

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a version with Archer. Panics unless Archer was active and reported no problem.
fn judge(archer: &Path, launch: Launch) -> (Verdict, Outcome) {
    let launch = launch.env("OMP_TOOL_LIBRARIES", &archer.to_string_lossy()).env("ARCHER_OPTIONS", "verbose=1");
    let outcome = launch.run();
    assert_eq!(outcome.text(), IS_ON, "{}", outcome.describe());
    (Verdict::of(&outcome), outcome)
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

#[test]
#[ignore = "slow: --all runs it"]
fn with_archer_right_programs_are_acquitted_and_each_twin_is_accused_where_it_races() {
    let test = "with_archer_right_programs_are_acquitted_and_each_twin_is_accused_where_it_races";
    let Some(archer) = archer(test) else { return };
    eprintln!("{:26} {:>8} {:>8} {:>8}", "program", "alone", "with us", "twin");
    let mut suspects = suspects();
    if !whole_matrix() {
        // Keeps one program for each kind of event that Archer gets.
        suspects.retain(|suspect| DEAF_TO.iter().any(|(_, name)| *name == suspect.name));
        assert_eq!(suspects.len(), DEAF_TO.len());
    }
    // Compilation takes most of the time, so two run in parallel.
    let (first, second) = suspects.split_at(suspects.len() / 2);
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(|| judge_all(&archer, second));
        (judge_all(&archer, first), other.join().unwrap())
    });
    let (count, falsely) = (suspects.len(), first.0 + second.0);
    let objections = [first.1, second.1].concat();
    eprintln!("of {count} right programs ThreadSanitizer alone accuses {falsely}");
    assert!(objections.is_empty(), "{}", objections.join("\n\n"));
    assert!(falsely * 4 >= count * 3, "of {count} right programs only {falsely} need us: what is shown here?");
}

/// Number of correct programs that ThreadSanitizer alone accuses, and the errors in our verdicts.
fn judge_all(archer: &Path, suspects: &[Suspect]) -> (usize, Vec<String>) {
    let rounds = if whole_matrix() { 5 } else { 1 };
    let mut falsely = 0;
    let mut objections = Vec::new();
    for suspect in suspects {
        let launch = |version| suspect.launch(&forge(), Language::C11, version);
        let alone = Verdict::of(&launch(Version::Right).run());
        falsely += usize::from(alone != Verdict::Acquitted);
        let mut words = vec![alone.word()];
        for round in 0..rounds {
            for version in [Version::Right, Version::Twin] {
                let policy = if round % 2 == 0 { "passive" } else { "active" };
                let launch = launch(version).with_ora().env("OMP_WAIT_POLICY", policy);
                let (verdict, outcome) = judge(archer, launch);
                words.push(verdict.word());
                objections
                    .extend(objection(suspect, version, &verdict).map(|o| format!("{o}\n{}", outcome.describe())));
            }
        }
        words.truncate(3);
        eprintln!("{:26} {}", suspect.name, words.iter().map(|word| format!("{word:>8}")).collect::<String>());
    }
    (falsely, objections)
}

/// On LLVM's own runtime every twelfth program is enough for every check: that the programs work there, and that Archer gets the same
/// events through us as alone.
const SHARE: usize = 12;

#[test]
#[ignore = "slow: --all runs it"]
fn on_llvms_own_runtime_archer_says_the_same_alone_and_behind_us_while_a_collector_samples() {
    let test = "on_llvms_own_runtime_archer_says_the_same_alone_and_behind_us_while_a_collector_samples";
    let Some(archer) = archer(test) else { return };
    if !clangs_thread_sanitizer_is_here(test) {
        return;
    }
    let mut objections = Vec::new();
    let collector = forge().collector("armed.c");
    let steady = suspects().into_iter().filter(|suspect| suspect.natively != Natively::Unsteady);
    let each = one_in(SHARE);
    for (suspect, behind) in
        steady.skip(each / 2).step_by(each).flat_map(|suspect| [false, true].map(|behind| (suspect.clone(), behind)))
    {
        for version in [Version::Right, Version::Twin] {
            let launch = suspect.launch(&forge(), Language::ClangC11, version);
            // A libomp thread that goes to sleep takes a pthread lock, which orders more than OpenMP does.
            let launch = launch.env("OMP_WAIT_POLICY", "active").env("KMP_BLOCKTIME", "infinite");
            let sampled = |launch: Launch| launch.with_ora().with_collector(&collector).env("TRACE_SAMPLE", "each");
            let (verdict, outcome) = judge(&archer, if behind { sampled(launch) } else { launch });
            if version == Version::Right && suspect.natively == Natively::Accused {
                assert!(matches!(verdict, Verdict::Accused(_)), "is right natively, too: {}", outcome.describe());
            } else {
                let objection = objection(&suspect, version, &verdict);
                objections.extend(objection.map(|o| format!("{o}\n{}", outcome.describe())));
            }
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n\n"));
}

/// Events that Archer is deprived of (`programs/archer_deaf.c`), and a program that shows it.
const DEAF_TO: [(&str, &str); 16] = [
    ("barrier", "barrier"),
    ("barrier", "loop_static"),
    ("barrier", "single"),
    ("barrier of a work-sharing construct", "loop_dynamic"),
    ("barrier of a work-sharing construct", "single_copyprivate"),
    ("barrier of a region", "join"),
    ("taskwait", "task_taskwait"),
    ("taskgroup", "taskloop"),
    ("deferred tasks", "taskloop_created"),
    ("dependences", "task_depend"),
    ("lock", "lock"),
    ("test_lock", "lock_test"),
    ("nest_lock", "nest_lock"),
    ("critical", "critical_unnamed"),
    ("atomic", "reduction"),
    ("ordered", "ordered"),
];

#[test]
#[ignore = "slow: --all runs it"]
fn an_archer_that_is_deaf_to_one_thing_is_wrong_about_a_program_that_needs_it() {
    let test = "an_archer_that_is_deaf_to_one_thing_is_wrong_about_a_program_that_needs_it";
    let Some(archer) = archer(test) else { return };
    let deaf = forge().build(Language::C11, &["programs/archer_deaf.c"], &["-O2", "-g", "-shared", "-fPIC"], ".so");
    let suspects = suspects();
    let verdict = |deaf_to: &str, name: &str, version| {
        let suspect = suspects.iter().find(|suspect| suspect.name == name).unwrap();
        let launch = suspect.launch(&forge(), Language::C11, version).with_ora();
        let launch = launch.env("ARCHER_LIBRARY", &archer.to_string_lossy()).env("DEAF_TO", deaf_to);
        judge(&deaf, launch)
    };
    assert_eq!(verdict("nothing", "barrier", Version::Right).0, Verdict::Acquitted);
    for (deaf_to, name) in DEAF_TO.into_iter().step_by(one_in(3)) {
        let (verdict, outcome) = verdict(deaf_to, name, Version::Right);
        assert!(matches!(verdict, Verdict::Accused(_)), "{deaf_to}, {name}: {}", outcome.describe());
    }
    // Archer ignores a thread in a barrier unless it gets an event about a task that starts there.
    let (verdict, outcome) = verdict("task_schedule", "task_taskwait", Version::Twin);
    assert_eq!(verdict, Verdict::Acquitted, "{}", outcome.describe());
}

#[test]
fn there_are_many_suspects_and_each_says_what_its_twin_lacks_and_where_it_races() {
    let suspects = suspects();
    assert!(suspects.len() >= 50, "{}", suspects.len());
    for suspect in suspects {
        assert!(suspect.names_its_twin(), "{}", suspect.name);
        assert!(suspect.has_racing_lines(), "{}", suspect.name);
    }
}
