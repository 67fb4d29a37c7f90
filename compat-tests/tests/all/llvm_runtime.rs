//! Adapter for LLVM's runtime: programs compiled by clang behave the same under every kind of observation, sessions work as on libgomp, and
//! two runtimes of different kinds in one process are both reported.

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::clang_is_here;
use compat_tests::numbers::event;
use compat_tests::run::Launch;
use compat_tests::small::small_programs;
use compat_tests::suite::whole_matrix;
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn by_clang(source: &str) -> std::path::PathBuf {
    let language = if source.ends_with(".cc") { Language::ClangCxx17 } else { Language::ClangC11 };
    forge().build(language, &[&format!("programs/{source}")], &["-O2", "-g", "-fopenmp", "-pthread", "-w"], "")
}

/// Programs that clang 19 can't compile or link.
const NOT_FOR_CLANG: [&str; 7] = [
    "small/atomics.c",
    "small/reductions.c",
    "small/scopes.c",
    "small/task_cancel_group.c",
    "small/task_region_reductions.c",
    "small/task_vla.c",
    "small/teams_host.c",
];

/// Programs that sometimes have another result, hang or crash with clang's code or on LLVM's runtime 19, even without us.
const UNSTEADY: [&str; 14] = [
    // A refused allocation temporarily takes some of the pool.
    "small/allocators.c",
    "small/loops_ordered.c",
    "small/loops_private.c",
    "small/loops_scan.c",
    "small/loops_schedules.c",
    "small/private_objects.cc",
    "small/pthreads_queries.c",
    "small/sections_first_last.c",
    "small/task_depend_kinds.c",
    "small/task_exceptions.cc",
    "small/task_fibonacci.c",
    // 2 of 15,400 runs crash if eight run simultaneously on two processors: the runtime's list of freed tasks is corrupt.
    "small/task_pthreads.c",
    "small/task_sort.cc",
    "small/taskwait_depend.c",
];

fn small_programs_go_unnoticed(threads: u32) {
    if !clang_is_here("small programs on LLVM's runtime") {
        return;
    }
    let (some, all) =
        ([Watch::LevelZero, Watch::Beside], [Watch::Disabled, Watch::Tracking, Watch::Armed, Watch::Storm]);
    let watches = if whole_matrix() { &[&some[..], &all, &[Watch::Tool5, Watch::ToolTr2]].concat() } else { &some[..] };
    for small in small_programs() {
        let excused = [&NOT_FOR_CLANG[..], &UNSTEADY].concat();
        // LLVM's runtime sometimes hangs in programs with many tasks: only the whole matrix runs them, as do the tests that count their
        // events.
        let for_later = small.has_tasks() && !whole_matrix();
        if small.is_fortran() || for_later || excused.contains(&&*small.source) {
            continue;
        }
        let program = by_clang(&small.source);
        goes_unnoticed(&forge(), watches, || small.launch(&forge(), &program, threads).awake());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_by_clang_run_as_without_the_library_on_one_thread() {
    small_programs_go_unnoticed(1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_by_clang_run_as_without_the_library_on_four_threads() {
    small_programs_go_unnoticed(4);
}

#[test]
fn sessions_are_what_they_are_on_libgomp() {
    if !clang_is_here("sessions on LLVM's runtime") {
        return;
    }
    let program = by_clang("session.c");
    let kinds = [
        "paused",
        "stopped",
        "unregistered",
        "middle",
        "halves",
        "in-and-out",
        "reentrant",
        "callbacks",
        "races",
        "forked",
        "ended",
    ];
    for kind in kinds {
        let outcome = Launch::of(&forge(), &program).awake().arg(kind).with_ora().run().succeeded();
        assert_eq!(outcome.text(), "", "{}", outcome.describe());
    }
}

#[test]
fn a_collector_finds_a_library_that_only_the_runtime_has_opened() {
    if !clang_is_here("the library as an entry of OMP_TOOL_LIBRARIES") {
        return;
    }
    let launch = Launch::of(&forge(), &by_clang("session.c")).awake().arg("entry");
    let ora = compat_tests::library::libora();
    let outcome = launch.env("OMP_TOOL_LIBRARIES", &ora.to_string_lossy()).run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

#[test]
fn two_kinds_of_runtimes_in_one_process_are_both_told() {
    if !clang_is_here("mixed runtimes") {
        return;
    }
    let build = |language, source: &str, flags: &[&str], ending: &str| {
        forge().build(language, &[&format!("programs/{source}")], &[&["-O2", "-g", "-fopenmp"], flags].concat(), ending)
    };
    for (of_program, of_part) in [(Language::C11, Language::ClangC11), (Language::ClangC11, Language::C11)] {
        let part = build(of_part, "mixed_part.c", &["-shared", "-fPIC"], ".so");
        let launch = || Launch::of(&forge(), &build(of_program, "mixed.c", &["-ldl"], "")).arg(&part.to_string_lossy());
        let bare = launch().run().succeeded();
        assert_eq!(bare.text(), "1218\n");
        let outcome = launch().with_ora().with_collector(&forge().collector("armed.c")).run().succeeded();
        assert_eq!(outcome.text(), bare.text(), "{}", outcome.describe());
        let count = |event| outcome.trace().count(event);
        assert_eq!((count(event::FORK), count(event::JOIN)), (6, 6), "{of_program:?}: {}", outcome.describe());
        assert_eq!(count(event::BEGIN_EBAR), 15, "{of_program:?}: {}", outcome.describe());
        goes_unnoticed(&forge(), &[Watch::LevelZero, Watch::Storm, Watch::Tool5, Watch::Beside], launch);
    }
}
