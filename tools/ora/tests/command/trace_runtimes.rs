//! `ora trace` on Intel's runtime, in programs instrumented by OPARI, on a runtime that reports through `ora_embed.h`, in the ranks of a
//! job, and on a full disk.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements;
use serde_json::Value;

use crate::harness::{Folder, ORA, errors, ora, run, source, text};
use crate::instrumented::{libgomp, library, program as by_opari};
use crate::skips::{has, skip};

/// Traces a program, and returns its only process in `ora report --json`.
fn traced(folder: &Folder, command: &mut Command) -> Value {
    let output = run(command);
    assert!(output.status.success(), "{}", errors(&output));
    let report = run(ora(&["report", "--json", "--rows", "all"]).arg(folder.file("trace")));
    let document: Value = serde_json::from_slice(&report.stdout).unwrap_or_else(|_| panic!("{}", errors(&report)));
    let [process] = &document["processes"].as_array().unwrap()[..] else { panic!("{document:#}") };
    assert_eq!((&process["lost_events"], &process["has_ended"]), (&0.into(), &true.into()), "{process:#}");
    process.clone()
}

/// `ora trace` to the folder `trace`, with all kinds of events.
fn trace(folder: &Folder, program: &Path) -> Command {
    let mut command = ora(&["trace", "--events", "regions,sync,tasks,locks,work", "-o"]);
    command.arg(folder.file("trace")).arg("--").arg(program);
    command
}

fn counts(process: &Value, expected: &[(&str, u64)]) {
    for (key, count) in expected {
        assert_eq!(process["counts"][key], *count, "{key}: {}", process["counts"]);
    }
}

