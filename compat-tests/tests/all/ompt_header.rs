//! Comparison of our `omp-tools.h` with LLVM's: one program, generated from the names in LLVM's header, prints every number, size, offset
//! and signature with each of the two headers.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::c_header::Declared;
use compat_tests::library::{crate_dir, project_dir};
use compat_tests::llvm::{self, clang_is_here, omp_tools};

/// Names that only our header has: those of mutex implementations, and names of 5.0 that 5.1 changed.
const ONLY_OURS: [&str; 4] =
    ["ompt_mutex_impl_queue", "ompt_mutex_impl_speculative", "ompt_mutex_impl_spin", "ompt_record_master_t"];

/// Names of 5.2 and 6.0 that LLVM's headers up to 22 lack.
const NEWER: [&str; 21] = [
    "ompt_any_record_ompt_t",
    "ompt_record_target_data_op_emi_t",
    "ompt_record_target_emi_t",
    "ompt_record_target_map_emi_t",
    "ompt_record_target_submit_emi_t",
    "ompt_state_work_free_agent",
    "ompt_state_work_induction",
    "ompt_subvolume_t",
    "ompt_target_data_memset",
    "ompt_target_data_memset_async",
    "ompt_target_data_transfer",
    "ompt_target_data_transfer_async",
    "ompt_target_data_transfer_rect",
    "ompt_target_data_transfer_rect_async",
    "ompt_target_map_flag_always",
    "ompt_target_map_flag_close",
    "ompt_target_map_flag_present",
    "ompt_target_map_flag_shared",
    "ompt_task_exporting",
    "ompt_task_importing",
    "ompt_work_workdistribute",
];

fn ours() -> PathBuf {
    project_dir().join("headers/omp-tools.h")
}

/// Compilers for C and C++: gcc's, and clang's if installed.
fn compilers(test: &str) -> Vec<&'static str> {
    if clang_is_here(test) { vec!["gcc", "g++", llvm::clang(), llvm::clangxx()] } else { vec!["gcc", "g++"] }
}

/// Generates a program, valid as C and C++, that prints all properties of the declarations. Signatures are types, which only C++ can print.
fn printer(declared: &Declared) -> String {
    let mut text = "#include HEADER\n#include <stdio.h>\n#ifdef __cplusplus\n#include <typeinfo>\n\
        #define TYPE(t) printf(\"%s is %s\\n\", #t, typeid(t).name());\n\
        #define MEMBER(t, m) printf(\"%s.%s is %s\\n\", #t, #m, typeid(((t *)0)->m).name());\n#else\n\
        #define TYPE(t)\n#define MEMBER(t, m)\n#endif\n\
        #define NUMBER(n) printf(\"%s = %lld\\n\", #n, (long long)(n));\n\
        #define SIZE(t) printf(\"%s: %zu bytes\\n\", #t, sizeof(t));\n\
        #define SIGN(t) printf(\"%s is %s\\n\", #t, (t)-1 < (t)0 ? \"signed\" : \"unsigned\");\n\
        #define OFFSET(t, m) printf(\"%s.%s: at %zu, %zu bytes\\n\", #t, #m, offsetof(t, m), sizeof(((t *)0)->m));\n\
        int main(void) {\nompt_data_t none = ompt_data_none;\n\
        printf(\"none = %llu\\n\", (unsigned long long)none.value);\n"
        .to_owned();
    for name in declared.numbers.iter().chain(declared.macros.iter().filter(|name| *name != "ompt_data_none")) {
        writeln!(text, "NUMBER({name})").unwrap();
    }
    for name in &declared.types {
        writeln!(text, "TYPE({name})").unwrap();
        // These two types are void.
        if !["ompt_device_t", "ompt_buffer_t"].contains(&name.as_str()) {
            writeln!(text, "SIZE({name})").unwrap();
        }
    }
    for name in &declared.enums {
        writeln!(text, "SIGN({name})").unwrap();
    }
    for (owner, way) in &declared.members {
        writeln!(text, "OFFSET({owner}, {way})").unwrap();
        // An unnamed union is a different type in each program.
        if way != "record" {
            writeln!(text, "MEMBER({owner}, {way})").unwrap();
        }
    }
    text + "return 0;\n}\n"
}

