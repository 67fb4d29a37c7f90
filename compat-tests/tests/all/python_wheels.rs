//! Python packages that use OpenMP, alone and together in one process, each with the libgomp that it came with.
//!
//! `ORA_TEST_PYTHON` names a Python that has them; `cargo xtask test` creates one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use compat_tests::bindings::{Bindings, in_place};
use compat_tests::forge::Forge;
use compat_tests::library::crate_dir;
use compat_tests::run::{Launch, Outcome};
use compat_tests::skips::missing;
use compat_tests::suite::whole_matrix;
use compat_tests::watch::{Watch, goes_unnoticed};

/// Part of every path of a package's own code.
const PACKAGES: [(&str, &str); 2] = [("sklearn", "/sklearn/"), ("lightgbm", "/lib_lightgbm.so")];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// The Python with these packages; `None` if there is none, and then a line is printed; on CI that is a failure.
fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("ORA_TEST_PYTHON").map(PathBuf::from).filter(|path| path.is_file());
    if python.is_none() {
        missing(test, "a Python with scikit-learn and lightgbm (ORA_TEST_PYTHON)");
    }
    python
}

fn launch(forge: &Forge, python: &Path, packages: &[&str]) -> Launch {
    let script = crate_dir().join("python/models.py");
    let launch = Launch::of(forge, python).threads(2).arg(&script.to_string_lossy());
    packages.iter().fold(launch, |launch, package| launch.arg(package))
}

/// Number of regions of a package's own code.
fn regions(counts: &str, package: &str) -> u64 {
    let part = PACKAGES.iter().find(|(name, _)| *name == package).map_or("", |(_, part)| part);
    let lines = counts.lines().filter(|line| line.contains(part));
    lines.filter_map(|line| line.split(' ').next()?.parse::<u64>().ok()).sum()
}

/// All packages, in the order of the run that the others are compared with.
const ALL: [&str; 2] = ["sklearn", "lightgbm"];

/// Bindings and output of a run without the library, shared by all tests, because the import of packages takes most of a run.
fn bare(forge: &Forge, python: &Path) -> &'static (Bindings, Outcome) {
    static BARE: OnceLock<(Bindings, Outcome)> = OnceLock::new();
    BARE.get_or_init(|| {
        let (bindings, outcome) = in_place(forge, launch(forge, python, &ALL));
        assert_eq!(outcome.text().lines().count(), ALL.len(), "{}", outcome.describe());
        (bindings, outcome)
    })
}

/// Checks that a run has computed for each of these packages what it computes without the library.
fn is_as_bare(watched: &Outcome, packages: &[&str], bare: &Outcome) {
    let line = |package: &&str| bare.text().lines().find(|line| line.starts_with(*package)).map(str::to_owned);
    let expected: Option<Vec<_>> = packages.iter().map(line).collect();
    assert!(watched.stderr == bare.stderr, "{}", watched.describe());
    assert_eq!(Some(watched.text().lines().map(str::to_owned).collect()), expected, "{}", watched.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn packages_compute_the_same_and_their_regions_are_reported() {
    let Some(python) = python("packages_compute_the_same") else { return };
    let forge = forge();
    let (_, bare) = bare(&forge, &python);
    let mut alone = Vec::new();
    // The import of lightgbm imports sklearn as well.
    let orders = [&ALL[..], &["lightgbm"], &["sklearn"], &["lightgbm", "sklearn"]];
    // The next test covers the other order.
    let count = if whole_matrix() { 4 } else { 2 };
    for packages in orders.into_iter().take(count) {
        let file = forge.dir().join(format!("callers-{}", std::process::id()));
        let launch = launch(&forge, &python, packages).with_ora().with_collector(&forge.collector("callers.c"));
        let watched = launch.env("ORA_TEST_CALLERS", &file.to_string_lossy()).run().succeeded();
        is_as_bare(&watched, packages, bare);
        let counts = fs::read_to_string(&file).unwrap();
        let _ = fs::remove_file(&file);
        for package in packages {
            let count = regions(&counts, package);
            assert!(count > 0, "{package}: {counts}");
            match alone.iter().find(|(name, _)| name == package) {
                Some((_, before)) => assert_eq!(count, *before, "{package}: {counts}"),
                None => alone.push((*package, count)),
            }
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn packages_notice_nothing() {
    let Some(python) = python("packages_notice_nothing") else { return };
    let forge = forge();
    let other = ["lightgbm", "sklearn"];
    if whole_matrix() {
        let watches = [Watch::Disabled, Watch::LevelZero, Watch::Tracking, Watch::Armed];
        goes_unnoticed(&forge, &watches, || launch(&forge, &python, &other));
    } else {
        // The next test covers it without a tool.
        let watched = Watch::Armed.over(&forge, launch(&forge, &python, &other)).run().succeeded();
        is_as_bare(&watched, &other, &bare(&forge, &python).1);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn each_packages_calls_lead_to_the_libgomp_that_the_linker_chose() {
    let Some(python) = python("each_packages_calls_lead_to_their_libgomp") else { return };
    let forge = forge();
    let (bare, outcome) = bare(&forge, &python);
    let (with_us, watched) = in_place(&forge, launch(&forge, &python, &ALL).with_ora());
    assert_eq!(*bare, with_us, "{}", watched.describe());
    is_as_bare(&watched, &ALL, outcome);
    let providers = |start: &str| bare.iter().any(|(_, name, p)| name == "GOMP_parallel" && p.starts_with(start));
    assert!(providers("libgomp-") && providers("libgomp.so"), "not two libgomps: {bare:#?}");
}
