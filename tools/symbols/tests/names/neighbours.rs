//! Calls whose own line, or symbol, does not tell them from their neighbours.

use std::collections::BTreeSet;
use std::path::PathBuf;

use compat_tests::forge::Language;
use object::{Object as _, ObjectSection as _};
use symbols::{Files, Names, Place, ProcessNames};

use super::programs::{BASE, forge, object, symbol};

fn built(source: &str, flags: &[&str]) -> PathBuf {
    let source = format!("{}/tests/programs/{source}", env!("CARGO_MANIFEST_DIR"));
    forge().build(Language::C11, &[&source], &[&["-O2", "-fopenmp"], flags].concat(), "")
}

/// The places of constructs that calls in a function are made for.
fn constructs(path: &std::path::Path, function: &str) -> BTreeSet<Place> {
    let mut names = ProcessNames::new(&Files::default(), [object(path.to_str().unwrap(), &[])]);
    symbol(path, function).filter_map(|at| names.construct(BASE + at, 1)).collect()
}

#[test]
fn neighbouring_regions_of_one_function_are_different_places() {
    assert_eq!(lines(&built("neighbours.c", &["-g"]), "main"), [7, 9, 11]);
    let without_lines = constructs(&built("neighbours.c", &[]), "main");
    let texts: BTreeSet<String> = without_lines.iter().map(Place::brief_name).collect();
    assert!(texts.len() == 3 && texts.iter().all(|text| text.starts_with("smooth (")), "{texts:?}");
}

/// Lines of the constructs for which calls in a function are made.
fn lines(path: &std::path::Path, function: &str) -> Vec<u32> {
    constructs(path, function).iter().filter_map(|place| Some(place.line()?.1)).collect()
}

#[test]
fn a_critical_section_is_not_the_place_of_a_region_with_the_same_register() {
    for flags in [&["-g"][..], &["-g", "-fno-plt"], &["-g", "-no-pie"]] {
        let path = built("critical.c", flags);
        assert_eq!([lines(&path, "main"), lines(&path, "main._omp_fn.1")], [vec![9, 12], vec![]], "{flags:?}");
    }
}

#[test]
fn a_call_of_a_function_that_ends_in_a_region_has_the_place_of_the_region() {
    // A library calls its exports through the linkage table.
    for flags in [&[][..], &["-no-pie"], &["-fPIC", "-shared"], &["-fPIC", "-shared", "-fno-plt"]] {
        let path = built("last_calls.c", &[&["-g", "-fno-ipa-icf"], flags].concat());
        assert_eq!(lines(&path, "calls_both"), [7, 12], "{flags:?}");
        assert_eq!(lines(&path, "calls_through"), [12], "{flags:?}");
        assert_eq!(lines(&path, "calls_unclear"), [0_u32; 0], "{flags:?}");
    }
}

#[test]
fn a_function_that_jumps_has_the_place_of_its_region() {
    let path = built("last_calls.c", &["-g", "-fno-ipa-icf"]);
    let mut names = ProcessNames::new(&Files::default(), [object(path.to_str().unwrap(), &[])]);
    let mut line = |function| {
        let start = symbol(&path, function).min().unwrap();
        names.construct(BASE + start + 1, 1).and_then(|place| Some(place.line()?.1))
    };
    let lines = ["first", "through", "either", "unsure", "calls_both"].map(&mut line);
    assert_eq!(lines, [Some(7), Some(12), None, None, None]);
}

#[test]
fn an_entry_of_the_linkage_table_has_the_name_of_its_function() {
    for flags in [&["-fcf-protection=none"][..], &["-fcf-protection=full", "-Wl,-z,now"], &["-no-pie"]] {
        let flags = if cfg!(target_arch = "x86_64") { flags } else { &[] };
        let path = built("neighbours.c", flags);
        let bytes = std::fs::read(&path).unwrap();
        let parsed = object::File::parse(bytes.as_slice()).unwrap();
        let mut names = ProcessNames::new(&Files::default(), [object(path.to_str().unwrap(), &[])]);
        let tables = parsed.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt")));
        let range = |table: object::Section<'_, '_>| table.address()..table.address() + table.size();
        let found: BTreeSet<String> =
            tables.flat_map(range).map(|at| names.at(BASE + at, false, 1)[0].function.clone()).collect();
        assert!(found.contains("rand@plt") && found.contains("GOMP_parallel@plt"), "{flags:?}: {found:?}");
    }
}
