//! Search for tools of OpenMP 5: where a tool is found, and why one is not found.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::llvm;
use compat_tests::ompt5::{ToolTrace, named, program, tool};
use compat_tests::run::{Launch, Outcome};
use compat_tests::skips::missing;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Checks that the tool was started once, got events, and was finalized.
fn expect_events(outcome: &Outcome) {
    let reports = ToolTrace::of(outcome);
    let counts =
        ["start", "initialize", "thread_begin", "mutex_released", "finalize"].map(|word| reports.only(&[word]).len());
    assert_eq!(counts, [1, 1, 1, 2, 1], "{}", outcome.describe());
}

/// Checks that the tool was never started.
fn never_started(outcome: &Outcome) {
    assert!(ToolTrace::of(outcome).all().is_empty(), "{:?} {}", ToolTrace::of(outcome), outcome.describe());
}

fn critical(forge: &Forge) -> Launch {
    program(forge, &["critical"])
}

#[test]
fn a_preloaded_tool_is_found_before_the_library_and_behind_it() {
    let forge = forge();
    let tool = tool(&forge);
    expect_events(&critical(&forge).with_preload(&tool).with_ora().run().succeeded());
    expect_events(&critical(&forge).with_ora().with_preload(&tool).run().succeeded());
}

/// Builds the program with the tool linked in, with these flags.
fn with_tool_inside(forge: &Forge, flags: &[&str], suffix: &str) -> PathBuf {
    let flags = [&["-O2", "-g", "-fopenmp"], flags].concat();
    forge.build(Language::C11, &["programs/ompt5.c", "tools5/trace.c"], &flags, suffix)
}

#[test]
fn a_tool_inside_of_the_executable_is_found_exported_or_not() {
    let forge = forge();
    for (flags, suffix) in [(&["-rdynamic"][..], "-exported"), (&[], "-hidden"), (&["-no-pie", "-fno-pie"], "-fixed")] {
        let program = with_tool_inside(&forge, flags, suffix);
        expect_events(&Launch::of(&forge, &program).arg("critical").with_trace().with_ora().run().succeeded());
    }
}

#[test]
fn a_tool_inside_of_a_stripped_executable_is_not_found() {
    let forge = forge();
    let program = with_tool_inside(&forge, &["-s"], "-stripped");
    never_started(&Launch::of(&forge, &program).arg("critical").with_trace().with_ora().run().succeeded());
}

#[test]
fn a_tool_inside_of_an_executable_that_is_linked_to_the_library_is_found_stripped_or_not() {
    let forge = forge();
    let rpath = format!("-Wl,-rpath,{}", libora().parent().unwrap().display());
    for (strip, suffix) in [("-g", "-linked"), ("-s", "-linked-stripped")] {
        let flags = ["-O2", "-fopenmp", "-Wl,--no-as-needed", &rpath, strip];
        let program = forge.link(Language::C11, &["programs/ompt5.c", "tools5/trace.c"], &flags, &[&libora()], suffix);
        expect_events(&Launch::of(&forge, &program).arg("critical").with_trace().run().succeeded());
    }
}

#[test]
fn a_tool_in_a_library_that_the_program_is_linked_to_is_found() {
    let forge = forge();
    let tool = tool(&forge);
    let flags = ["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed"];
    let program = forge.link(Language::C11, &["programs/ompt5.c"], &flags, &[&tool], "-with-tool");
    expect_events(&Launch::of(&forge, &program).arg("critical").with_trace().with_ora().run().succeeded());
    // The same if nothing is preloaded.
    let rpath = format!("-Wl,-rpath,{}", libora().parent().unwrap().display());
    let flags = [&flags[..], &[&rpath]].concat();
    let program = forge.link(Language::C11, &["programs/ompt5.c"], &flags, &[&libora(), &tool], "-with-both");
    expect_events(&Launch::of(&forge, &program).arg("critical").with_trace().run().succeeded());
}

/// Builds a library with a tool that always declines, or with none.
fn other_library(forge: &Forge, text: &str) -> PathBuf {
    let source = forge.file(&format!("{text}.c"), |path| {
        let declines = "void *ompt_start_tool(unsigned v, const char *r) { (void)v; (void)r; return 0; }\n";
        fs::write(path, if text == "declining" { declines } else { "int nothing_of_interest;\n" }).unwrap();
    });
    forge.build(Language::C11, &[&source.to_string_lossy()], &["-O2", "-shared", "-fPIC"], ".so")
}

