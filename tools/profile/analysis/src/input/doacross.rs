//! Recognition of programs with doacross loops: runtimes don't report that their threads wait for iterations.

use object::{Object, ObjectSymbol};

use super::recorded_file;

/// Functions by which a thread waits for an iteration.
const WAITS: [&str; 3] = ["GOMP_doacross_wait", "GOMP_doacross_ull_wait", "__kmpc_doacross_wait"];

/// True if a file imports one of these functions. `None` if it can't be read, or has changed since it was recorded.
pub(super) fn imports(path: &str, build_id: &[u8]) -> Option<bool> {
    recorded_file::read(path, build_id, |file| {
        let mut imported = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
        imported.any(|symbol| symbol.name().is_ok_and(|name| WAITS.contains(&name)))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use crate::input::Libraries;

    #[test]
    fn a_program_that_waits_for_iterations_is_known_by_its_imports() {
        let folder = tempfile::tempdir().unwrap();
        let build = |name: &str, ordered: &str| {
            let (source, program) = (folder.path().join(format!("{name}.c")), folder.path().join(name));
            let code = format!(
                "int main(void) {{\n#pragma omp parallel for ordered(1)\nfor (int i = 0; i < 9; i++) {{\n{ordered}\n}}\n}}\n"
            );
            fs::write(&source, code).unwrap();
            let done =
                Command::new("gcc").args(["-fopenmp", "-Wl,--build-id=none", "-o"]).args([&program, &source]).status();
            assert!(done.expect("gcc is installed").success());
            program.into_os_string().into_string().unwrap()
        };
        let with = build("with", "#pragma omp ordered depend(sink: i - 1)\n;\n#pragma omp ordered depend(source)");
        let without = build("without", ";");
        let mut libraries = Libraries::default();
        let mut found = || [&with, &without].map(|path| libraries.has_doacross(path, &[]));
        let first = found();
        fs::remove_file(&with).unwrap();
        assert_eq!((first, found()), ([true, false], [true, false]), "each file is read once");
        assert!(!Libraries::default().has_doacross(&without, b"another file"));
    }
}
