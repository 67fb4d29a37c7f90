//! Search for tools of OpenMP 5 on LLVM's runtime, whose tool we are: all other tools get their events through us, no matter how they are
//! found.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::ompt5::{ToolTrace, tool};
use compat_tests::run::{Launch, Outcome};
use compat_tests::skips::missing;

/// Builds the program by clang, with additional sources and flags.
fn program(forge: &Forge, sources: &[&str], flags: &[&str], products: &[&Path], suffix: &str) -> PathBuf {
    let rpath = format!("-Wl,-rpath,{}", libora().parent().unwrap().display());
    let flags = [&["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed", &rpath], &llvm::flags()[..], flags].concat();
    let sources = [&["programs/ompt5.c"], sources].concat();
    forge.link(Language::ClangC11, &sources, &flags, products, &format!("-clang{suffix}"))
}

/// Launches it with a TR2 tool, which this runtime doesn't support: the tool's events come from us.
fn launch(forge: &Forge, program: &Path) -> Launch {
    let other = forge.tool("tr2/every.cc");
    Launch::of(forge, program).arg("region").with_trace().with_ora().with_tool(&other)
}

/// Checks that the tool and the TR2 tool got events of the regions.
fn expect_events(outcome: &Outcome) {
    let reports = ToolTrace::of(outcome);
    let counts = ["start", "initialize", "finalize"].map(|word| reports.only(&[word]).len());
    assert_eq!(counts, [1, 1, 1], "{}", outcome.describe());
    let regions = reports.only(&["parallel_begin"]).len() as u64;
    assert!(
        regions > 0 && outcome.callback_counts("tr2").get(1) == Some(&regions),
        "{regions} {:?}",
        outcome.callback_counts("tr2")
    );
}

#[test]
fn a_tool_in_the_executable_is_behind_us() {
    if !clang_is_here("a_tool_in_the_executable_is_behind_us") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (flags, suffix) in [(&[][..], "-inside"), (&["-s"], "-inside-stripped"), (&["-Wl,-z,now"], "-inside-now")] {
        let program = program(&forge, &["tools5/trace.c"], flags, &[], suffix);
        expect_events(&launch(&forge, &program).run().succeeded());
    }
}

#[test]
fn a_tool_in_an_executable_that_is_linked_to_the_library_is_behind_us() {
    if !clang_is_here("a_tool_in_an_executable_that_is_linked_to_the_library_is_behind_us") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = program(&forge, &["tools5/trace.c"], &[], &[&libora()], "-linked");
    let other = forge.tool("tr2/every.cc");
    expect_events(&Launch::of(&forge, &program).arg("region").with_trace().with_tool(&other).run().succeeded());
}

#[test]
fn a_tool_that_is_preloaded_before_us_or_behind_us_is_behind_us() {
    if !clang_is_here("a_tool_that_is_preloaded_before_us_or_behind_us_is_behind_us") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let (program, tool, other) = (program(&forge, &[], &[], &[], ""), tool(&forge), forge.tool("tr2/every.cc"));
    expect_events(&launch(&forge, &program).with_preload(&tool).run().succeeded());
    let before = Launch::of(&forge, &program).arg("region").with_trace().with_preload(&tool).with_ora();
    expect_events(&before.with_tool(&other).run().succeeded());
}

/// The tools are those that the runtime finds without us.
#[test]
fn a_tool_behind_the_runtime_is_found_where_the_runtime_finds_it() {
    if !clang_is_here("a_tool_behind_the_runtime_is_found_where_the_runtime_finds_it") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let (tool, runtime) = (tool(&forge), Path::new("-lomp"));
    let library = |products: &[&Path], suffix: &str| {
        let flags = ["-O2", "-shared", "-fPIC", "-Wl,--no-as-needed"];
        forge.link(Language::C11, &["programs/opened.c"], &flags, products, suffix)
    };
    let needs_it = library(&[&tool], "-needs-tool.so");
    let opens = |products: &[&Path], suffix: &str| {
        let flags = [&["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed"][..], &llvm::flags()].concat();
        forge.link(Language::ClangC11, &["programs/opens.c"], &flags, products, suffix)
    };
    let plain = opens(&[runtime], "-opens");
    let started = |program: &Path, how: &str, library: &Path, ora: bool| {
        let launch = Launch::of(&forge, program).arg(how).arg(&library.to_string_lossy()).with_trace().threads(2);
        let outcome = if ora { launch.with_ora() } else { launch }.run().succeeded();
        ["start", "initialize", "finalize"].map(|word| ToolTrace::of(&outcome).only(&[word]).len())
    };
    for (program, how, library, found) in [
        (&opens(&[runtime, &tool], "-linked"), "nothing", &tool, 1),
        (&opens(&[runtime, &needs_it], "-needed"), "nothing", &tool, 1),
        (&plain, "local", &tool, 0),
        (&plain, "local", &needs_it, 0),
        (&plain, "global", &tool, 1),
        (&plain, "global", &needs_it, 1),
        (&plain, "nothing", &tool, 0),
    ] {
        for ora in [false, true] {
            let case = format!("{} {how} {} with us: {ora}", program.display(), library.display());
            assert_eq!(started(program, how, library, ora), [found; 3], "{case}");
        }
    }
}

