//! Calls whose own line, or symbol, does not tell them from their neighbours.

use std::collections::BTreeSet;
use std::path::PathBuf;

use compat_tests::forge::Language;
use object::{Object as _, ObjectSection as _};
use symbols::{Files, Names, Place, ProcessNames};

use super::programs::{BASE, forge, object, symbol};

fn built(flags: &[&str]) -> PathBuf {
    let source = format!("{}/tests/programs/neighbours.c", env!("CARGO_MANIFEST_DIR"));
    forge().build(Language::C11, &[&source], &[&["-O2", "-fopenmp"], flags].concat(), "")
}

/// The places of constructs that calls in `main` are made for.
fn constructs(path: &std::path::Path) -> BTreeSet<Place> {
    let mut names = ProcessNames::new(&Files::default(), [object(path.to_str().unwrap(), &[])]);
    symbol(path, "main").filter_map(|at| names.construct(BASE + at, 1)).collect()
}

#[test]
fn neighbouring_regions_of_one_function_are_different_places() {
    let lines: Vec<u32> = constructs(&built(&["-g"])).iter().filter_map(|place| Some(place.line()?.1)).collect();
    assert_eq!(lines, [7, 9, 11]);
    let without_lines = constructs(&built(&[]));
    let texts: BTreeSet<String> = without_lines.iter().map(Place::brief_name).collect();
    assert!(texts.len() == 3 && texts.iter().all(|text| text.starts_with("smooth (")), "{texts:?}");
}

#[test]
fn an_entry_of_the_linkage_table_has_the_name_of_its_function() {
    for flags in [&["-fcf-protection=none"][..], &["-fcf-protection=full", "-Wl,-z,now"], &["-no-pie"]] {
        let flags = if cfg!(target_arch = "x86_64") { flags } else { &[] };
        let path = built(flags);
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
