//! Symbols linked into the command: none of them comes from the libraries that it preloads.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use object::{Object, ObjectSymbol, Symbol};

use crate::harness::ORA;

fn names<'data>(symbols: impl Iterator<Item = Symbol<'data, 'data>>) -> BTreeSet<String> {
    let defined = symbols.filter(|symbol| symbol.is_global() && symbol.is_definition());
    defined.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

#[test]
fn no_function_that_a_preloaded_library_defines_is_defined_in_the_command() {
    let command = fs::read(ORA).unwrap();
    let command = object::File::parse(&*command).unwrap();
    let own = names(command.symbols());
    // The command must not be stripped, or no symbol would be found.
    assert!(own.contains("main"), "{ORA} has no symbol table");
    let mut exported = BTreeSet::new();
    for entry in fs::read_dir(Path::new(ORA).parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if name.starts_with("libora") && name.ends_with(".so") {
            let library = fs::read(&path).unwrap();
            exported.extend(names(object::File::parse(&*library).unwrap().dynamic_symbols()));
        }
    }
    for interposed in ["pthread_create", "execve", "GOMP_parallel", "ompt_start_tool", "__omp_collector_api"] {
        assert!(exported.contains(interposed), "{interposed}: none of the libraries was read");
    }
    assert_eq!(own.intersection(&exported).collect::<Vec<_>>(), Vec::<&String>::new());
}
