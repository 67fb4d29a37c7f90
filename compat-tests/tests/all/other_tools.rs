//! Third-party tools on gcc's programs: each counts on libgomp what it counts on LLVM's runtime.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::run::{Launch, Outcome};
use compat_tests::skips::skip;

/// Callbacks that `programs/known_counts.c` causes, as its first lines list them.
const OF_THE_SOURCE: [(&str, u64); 25] = [
    ("thread_begin", 4),
    ("thread_end", 4),
    ("parallel_begin", 20),
    ("parallel_end", 20),
    ("implicit_begin", 80),
    ("implicit_end", 80),
    ("task_create", 200),
    ("task_complete", 200),
    ("barrier_begin", 260),
    ("barrier_end", 260),
    ("taskwait_begin", 20),
    ("taskwait_end", 20),
    ("taskgroup_begin", 20),
    ("taskgroup_end", 20),
    ("wait_begin", 300),
    ("wait_end", 300),
    ("acquire", 160),
    ("acquired", 160),
    ("released", 160),
    ("loop_begin", 80),
    ("loop_end", 80),
    ("executor", 25),
    ("other", 75),
    ("chunk", 180),
    ("lost_words", 0),
];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// The program by gcc on libgomp, with the library, and by clang on LLVM's runtime alone.
fn on_both(forge: &Forge) -> [Launch; 2] {
    let source = "programs/known_counts.c";
    let flags = [&["-O1", "-g", "-fopenmp"][..], &llvm::flags()].concat();
    let by_clang = forge.build(Language::ClangC11, &[source], &flags, "-clang");
    let by_gcc = forge.build(Language::C11, &[source], &["-O1", "-g", "-fopenmp"], "");
    [Launch::of(forge, &by_gcc).with_ora(), Launch::of(forge, &by_clang)]
}

fn counting_tool(forge: &Forge, multiplexer: Option<&Path>) -> PathBuf {
    let mut flags: Vec<String> = ["-O2", "-g", "-shared", "-fPIC"].map(str::to_owned).to_vec();
    if let Some(header) = multiplexer {
        // The header is not ours, so its warnings are ignored.
        flags.extend(["-w".to_owned(), format!("-DMULTIPLEXED=\"{}\"", header.display())]);
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    forge.build(Language::C99, &["tools5/counts.c"], &flags, ".so")
}

/// Counts of the tool with this name.
fn counts(outcome: &Outcome, name: &str) -> BTreeMap<String, u64> {
    let text = String::from_utf8_lossy(&outcome.stderr);
    let count = |line: &str| {
        let (what, number) = line.strip_prefix(name)?.trim().split_once(' ')?;
        Some((what.to_owned(), number.parse().ok()?))
    };
    text.lines().filter_map(count).collect()
}

#[test]
fn two_tools_in_llvms_multiplexer_count_what_the_source_has() {
    let test = "two_tools_in_llvms_multiplexer_count_what_the_source_has";
    let (true, Some(header)) = (clang_is_here(test), llvm::omp_tools(test)) else { return };
    let forge = forge();
    let (inner, outer) = (counting_tool(&forge, None), header.with_file_name("ompt-multiplex.h"));
    let outer = counting_tool(&forge, Some(&outer));
    let expected: BTreeMap<String, u64> = OF_THE_SOURCE.map(|(name, count)| (name.to_owned(), count)).into();
    for launch in on_both(&forge) {
        let launch = launch.env("OMP_TOOL_LIBRARIES", &outer.to_string_lossy());
        let outcome = launch.env("OUTER_TOOL_LIBRARIES", &inner.to_string_lossy()).run().succeeded();
        for name in ["alone", "outer"] {
            assert_eq!(counts(&outcome, name), expected, "{name}: {}", outcome.describe());
        }
    }
}

/// Records of an EZTrace archive by kind, and its enter and leave records by region.
fn archive(folder: &Path) -> BTreeMap<String, u64> {
    let found = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inner = found(folder).next().unwrap();
    let anchor = found(&inner).find(|path| path.extension().is_some_and(|e| e == "otf2")).unwrap();
    let printed = Command::new("otf2-print").arg(&anchor).output().expect("otf2-print (Debian: otf2-tools)");
    let mut records = BTreeMap::new();
    for line in String::from_utf8_lossy(&printed.stdout).lines() {
        let kind = line.split(' ').next().unwrap_or_default();
        let region = line.split("Region: \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        // Counts all barriers as one kind; the archive lacks the last leave records of some workers of LLVM's runtime.
        let region = if region.ends_with("barrier") { "barrier" } else { region };
        if kind.starts_with("THREAD_") || kind == "ENTER" {
            *records.entry(format!("{kind} {region}")).or_default() += 1;
        }
    }
    records
}

#[test]
fn eztrace_records_the_same_on_libgomp_as_on_llvms_runtime() {
    let test = "eztrace_records_the_same_on_libgomp_as_on_llvms_runtime";
    let Some(tools) = std::env::var_os("ORA_TEST_TOOLS").map(PathBuf::from) else {
        return skip(test, "ORA_TEST_TOOLS names no folder");
    };
    if !clang_is_here(test) {
        return;
    }
    let forge = forge();
    let libraries = tools.join("eztrace/usr/lib/x86_64-linux-gnu");
    let archives = on_both(&forge).map(|launch| {
        let folder = tempfile::tempdir().unwrap();
        let launch = ["libeztrace-lib.so", "libeztrace-ompt.so"]
            .into_iter()
            .fold(launch, |launch, name| launch.with_preload(&libraries.join(name)));
        let launch = [("EZTRACE_LIBRARY_PATH", libraries.as_path()), ("LD_LIBRARY_PATH", &libraries)]
            .into_iter()
            .chain([("EZTRACE_TRACE_DIR", folder.path()), ("EZTRACE_TRACE", Path::new("ompt"))])
            .fold(launch, |launch, (name, value)| launch.env(name, &value.to_string_lossy()));
        let outcome = launch.run().succeeded();
        assert_eq!(outcome.text().trim(), "180", "{}", outcome.describe());
        archive(folder.path())
    });
    assert_eq!(archives[0], archives[1]);
    let of_the_source = [("THREAD_TASK_CREATE ", 200), ("THREAD_TEAM_BEGIN ", 20), ("ENTER barrier", 260)];
    for (record, count) in of_the_source {
        assert_eq!(archives[0].get(record), Some(&count), "{record}: {:?}", archives[0]);
    }
}
