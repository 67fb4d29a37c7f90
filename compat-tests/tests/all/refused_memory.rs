//! Memory is refused to the library, at each of its requests in turn, and from each request on. The program's results stay the same, and
//! its user gets one warning that less is reported.

use std::fs;
use std::path::Path;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::clang_is_here;
use compat_tests::pomp::{self, Form, opari_is_here};
use compat_tests::private_libgomp::{copy, wheel};
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::whole_matrix;
use compat_tests::watch::Watch;

const WARNING: &str = "ora: the system refuses memory: some threads and regions go unreported\n";

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Adds the library that refuses memory.
fn refusing(forge: &Forge, launch: Launch) -> Launch {
    let flags = ["-O2", "-shared", "-fPIC", "-pthread"];
    let refuse = forge.build(Language::C11, &["collectors/refuse.c"], &flags, ".so");
    launch.with_preload(&refuse)
}

/// Refuses each request of a run in turn, and all requests from each one on; returns the number of runs with a warning.
fn endures(forge: &Forge, launch: &dyn Fn() -> Launch) -> usize {
    let file = forge.dir().join(format!("requests-{:?}-{}", std::thread::current().id(), std::process::id()));
    let whole = refusing(forge, launch()).env("REFUSE_TELL", &file.to_string_lossy()).run().succeeded();
    let requests = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let _ = fs::remove_file(&file);
    let requests = requests.unwrap_or(0);
    assert!(requests > 0 && whole.stderr.is_empty(), "{requests} requests: {}", whole.describe());
    let most = if whole_matrix() { 200 } else { 6 };
    let mut warned = 0;
    for number in 1..=requests.min(most) {
        for kind in ["", "+"] {
            let outcome = refusing(forge, launch()).env("REFUSE", &format!("{number}{kind}")).run().succeeded();
            assert_eq!(outcome.stdout, whole.stdout, "{}", outcome.describe());
            warned += usize::from(is_warned_once(&outcome));
        }
    }
    warned
}

/// True if the warning is printed once. Fails if anything else is printed.
fn is_warned_once(outcome: &Outcome) -> bool {
    let said = String::from_utf8_lossy(&outcome.stderr);
    assert!(said.is_empty() || said == WARNING, "{}", outcome.describe());
    !said.is_empty()
}

/// Runs it with all three interfaces, and with none.
fn watches(program: &dyn Fn(&Forge) -> Launch) -> usize {
    let forge = forge();
    let ways: &[Watch] = if whole_matrix() { &Watch::LEVELS } else { &[Watch::Together] };
    ways.iter()
        .filter(|way| **way != Watch::Storm)
        .map(|way| endures(&forge, &|| way.over(&forge, program(&forge))))
        .sum()
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_and_tasks_go_on_without_memory() {
    for (source, argument) in [("churn.c", "60"), ("nested.c", ""), ("tasks.c", ""), ("doacross.c", "")] {
        let warned = watches(&|forge| Launch::of(forge, &forge.program(source)).threads(4).arg(argument));
        assert!(warned > 5, "{source}: {warned}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_on_llvms_runtime_go_on_without_memory() {
    if !clang_is_here("programs_on_llvms_runtime_go_on_without_memory") {
        return;
    }
    for source in ["programs/nested.c", "programs/tasks.c"] {
        let flags = ["-O1", "-g", "-fopenmp"];
        let warned = watches(&|forge| {
            Launch::of(forge, &forge.build(Language::ClangC11, &[source], &flags, "-refused")).threads(4).awake()
        });
        assert!(warned > 5, "{source}: {warned}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn instrumented_programs_go_on_without_memory() {
    if !opari_is_here("instrumented_programs_go_on_without_memory") {
        return;
    }
    for form in pomp::INSTRUMENTED {
        let warned = watches(&|forge| Launch::of(forge, &pomp::build(forge, "pomp/constructs.c", form)).threads(4));
        assert!(warned > 5, "{form:?}: {warned}");
    }
    assert_eq!(pomp::INSTRUMENTED, [Form::Dynamic, Form::Static]);
}

/// Each call reaches its own libgomp, even without memory to cache the target.
#[test]
fn private_libgomps_keep_their_callers_without_memory() {
    let warned = watches(&|forge| {
        let libraries = ["gxmp", "gymp"].map(|letters| wheel(forge, Some(&copy(forge, letters))));
        let launch = Launch::of(forge, &forge.plain_program("wheel_host.c")).threads(4).arg("together");
        libraries.iter().fold(launch, |l, library| l.arg(&library.to_string_lossy()))
    });
    assert!(warned > 5, "{warned}");
}

/// The fallback functions need memory only for the program's own tasks.
#[test]
fn a_program_without_a_runtime_goes_on_without_memory() {
    let forge = forge();
    endures(&forge, &|| Launch::of(&forge, &forge.plain_program("stubs.c")).with_ora());
}

/// The library's settings are read without allocating memory.
#[test]
fn settings_are_read_without_memory() {
    let forge = forge();
    let program = forge.program("nested.c");
    for (name, value) in [("ORA_DISABLE", "0"), ("ORA_IBAR", "late"), ("ORA_QUIET", "0"), ("OMP_TOOL", "enabled")] {
        let launch = || Launch::of(&forge, &program).threads(4).with_ora().env(name, value);
        let bare = launch().run().succeeded();
        for refuse in ["1", "1+", "2+"] {
            let outcome = refusing(&forge, launch()).env("REFUSE", refuse).run().succeeded();
            assert_eq!(outcome.stdout, bare.stdout, "{}", outcome.describe());
        }
    }
}

/// Under `ulimit -v`, the system itself may refuse any request.
#[test]
fn a_limit_of_memory_is_met_as_without_the_library_but_for_its_size() {
    const SIZE: u32 = 24_000;
    let forge = forge();
    let program = forge.program("churn.c");
    let limited = |kilobytes: u32| {
        let line = format!("ulimit -v {kilobytes}; exec {} 60", program.display());
        let launch = Launch::of(&forge, Path::new("/bin/sh")).threads(2).arg("-c").arg(&line);
        launch.env("OMP_STACKSIZE", "256k").env("MALLOC_ARENA_MAX", "1")
    };
    let bare = limited(2_000_000).run().succeeded();
    let mut lived = 0;
    for kilobytes in (6_000..30_000).step_by(3_000) {
        if !limited(kilobytes).run().status.success() {
            continue;
        }
        lived += 1;
        for watch in [Watch::LevelZero, Watch::Armed, Watch::Tool5] {
            let outcome = watch.over(&forge, limited(kilobytes + SIZE)).without_trace().run().succeeded();
            assert_eq!(outcome.stdout, bare.stdout, "{}", outcome.describe());
            is_warned_once(&outcome);
        }
    }
    assert!(lived > 0, "the program needs more than the largest limit");
}

#[test]
fn a_program_on_llvms_runtime_has_the_memory_that_a_limit_allows() {
    if !clang_is_here("a_program_on_llvms_runtime_has_the_memory_that_a_limit_allows") {
        return;
    }
    let forge = forge();
    let program = forge.build(Language::ClangC11, &["programs/large_block.c"], &["-O1", "-g", "-fopenmp"], "-limited");
    for limit in ["address space", "data"] {
        let launch = Launch::of(&forge, &program).arg(limit);
        let outcome = Watch::Together.over(&forge, launch).without_trace().run().succeeded();
        assert_eq!(String::from_utf8_lossy(&outcome.stdout), "done\n", "{}", outcome.describe());
    }
}
