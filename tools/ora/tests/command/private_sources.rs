//! Sources that not everybody may read: commands of root don't copy their lines for others.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::harness::{Folder, errors, ora, run, text};

/// Program with a race, and enough time for samples, in lines that belong to the file `private` according to the program.
fn program(folder: &Folder, private: &Path) -> std::path::PathBuf {
    let loops = "for (int i = 0; i < 1000; i++) x += i;\n".repeat(3);
    let code = format!(
        "#include <omp.h>\nvolatile long x;\nint main(void) {{\n    double t = omp_get_wtime();\n\
         #pragma omp parallel num_threads(2)\n    while (omp_get_wtime() - t < 0.1) {{\n\
         #line 1 \"{}\"\n{loops}    }}\n    return 0;\n}}\n",
        private.display()
    );
    let source = folder.file("named.c");
    fs::write(&source, code).unwrap();
    folder
        .compile_by(
            &compat_tests::requirements::GCC,
            Command::new("gcc").args(["-g", "-O1", "-fopenmp"]).arg(source),
            "named",
        )
        .unwrap()
}

#[test]
fn root_copies_no_lines_of_a_private_file_that_a_program_names_as_its_source() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = Folder::new();
    fs::set_permissions(folder.file(""), Permissions::from_mode(0o755)).unwrap();
    let private = folder.file("private");
    fs::write(&private, "sesame + 1;\n".repeat(3)).unwrap();
    let program = program(&folder, &private);
    let both = folder.file("both");
    let recorded = run(ora(&["trace", "--sample", "1000", "-o"]).arg(&both).arg("--").arg(&program));
    assert!(recorded.status.success(), "{}", errors(&recorded));
    // Once everybody may read the file, the lines are shown, which proves that they were searched for.
    for (mode, is_shown) in [(0o600, false), (0o644, true)] {
        fs::set_permissions(&private, Permissions::from_mode(mode)).unwrap();
        let page = folder.file("page.html");
        let shown = [vec![], vec!["--json"]].map(|form| text(&run(ora(&["report"]).args(form).arg(&both))));
        assert!(run(ora(&["report", "--html"]).arg(&page).arg(&both)).status.success());
        let page = fs::read_to_string(page).unwrap();
        assert_eq!(page.contains("sesame"), is_shown, "{mode:o}");
        assert!(is_shown || shown.iter().all(|text| !text.contains("sesame")), "{shown:?}");
    }
}