#[test]
fn the_first_library_of_the_list_whose_tool_wants_to_start_is_taken() {
    let forge = forge();
    let tool = tool(&forge);
    let (declining, without) = (other_library(&forge, "declining"), other_library(&forge, "empty"));
    let list =
        [Path::new("/nowhere/x.so"), &declining, &without, &tool, &tool].map(|path| path.to_string_lossy()).join(":");
    let launch = critical(&forge).with_ora().env("OMP_TOOL_LIBRARIES", &format!("::{list}:"));
    let outcome = launch.env("OMP_TOOL_VERBOSE_INIT", "stderr").run().succeeded();
    expect_events(&outcome);
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let lines: Vec<_> = said.lines().map(|line| line.strip_prefix("ora: ").unwrap()).collect();
    let expected = [
        "looking for a tool of OpenMP 5, for GNU libgomp".to_owned(),
        "ompt_start_tool in the program and its libraries: none".to_owned(),
        "ompt_start_tool in the executable's symbol table: none".to_owned(),
        "OMP_TOOL_LIBRARIES=".to_owned(),
        "/nowhere/x.so can't be opened: /nowhere/x.so: cannot open shared object file".to_owned(),
        format!("ompt_start_tool in {}: there", declining.display()),
        "it declines".to_owned(),
        format!("ompt_start_tool in {}: none", without.display()),
        format!("ompt_start_tool in {}: there", tool.display()),
        "it wants to start".to_owned(),
        "the tool is attached".to_owned(),
    ];
    assert_eq!(lines.len(), expected.len(), "{said}");
    for (line, start) in lines.iter().zip(expected) {
        assert!(line.starts_with(&start), "{line}\n{start}");
    }
}

#[test]
fn a_preloaded_tool_that_declines_leaves_it_to_the_list() {
    let forge = forge();
    let launch = critical(&forge).with_ora().with_preload(&other_library(&forge, "declining"));
    expect_events(&named(launch, &tool(&forge)).run().succeeded());
}

#[test]
fn a_tool_that_declines_is_left_alone() {
    let forge = forge();
    let launch = || named(critical(&forge).with_ora(), &tool(&forge));
    let outcome = launch().env("TRACE5_DECLINE", "start").run().succeeded();
    let reports = ToolTrace::of(&outcome);
    assert!(reports.all().len() == 1 && reports.all()[0].starts_with("start "), "{reports:?}");
    let outcome = launch().env("TRACE5_DECLINE", "initialize").run().succeeded();
    let reports = ToolTrace::of(&outcome);
    assert!(reports.all().len() == 2 && reports.all()[1].starts_with("initialize "), "{reports:?}");
}

#[test]
fn a_program_that_never_uses_openmp_starts_no_tool() {
    let forge = forge();
    never_started(&named(program(&forge, &[]).with_ora(), &tool(&forge)).run().succeeded());
}

#[test]
fn a_query_of_the_runtime_is_a_use_of_it() {
    let forge = forge();
    let outcome = named(program(&forge, &["first"]).with_ora(), &tool(&forge)).run().succeeded();
    assert_eq!(ToolTrace::of(&outcome).only(&["start"]).len(), 1, "{}", outcome.describe());
}

#[test]
fn omp_tool_turns_tools_off_and_on() {
    let forge = forge();
    let with = |value: &str| named(critical(&forge).with_ora(), &tool(&forge)).env("OMP_TOOL", value).run().succeeded();
    for off in ["disabled", "DISABLED"] {
        never_started(&with(off));
    }
    for on in ["enabled", "Enabled", ""] {
        let outcome = with(on);
        expect_events(&outcome);
        assert!(outcome.stderr.is_empty(), "{}", outcome.describe());
    }
    let outcome = with("perhaps");
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("OMP_TOOL=perhaps"), "{}", outcome.describe());
}

