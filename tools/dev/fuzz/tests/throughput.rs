//! Checks that the throughput driver makes its requests to the preloaded library and to no other.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use object::{Object, ObjectSymbol};

#[test]
fn nothing_of_the_library_is_linked_into_the_driver() {
    let bytes = std::fs::read(env!("CARGO_BIN_EXE_throughput")).unwrap();
    let file = object::File::parse(bytes.as_slice()).unwrap();
    let names: Vec<_> = file.symbols().filter(|symbol| symbol.is_definition()).map(|s| s.name().unwrap()).collect();
    assert!(names.contains(&"main"), "no symbols: {}", names.len());
    let ours = |name: &&&str| {
        name.contains("ompt_core") || name.starts_with("__omp_collector_api") || name.starts_with("GOMP_")
    };
    assert_eq!(names.iter().find(ours), None);
}
