//! `headers/omp_control_tool.h`: it declares what gcc's `omp.h` lacks, and nothing if a header already declares it.

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

/// Headers in the order in which a file includes them.
const ORDERS: [&[&str]; 6] = [
    &["\"omp-tools.h\""],
    &["\"omp_control_tool.h\""],
    &["\"omp-tools.h\"", "<omp.h>"],
    &["<omp.h>", "\"omp-tools.h\""],
    &["\"omp-tools.h\"", "\"omp_control_tool.h\"", "<omp.h>"],
    &["\"omp_control_tool.h\"", "<omp.h>", "\"omp-tools.h\""],
];

#[test]
#[ignore = "slow: --all runs it"]
fn the_enums_are_there_once_in_each_order_of_the_headers() {
    let test = "the_enums_are_there_once_in_each_order_of_the_headers";
    let compilers = if clang_is_here(test) { vec!["gcc", "g++", llvm::clang()] } else { vec!["gcc", "g++"] };
    let source = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("control-header-orders.c");
    for order in ORDERS {
        let includes: String = order.iter().map(|header| format!("#include {header}\n")).collect();
        let text = includes
            + "int a[omp_control_tool_end == 4 && omp_control_tool_nocallback == -1 ? 1 : -1];\n\
               omp_control_tool_t command(omp_control_tool_result_t *answer) { *answer = omp_control_tool_ignored; \
               return omp_control_tool_flush; }\n";
        std::fs::write(&source, text).unwrap();
        for compiler in &compilers {
            for flags in [&["-fopenmp"][..], &[]] {
                let mut command = Command::new(compiler);
                command.args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I"]);
                command.arg(project_dir().join("headers")).args(flags).arg(&source);
                let output = command.output().unwrap();
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{compiler} {flags:?} {order:?}: {errors}");
            }
        }
    }
}