#[test]
fn counts_are_exact_on_intels_runtime() {
    let Some(runtime) = std::env::var_os("ORA_TEST_RUNTIMES").map(|it| PathBuf::from(it).join("libiomp5.so")) else {
        return skip("ORA_TEST_RUNTIMES names no folder");
    };
    let folder = Folder::new();
    let places = folder.file("runtime");
    fs::create_dir(&places).unwrap();
    symlink(&runtime, places.join("libiomp5.so")).unwrap();
    let options = ["-std=gnu11", "-g", "-O1", "-fopenmp=libiomp5", "-L", places.to_str().unwrap()];
    let Some(program) = folder.clang("traced", "traced", &options) else { return };
    let process = traced(&folder, trace(&folder, &program).args(["regions", "25"]).env("LD_LIBRARY_PATH", &places));
    assert!(process["runtime"].as_str().unwrap().starts_with("Intel"), "{}", process["runtime"]);
    counts(&process, &[("regions", 25), ("implicit_tasks", 50), ("tasks_created", 75), ("tasks_executed", 75)]);
    counts(&process, &[("taskwaits", 25), ("explicit_barriers", 50), ("criticals", 50), ("locks", 50)]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_that_opari_has_instrumented_are_traced() {
    // With a private libgomp, only OPARI's calls are seen: they have no undeferred tasks, and the barrier at the end of `single` is an
    // implicit one. Otherwise libgomp's calls are seen, and OPARI has made that barrier explicit.
    for (archive, tasks, barriers) in [(false, 30, 4), (true, 28, 2)] {
        let (folder, archive) = (Folder::new(), archive.then(libgomp));
        let options: Vec<&str> = ["-g"].into_iter().chain(archive.as_deref()).collect();
        let Some(program) = by_opari(&folder, &options) else { return };
        let process = traced(&folder, &mut trace(&folder, &program));
        counts(&process, &[("regions", 2), ("implicit_tasks", 4), ("tasks_created", tasks), ("tasks_executed", tasks)]);
        counts(&process, &[("explicit_barriers", barriers), ("criticals", 2)]);
        let wait = &process["longest_waits"][0];
        // The other thread's master region takes 300 ms.
        assert_eq!((&wait["kind"], &wait["cause"]["kind"]), (&"explicit barrier".into(), &"last_arrival".into()));
    }
}

#[test]
fn a_runtime_that_reports_by_the_embedded_interface_is_traced() {
    let folder = Folder::new();
    let (library, embed) = (library(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compat-tests/embed"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-g", "-O1", "-pthread", "-I"]).arg(embed.join("../../headers")).arg("-I").arg(&embed);
    gcc.args(["teams.c", "teams_program.c"].map(|name| embed.join(name)));
    gcc.arg(&library).arg(format!("-Wl,-rpath,{}", library.parent().unwrap().display()));
    let program = folder.compile_by(&requirements::GCC, &mut gcc, "teams").expect("gcc is installed");
    let process = traced(&folder, &mut trace(&folder, &program));
    assert_eq!(process["runtime"], "a runtime with ora_embed.h");
    counts(&process, &[("regions", 3), ("implicit_tasks", 9), ("tasks_created", 36), ("tasks_executed", 36)]);
    counts(&process, &[("explicit_barriers", 9), ("implicit_barriers", 9), ("taskwaits", 9)]);
    let verdict = text(&run(ora(&["doctor", "--"]).arg(&program)));
    assert!(verdict.contains("its OpenMP would be seen") && verdict.contains("ora_embed.h"), "{verdict}");
}

#[test]
fn each_rank_of_a_job_is_traced() {
    let folder = Folder::new();
    let mut mpicc = Command::new("mpicc.openmpi");
    mpicc.args(["-O1", "-fopenmp"]).arg(source("ranks"));
    let Some(program) = folder.compile_by(&requirements::OPENMPI, &mut mpicc, "ranks") else { return };
    let mut job = Command::new("mpirun.openmpi");
    job.args(["--oversubscribe", "-n", "4", ORA, "trace", "--sample", "100", "-o"]).arg(folder.file("trace"));
    job.arg("--").arg(&program).env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = run(&mut job);
    assert!(output.status.success(), "{}", errors(&output));
    let report = run(ora(&["report", "--json"]).arg(folder.file("trace")));
    let document: Value = serde_json::from_slice(&report.stdout).unwrap();
    let processes = document["processes"].as_array().unwrap();
    let ranks: Vec<_> = processes.iter().map(|it| (it["rank"].clone(), it["counts"]["regions"].clone())).collect();
    assert_eq!(ranks, [0, 1, 2, 3].map(|rank| (rank.into(), 1.into())), "{document:#}");
    assert_eq!(document["profile"]["processes"].as_array().unwrap().len(), 4);
    let shown = text(&run(ora(&["report"]).arg(folder.file("trace"))));
    assert!(shown.contains("Job of 4 ranks on 1 machine: 8 threads"), "{shown}");
    // OTF2's own command accepts the archive.
    let archive = folder.file("archive");
    run(ora(&["report", "--otf2"]).arg(&archive).arg(folder.file("trace")));
    if !has(&requirements::OTF2_PRINT) {
        return;
    }
    let printed = run(Command::new("otf2-print").arg(archive.join("traces.otf2")));
    assert!(printed.status.success() && printed.stderr.is_empty(), "{}", errors(&printed));
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let folder = Folder::new();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let small = folder.file("small");
    fs::create_dir(&small).unwrap();
    for sample in ["", "--sample 1000"] {
        // The folder is a small file system in this mount namespace only; its contents are copied out of it.
        let line = format!(
            "mount -t tmpfs -o size=2m none {small} && {{ {ORA} trace {sample} -o {small}/t -- {program} locks 200000; \
             code=$?; cp -r {small}/t {out} && exit $code; }}",
            small = small.display(),
            program = program.display(),
            out = folder.file("trace").display()
        );
        let output = run(Command::new("unshare").args(["--user", "--map-root-user", "--mount", "sh", "-c", &line]));
        if errors(&output).contains("unshare") || errors(&output).contains("mount:") {
            return skip(format_args!("no file system can be mounted: {}", errors(&output)));
        }
        let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{said}");
        assert!(said.contains("No space left on device") && said.contains("events were lost"), "{said}");
        let report = run(ora(&["report", "--json"]).arg(folder.file("trace")));
        let document: Value = serde_json::from_slice(&report.stdout).unwrap();
        let process = &document["processes"][0];
        let number = |key: &str| process[key].as_u64().unwrap();
        assert!(number("events") > 1000 && number("lost_events") > 1000, "{process:#}");
        // Three events each time, plus a few for the region.
        assert!((600_000..600_100).contains(&(number("events") + number("lost_events"))), "{process:#}");
        fs::remove_dir_all(folder.file("trace")).unwrap();
    }
}