/// The program, and a tool that has declined, get the answers of a runtime that has found no tool.
#[test]
fn without_a_tool_that_stays_the_runtime_says_that_there_is_none() {
    if !clang_is_here("without_a_tool_that_stays_the_runtime_says_that_there_is_none") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = [&["-O2", "-g", "-fopenmp"][..], &llvm::flags()].concat();
    let program = forge.build(Language::ClangC11, &["programs/controls.c"], &flags, "-clang");
    let tool = forge.build(Language::C11, &["tools5/declines.c"], &["-O2", "-shared", "-fPIC"], ".so");
    let other = forge.tool("tr2/every.cc");
    let launch = || Launch::of(&forge, &program).threads(2);
    // The program's own call is bound to `libora.so` if that comes first in the search order, and to the runtime otherwise.
    let later = libora().to_string_lossy().into_owned();
    let alone = launch().run().succeeded().text();
    assert_eq!(alone, "-2 -2 -2\n");
    assert_eq!(launch().with_ora().run().succeeded().text(), alone);
    assert_eq!(launch().env("OMP_TOOL_LIBRARIES", &later).run().succeeded().text(), alone);
    assert_eq!(launch().with_ora().with_tool(&other).run().succeeded().text(), alone);
    for declines in ["start", "initialize", "no"] {
        let launch = || launch().with_preload(&tool).env("DECLINES", declines);
        let natively = launch().run().succeeded().text();
        assert_eq!(natively.contains(" -1"), declines == "no", "{declines}: {natively}");
        assert_eq!(launch().with_ora().run().succeeded().text(), natively, "{declines}");
        let several = launch().with_ora().with_tool(&other).run().succeeded().text();
        assert_eq!(several, natively, "{declines}, with a tool of TR2");
    }
}

#[test]
fn the_record_has_the_answer_of_each_tool() {
    if !clang_is_here("the_record_has_the_answer_of_each_tool") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = program(&forge, &["tools5/trace.c"], &[], &[], "-inside");
    let (tool, record) = (tool(&forge), forge.dir().join(format!("record-{}", std::process::id())));
    let lines = |decline: &str| {
        let run = launch(&forge, &program).env("ORA_TOOL_LOG", &record.to_string_lossy());
        let list = format!("/nowhere/x.so:{}", tool.display());
        let _ = run.env("OMP_TOOL_LIBRARIES", &list).env("TRACE5_DECLINE", decline).run().succeeded();
        let text = fs::read_to_string(&record).unwrap();
        fs::remove_file(&record).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once(" openmp_5 "));
        lines.map(|(_, said)| said.to_owned()).collect::<Vec<_>>()
    };
    let of = |word: &str, file: &Path| format!("{word} {}", file.canonicalize().unwrap().display());
    let words = |word: &str| [of(word, &program), of(word, &tool)];
    assert_eq!(lines(""), [words("asks"), words("attached")].concat());
    assert_eq!(lines("initialize"), [words("asks"), words("declined")].concat());
    let [first, second] = words("asks");
    assert_eq!(lines("start"), [&first, "declined", &second, "declined", "none"]);
}

#[test]
fn a_program_with_the_archive_and_a_tool_has_one_definition() {
    let archive = libora().with_extension("a");
    if !archive.is_file() {
        return missing("a_program_with_the_archive_and_a_tool_has_one_definition", archive.display());
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let system = ["-O2", "-g", "-fopenmp", "-Wl,-u,__omp_collector_api", "-Wl,--no-as-needed"];
    let rest = [Path::new("-lgomp"), Path::new("-lpthread"), Path::new("-ldl"), Path::new("-lm")];
    let products = [&[archive.as_path()], &rest[..]].concat();
    let sources = ["programs/ompt5.c", "tools5/trace.c"];
    // The archive's content changes the program, so the archive's age is part of the product's name.
    let age = archive.metadata().unwrap().modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let program = forge.link(Language::C11, &sources, &system, &products, &format!("-archive-{age}"));
    let outcome = Launch::of(&forge, &program).arg("region").with_trace().run().succeeded();
    assert_eq!(ToolTrace::of(&outcome).only(&["initialize"]).len(), 1, "{}", outcome.describe());
}
