//! Requirements on machines with missing or broken parts: folders of shims replace `PATH`.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use requirements::{ALL, CLANG, GFORTRAN, LLVM, MPI, OTF2_PRINT, Requirement, VALGRIND};

/// Folder of shims, searched before the folders in `PATH` or instead of them. Removed on drop.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("ora-machine-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Adds a shell script in place of a program. `$GCC` is the real gcc's path.
    fn with(self, program: &str, script: &str) -> Self {
        let file = self.0.join(program);
        fs::write(&file, format!("#!/bin/sh\nGCC={}\n{script}\n", in_path("gcc").display())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Fault that is found when the shims come first in `PATH`.
    fn says_of(&self, requirement: &Requirement) -> Option<String> {
        let mut path = self.0.clone().into_os_string();
        path.push(":");
        path.push(env::var_os("PATH").unwrap_or_default());
        requirement.tried(&path)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn in_path(program: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file()).unwrap()
}

/// Runs gcc without the options that a plain gcc doesn't have.
const COMPILES: &str =
    r#"for word; do shift; case $word in -L* | -Wl,-rpath,*) ;; *) set -- "$@" "$word" ;; esac; done; exec $GCC "$@""#;
/// Writes a header that needs no library, for `mpicc`.
const WITH_MPI: &str = r#"folder=$(dirname "$0")
cat > "$folder/mpi.h" <<'END'
#define MPI_COMM_WORLD 0
static int MPI_Init(int *count, char ***words) { return !count || !words; }
static int MPI_Barrier(int of) { return of; }
static int MPI_Finalize(void) { return 0; }
END
exec $GCC -I "$folder" "$@""#;
/// Launcher that runs its last word.
const LAUNCHES: &str = r#"for word; do :; done; exec "$word""#;

#[test]
fn what_compiles_and_runs_a_program_is_here() {
    let clang = format!("clang-{LLVM}");
    let machine = Machine::new("whole").with(&clang, COMPILES).with("mpicc", WITH_MPI).with("mpirun", LAUNCHES);
    assert_eq!(machine.says_of(&CLANG), None);
    assert_eq!(machine.says_of(&MPI), None);
}

#[test]
fn what_is_not_in_path_is_missing_by_name() {
    for requirement in ALL.iter().filter(|requirement| requirement.programs().any(|program| !program.contains('/'))) {
        let obstacle = requirement.tried(&OsString::from("/nowhere")).unwrap();
        assert!(obstacle.ends_with(" is missing"), "{}: {obstacle}", requirement.name());
    }
}

#[test]
fn an_mpicc_without_headers_is_incomplete() {
    let script = r#"exec $GCC -nostdinc -I. "$@""#;
    let machine = Machine::new("headers").with("mpicc", script).with("mpirun", LAUNCHES);
    let obstacle = machine.says_of(&MPI).unwrap();
    assert!(obstacle.contains("incomplete: `mpicc ") && obstacle.contains("mpi.h: No such file"), "{obstacle}");
}

#[test]
fn an_mpi_without_a_launcher_is_incomplete() {
    let machine = Machine::new("launcher").with("mpicc", WITH_MPI).with("mpirun", "echo 'error: no slots'; exit 1");
    let obstacle = machine.says_of(&MPI).unwrap();
    assert!(obstacle.contains("`mpirun ") && obstacle.ends_with("says: error: no slots"), "{obstacle}");
}

#[test]
fn a_clang_without_openmps_header_or_library_is_incomplete() {
    let clang = format!("clang-{LLVM}");
    let header = Machine::new("omp").with(&clang, r#"exec $GCC -nostdinc -I. -fopenmp -c source.c"#);
    let obstacle = header.says_of(&CLANG).unwrap();
    assert!(obstacle.contains("incomplete: ") && obstacle.contains("omp.h: No such file"), "{obstacle}");
    let library = Machine::new("lomp").with(&clang, r#"exec $GCC -fopenmp source.c -o program -lno-such-omp"#);
    let obstacle = library.says_of(&CLANG).unwrap();
    assert!(obstacle.contains("cannot find -lno-such-omp"), "{obstacle}");
    // It links, but its library is missing when it runs.
    let run = Machine::new("run").with(&clang, "printf '#!/nowhere/interpreter\\n' > program; chmod +x program");
    assert!(run.says_of(&CLANG).is_some_and(|obstacle| obstacle.contains("program")), "{:?}", run.says_of(&CLANG));
}

#[test]
fn a_program_that_only_knows_its_version_is_broken() {
    let script =
        r#"case "$*" in *--version*) echo 3.19 ;; *) echo 'valgrind:  Fatal error at startup'; exit 1 ;; esac"#;
    let machine = Machine::new("valgrind").with("valgrind", script);
    let obstacle = machine.says_of(&VALGRIND).unwrap();
    assert!(obstacle.ends_with("says: valgrind:  Fatal error at startup"), "{obstacle}");
}

#[test]
fn a_program_that_does_not_start_is_broken() {
    let machine = Machine::new("silent").with("otf2-print", "exit 127").with("gfortran", "exit 1");
    assert!(machine.says_of(&OTF2_PRINT).is_some_and(|obstacle| obstacle.ends_with("exit status: 127")));
    assert!(machine.says_of(&GFORTRAN).is_some_and(|obstacle| obstacle.ends_with("exit status: 1")));
}

/// Second half of `a_test_is_skipped_with_one_loud_line_and_fails_on_ci`, which runs it in a process of its own.
#[test]
fn needs_a_fortran_compiler() {
    for test in ["first", "second"] {
        if GFORTRAN.is_here(test) {
            println!("here");
        }
    }
}

#[test]
fn a_test_is_skipped_with_one_loud_line_and_fails_on_ci() {
    let run = |ci: bool, path: &Path| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "needs_a_fortran_compiler"]).env("PATH", path).env_remove("CI");
        let output = if ci { command.env("CI", "true") } else { &mut command }.output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let machine = Machine::new("none");
    let (passed, said) = run(false, &machine.0);
    assert!(passed && said.matches("SKIPPED: all that needs gfortran").count() == 1, "{said}");
    assert!(said.contains("gfortran is missing (Debian: gfortran)"), "{said}");
    let (passed, said) = run(true, &machine.0);
    assert!(!passed && said.contains("gfortran is missing (Debian: gfortran); CI must run every test"), "{said}");
}
