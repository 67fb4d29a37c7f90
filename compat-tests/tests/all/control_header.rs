//! `headers/omp_control_tool.h`: declares what gcc's `omp.h` lacks, and nothing beside a header that has it.

use std::path::PathBuf;
use std::process::Command;

use compat_tests::library::{crate_dir, libora, project_dir};
use compat_tests::llvm::{self, clang_is_here};

fn built(compiler: &str, standard: &str) -> PathBuf {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("control-header-{compiler}-{standard}"));
    let mut command = Command::new(compiler);
    command.args([&format!("-std={standard}"), "-Wall", "-Wextra", "-pedantic", "-Werror", "-fopenmp", "-I"]);
    command.arg(project_dir().join("headers"));
    if standard.starts_with("c++") {
        command.args(["-x", "c++"]);
    }
    let output = command.arg(crate_dir().join("programs/control_header.c")).arg("-o").arg(&program).output().unwrap();
    assert!(output.status.success(), "{compiler} {standard}: {}", String::from_utf8_lossy(&output.stderr));
    program
}

fn says(program: &mut Command) -> String {
    let output = program.env_remove("OMP_TOOL_LIBRARIES").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn gccs_programs_may_call_it_whether_the_library_is_there_or_not() {
    for (compiler, standard) in [("gcc", "c99"), ("gcc", "c17"), ("g++", "c++11"), ("g++", "c++20")] {
        let program = built(compiler, standard);
        assert_eq!(says(&mut Command::new(&program)), "1 none\n", "{compiler} {standard}");
        assert_eq!(says(Command::new(&program).env("LD_PRELOAD", libora())), "1 1\n", "{compiler} {standard}");
    }
}

#[test]
fn beside_llvms_header_it_declares_nothing() {
    if !clang_is_here("beside_llvms_header_it_declares_nothing") {
        return;
    }
    for (compiler, standard) in [(llvm::clang(), "c99"), (llvm::clangxx(), "c++11")] {
        assert_eq!(says(Command::new(built(compiler, standard)).env("LD_LIBRARY_PATH", llvm::libraries())), "1 1\n");
    }
}