#[test]
fn the_log_goes_where_the_variable_says() {
    let forge = forge();
    let with = |value: &str| {
        let launch = named(critical(&forge).with_ora(), &tool(&forge));
        launch.env("OMP_TOOL_VERBOSE_INIT", value).run().succeeded()
    };
    let log = b"ora: looking for a tool of OpenMP 5";
    let (out, err) = (with(" STDOUT\t"), with("stderr "));
    assert!(out.stdout.starts_with(log) && out.stderr.is_empty(), "{}", out.describe());
    assert!(err.stderr.starts_with(log) && err.stdout.is_empty(), "{}", err.describe());
    for silent in [" disabled ", "", "  "] {
        let outcome = with(silent);
        assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{}", outcome.describe());
    }
    let file = forge.dir().join(format!("tool-log-{}", std::process::id()));
    let outcome = with(&file.to_string_lossy());
    assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{}", outcome.describe());
    assert!(fs::read(&file).unwrap().starts_with(log));
    fs::remove_file(&file).unwrap();
}

#[test]
fn where_llvms_runtime_is_loaded_the_tool_is_left_to_it() {
    let Some(runtime) = llvm::runtime("where_llvms_runtime_is_loaded_the_tool_is_left_to_it") else { return };
    let forge = forge();
    // After libgomp in the search order, so that it is not used.
    let flags = ["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed", "-lgomp"];
    let program = forge.link(Language::C11, &["programs/ompt5.c"], &flags, &[&runtime], "-with-libomp");
    let launch = Launch::of(&forge, &program).arg("critical").with_trace().with_ora();
    let outcome = named(launch, &tool(&forge)).env("OMP_TOOL_VERBOSE_INIT", "stderr").run().succeeded();
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert!(said.contains("ora: another runtime in this process has OMPT itself"), "{}", outcome.describe());
    let starts = ToolTrace::of(&outcome);
    assert!(!starts.all().iter().any(|line| line.starts_with("start 202111")), "{}", outcome.describe());
}

#[test]
fn a_program_with_more_rights_than_its_user_opens_neither_tool_nor_log() {
    let test = "a_program_with_more_rights_than_its_user_opens_neither_tool_nor_log";
    let forge = forge();
    let rpath = format!("-Wl,-rpath,{}", libora().parent().unwrap().display());
    let flags = ["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed", &rpath];
    let plain = forge.link(Language::C11, &["programs/ompt5.c"], &flags, &[&libora()], "-plain");
    let name = plain.file_name().unwrap().to_string_lossy().replace("-plain", "-set-group");
    let mut may = true;
    let secure = forge.file(&name, |path| {
        fs::copy(&plain, path).unwrap();
        may = chown(path, None, Some(65534)).is_ok();
        fs::set_permissions(path, fs::Permissions::from_mode(0o2755)).unwrap();
    });
    if !may {
        missing(test, "the right to give a file to another group");
        fs::remove_file(&secure).unwrap();
        return;
    }
    let log = forge.dir().join(format!("secure-log-{}", std::process::id()));
    let with = |program: &Path| {
        let launch = Launch::of(&forge, program).arg("critical").with_trace();
        named(launch, &tool(&forge)).env("OMP_TOOL_VERBOSE_INIT", &log.to_string_lossy()).run().succeeded()
    };
    expect_events(&with(&plain));
    fs::remove_file(&log).unwrap();
    never_started(&with(&secure));
    assert!(!log.exists(), "the log was written");
}

/// The runtime that comes with a tool runs none of the program's regions: the tool stays with libgomp, and starts once.
#[test]
fn a_tool_that_brings_a_runtime_of_its_own_stays_with_the_programs() {
    let Some(runtime) = llvm::runtime("a_tool_that_brings_a_runtime_of_its_own_stays_with_the_programs") else {
        return;
    };
    let forge = forge();
    let flags = [&["-O2", "-shared", "-fPIC", "-Wl,--no-as-needed"][..], &llvm::flags()].concat();
    let tool = forge.link(Language::C11, &["tools5/brings.c"], &flags, &[&runtime], ".so");
    let program = forge.program("five_regions.c");
    for time in ["", "load", "start", "initialize", "region"] {
        let launch = || Launch::of(&forge, &program).threads(2).env("BRINGS", time);
        let listed = named(launch().with_ora(), &tool);
        for launch in [listed, launch().with_ora().with_preload(&tool), launch().with_preload(&tool).with_ora()] {
            let outcome = launch.run().succeeded();
            let said = String::from_utf8_lossy(&outcome.stderr);
            assert_eq!(said, "asked 1, started 1, ended 1, regions 5\n", "{time}: {}", outcome.describe());
        }
    }
}
