//! Places in libraries that are loaded one after the other: a thread gets from each to the runtime in the same way.

use crate::harness::{Folder, errors, ora, run, text};

#[test]
fn regions_and_tasks_of_every_library_are_named() {
    let folder = Folder::new();
    let program = folder.compile("libraries", "libraries", &["-ldl"]);
    let names = ["in_first", "in_second", "in_third"];
    let libraries = names.map(|name| {
        folder.compile(
            "in_library",
            &format!("{name}.so"),
            &["-shared", "-fPIC", "-fopenmp", &format!("-DNAME={name}")],
        )
    });
    for command in ["stat", "tasks"] {
        let mut watched = ora(&[command, "--json", "-o", "-", "--"]);
        watched.arg(&program).env("OMP_NUM_THREADS", "2");
        for (library, name) in libraries.iter().zip(names) {
            watched.arg(library).arg(name);
        }
        let output = run(&mut watched);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let said = text(&output);
        for name in names {
            // The command line has the name, too, but not as a function's.
            let function = format!("\"function\": \"{name}\"");
            let compact = format!("\"function\":\"{name}\"");
            assert!(said.contains(&function) || said.contains(&compact), "{command}: {name} is not in {said}");
        }
    }
}
