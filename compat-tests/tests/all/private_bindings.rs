//! Bindings in processes with several libgomps: every call of every object leads to the libgomp that the dynamic linker would have chosen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use compat_tests::bindings::{Bindings, audited, in_place};
use compat_tests::forge::{Forge, Language};
use compat_tests::private_libgomp::{copy, wheel, wheel_with};
use compat_tests::run::Launch;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn launch(forge: &Forge, openmp: bool, how: &str, libraries: &[PathBuf]) -> Launch {
    let host = if openmp { forge.program("wheel_host.c") } else { forge.plain_program("wheel_host.c") };
    let launch = Launch::of(forge, &host).arg(how);
    libraries.iter().fold(launch, |l, library| l.arg(&library.to_string_lossy()))
}

/// Runtimes that objects other than runtimes are bound to.
fn as_without_us(openmp: bool, how: &str, libraries: &[PathBuf]) -> BTreeSet<String> {
    let forge = forge();
    let launch = || launch(&forge, openmp, how, libraries);
    let (bare, outcome) = in_place(&forge, launch());
    let (reports, _) = audited(&forge, launch());
    let (with_us, watched) = in_place(&forge, launch().with_ora());
    // Lazy binding makes fewer calls visible.
    for launch in [launch().with_ora(), launch().with_ora().with_collector(&forge.collector("armed.c"))] {
        let lazy = launch.run().succeeded();
        assert_eq!(outcome.text(), lazy.text(), "{}", lazy.describe());
    }
    assert_eq!(outcome.text(), watched.text(), "{}", watched.describe());
    let (bare, reports, with_us) = (of_users(bare), of_users(reports), of_users(with_us));
    let unknown: Vec<_> = reports.difference(&bare).collect();
    assert!(unknown.is_empty(), "the auditor was told of others: {unknown:#?}");
    let differences: Vec<_> = bare.symmetric_difference(&with_us).collect();
    assert!(differences.is_empty(), "{differences:#?}\n{}", watched.describe());
    bare.into_iter().map(|(_, _, provider)| provider).collect()
}

/// Bindings without those between runtimes, and without names that no object defines.
fn of_users(bindings: Bindings) -> Bindings {
    let is_runtime = |name: &str| name.starts_with("libg") && name.ends_with("mp.so.1");
    bindings.into_iter().filter(|(importer, _, provider)| !is_runtime(importer) && provider != "nobody").collect()
}

fn two(forge: &Forge) -> [PathBuf; 2] {
    ["gxmp", "gymp"].map(|letters| wheel(forge, Some(&copy(forge, letters))))
}

/// Builds a library that is linked to a second libgomp and needs another library, which is linked to the first.
fn outer(forge: &Forge, inner: &Path, inner_first: bool) -> PathBuf {
    let libgomp = copy(forge, "gymp");
    let rpath = format!("-Wl,-rpath,{}", forge.dir().display());
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-fopenmp", "-Wl,--no-as-needed", &rpath];
    let products: [&Path; 2] = if inner_first { [inner, &libgomp] } else { [&libgomp, inner] };
    forge.link(Language::C11, &["programs/wheel_outer.c"], &flags, &products, ".so")
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_auditor_is_told_of_most_calls() {
    let forge = forge();
    let libraries = two(&forge);
    let (reports, _) = audited(&forge, launch(&forge, false, "once", &libraries));
    for (library, provider) in libraries.iter().zip(["libgxmp.so.1", "libgymp.so.1"]) {
        let library = library.file_name().unwrap().to_string_lossy();
        let binding = |name: &str| (library.clone().into_owned(), name.to_owned(), provider.to_owned());
        for name in ["GOMP_parallel", "GOMP_barrier", "omp_set_lock", "omp_get_num_threads"] {
            assert!(reports.contains(&binding(name)), "{name}: {reports:#?}");
        }
    }
}

#[test]
fn each_library_has_its_own() {
    let forge = forge();
    let own = two(&forge);
    assert_eq!(as_without_us(false, "once", &own[..1]), names(&["libgxmp.so.1"]));
    assert_eq!(as_without_us(false, "once", &own), names(&["libgxmp.so.1", "libgymp.so.1"]));
    let [first, second] = own;
    let three = [first, wheel(&forge, None), second];
    assert_eq!(as_without_us(false, "together", &three), names(&["libgxmp.so.1", "libgomp.so.1", "libgymp.so.1"]));
}

#[test]
fn the_global_scope_comes_first() {
    let own = two(&forge());
    assert_eq!(as_without_us(true, "once", &own), names(&["libgomp.so.1"]));
    // Including a libgomp that was added to the global scope later.
    assert_eq!(as_without_us(false, "global", &own), names(&["libgxmp.so.1"]));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_library_that_comes_with_another_one_has_the_others_scope() {
    let forge = forge();
    let [inner, _] = two(&forge);
    for inner_first in [true, false] {
        let outer = outer(&forge, &inner, inner_first);
        assert_eq!(as_without_us(false, "once", std::slice::from_ref(&outer)), names(&["libgymp.so.1"]));
        assert_eq!(as_without_us(false, "once", &[outer.clone(), inner.clone()]), names(&["libgymp.so.1"]));
        let both = names(&["libgxmp.so.1", "libgymp.so.1"]);
        assert_eq!(as_without_us(false, "once", &[inner.clone(), outer]), both);
    }
}

#[test]
fn every_kind_of_place_is_filled() {
    let forge = forge();
    for flags in [&["-Wl,-z,now,-z,relro"][..], &["-fno-plt", "-Wl,-z,relro"], &["-Wl,-z,lazy,-z,norelro"], &["-O0"]] {
        let libraries = ["gxmp", "gymp"].map(|letters| wheel_with(&forge, Some(&copy(&forge, letters)), flags));
        assert_eq!(as_without_us(false, "once", &libraries), names(&["libgxmp.so.1", "libgymp.so.1"]));
    }
}