/// Folder of these tests.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ompt-header").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles `source` with `header`.
fn compile(compiler: &str, header: &Path, source: &Path, more: &[&str], binary: &Path) {
    let mut command = Command::new(compiler);
    let language = if compiler.contains("++") { ["-x", "c++", "-std=c++11"] } else { ["-x", "c", "-std=c11"] };
    command.arg(format!("-DHEADER=\"{}\"", header.display())).args(language).args(more).arg(source);
    let output = command.arg("-o").arg(binary).output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Output of a run, which must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Output of the program compiled with `header`.
fn printed(compiler: &str, program: &str, header: &Path, name: &str) -> String {
    let folder = folder(name);
    let (source, binary) = (folder.join("printer.c"), folder.join(format!("printer-{compiler}")));
    fs::write(&source, program).unwrap();
    compile(compiler, header, &source, &[], &binary);
    output(&mut Command::new(&binary))
}

#[test]
#[ignore = "slow: --all runs it"]
fn numbers_sizes_offsets_and_signatures_are_those_of_llvms_header() {
    let test = "numbers_sizes_offsets_and_signatures_are_those_of_llvms_header";
    let Some(llvms) = omp_tools(test) else { return };
    let declared = Declared::of(&llvms, "ompt_");
    // The parser has found most of the header.
    assert!(
        declared.numbers.len() >= 190 && declared.types.len() >= 130 && declared.members.len() >= 140,
        "{declared:?}"
    );
    let program = printer(&declared);
    for compiler in compilers(test) {
        let (theirs, ours) =
            (printed(compiler, &program, &llvms, "llvms"), printed(compiler, &program, &ours(), "ours"));
        for (theirs, ours) in theirs.lines().zip(ours.lines()) {
            assert_eq!(ours, theirs, "{compiler}");
        }
        assert_eq!(ours.lines().count(), theirs.lines().count());
    }
}

#[test]
fn our_header_has_every_name_of_llvms_and_a_few_more() {
    let Some(llvms) = omp_tools("our_header_has_every_name_of_llvms_and_a_few_more") else { return };
    let (theirs, ours) = (Declared::of(&llvms, "ompt_"), Declared::of(&ours(), "ompt_"));
    let names = |declared: &Declared| -> BTreeSet<String> {
        declared.types.iter().chain(&declared.numbers).chain(&declared.macros).cloned().collect()
    };
    let (theirs, ours) = (names(&theirs), names(&ours));
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), Vec::<&String>::new());
    let more = ours.difference(&theirs).filter(|name| !NEWER.contains(&name.as_str()));
    assert_eq!(more.collect::<Vec<_>>(), ONLY_OURS);
    assert!(NEWER.iter().all(|name| ours.contains(*name)));
}

/// Changes to our header, and the line of the program's output that reveals each.
const MUTANTS: [(&str, &str, &str); 7] = [
    ("ompt_callback_work = 20,", "ompt_callback_work = 40,", "ompt_callback_work = 40"),
    ("ompt_task_merged = 0x80000000,", "ompt_task_merged = -1,", "ompt_task_merged = -1"),
    ("#define ompt_addr_none ~0", "#define ompt_addr_none 0", "ompt_addr_none = 0"),
    ("int exit_frame_flags;", "long exit_frame_flags;", "ompt_frame_t.exit_frame_flags: at 16, 8 bytes"),
    ("uint64_t iterations;", "char iterations[8];", "ompt_dispatch_chunk_t.iterations is A8_c"),
    ("typedef uint64_t ompt_wait_id_t;", "typedef uint32_t ompt_wait_id_t;", "ompt_wait_id_t: 4 bytes"),
    (
        "uint64_t count,",
        "int64_t count,",
        "ompt_callback_work_t is PFv11ompt_work_t21ompt_scope_endpoint_tP11ompt_data_tS2_lPKvE",
    ),
];

#[test]
#[ignore = "slow: --all runs it"]
fn whatever_differs_would_be_seen() {
    // Without LLVM's header: our own, changed, is compared with itself.
    let text = fs::read_to_string(ours()).unwrap();
    let program = printer(&Declared::of(&ours(), "ompt_"));
    let whole = printed("g++", &program, &ours(), "whole");
    for (number, (from, to, shown)) in MUTANTS.iter().enumerate() {
        assert!(text.contains(from), "{from}");
        let header = folder("mutants").join(format!("{number}.h"));
        fs::write(&header, text.replace(from, to)).unwrap();
        let printed = printed("g++", &program, &header, &format!("mutant-{number}"));
        assert!(printed.lines().any(|line| line == *shown), "{from} -> {to}: {shown}\n{printed}");
        assert!(!whole.lines().any(|line| line == *shown), "{shown}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_tool_made_with_our_header_works_on_llvms_runtime_as_one_made_with_llvms_does() {
    let test = "a_tool_made_with_our_header_works_on_llvms_runtime_as_one_made_with_llvms_does";
    let Some(llvms) = omp_tools(test) else { return };
    if !clang_is_here(test) {
        return;
    }
    let folder = folder("native");
    let source = |name: &str| crate_dir().join("programs").join(name);
    let program = folder.join("team");
    compile(llvm::clang(), &llvms, &source("header_team.c"), &["-fopenmp"], &program);
    for compiler in compilers(test) {
        let run = |header: &Path, name: &str| {
            let tool = folder.join(format!("{name}-{compiler}.so"));
            let flags = ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"];
            compile(compiler, header, &source("header_tool.c"), &flags, &tool);
            output(Command::new(&program).env("OMP_TOOL_LIBRARIES", &tool))
        };
        let (theirs, ours) = (run(&llvms, "llvms"), run(&ours(), "ours"));
        assert_eq!(ours, theirs, "{compiler}");
        let (first, last) = (ours.lines().next().unwrap(), ours.lines().last().unwrap());
        assert_eq!((first, last), ("start: yes", "tasks 5 5, critical 15 15, loops 2, taskwaits 1, data 1"));
    }
}
