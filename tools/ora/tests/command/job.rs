//! Jobs of real ranks, under both of Debian's MPI libraries: `ora stat` and `ora profile` report on the job first.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use compat_tests::requirements::{MPICH, OPENMPI, Requirement};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, source, text};

/// Requirement, compiler and launcher of each library, by Debian's names.
const LIBRARIES: [(&Requirement, &str, &[&str]); 2] = [
    (&OPENMPI, "mpicc.openmpi", &["mpirun.openmpi", "--oversubscribe", "-n", "4"]),
    (&MPICH, "mpicc.mpich", &["mpirun.mpich", "-n", "4"]),
];

/// Number of attempts, because short runs have few samples; the first one mostly suffices.
const RUNS: usize = 10;

/// Compiles the program. `None` if the library is missing, and then a line is printed.
fn program(folder: &Folder, library: &Requirement, compiler: &str) -> Option<PathBuf> {
    folder.compile_by(
        library,
        Command::new(compiler).args(["-g", "-O1", "-fopenmp"]).arg(source("uneven_ranks")),
        "ranks",
    )
}

/// Runs an `ora` command that is followed by the launcher and the program.
fn launch(words: &[&str], launcher: &[&str], program: &Path) -> Output {
    let mut command = ora(words);
    command.args(launcher).arg(program);
    for variable in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(variable, "1");
    }
    let output = run(&mut command);
    assert!(output.status.success(), "{}", errors(&output));
    output
}

/// Checks what must be true on any machine. Returns true if the last rank, which works longer, has the most useful time, and ranks were
/// seen in MPI. Wall times, and so the differences, depend on other programs on a busy machine.
fn is_as_expected(job: &Value) -> bool {
    assert_eq!(job["ranks"], 4, "{job}");
    assert_eq!(job["hosts"].as_array().unwrap().len(), 1, "{job}");
    let ranks = job["by_rank"].as_array().unwrap();
    let numbers: Vec<_> = ranks.iter().map(|rank| rank["rank"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3], "{job}");
    let ns = |rank: &Value, key: &str| rank[key].as_u64().unwrap();
    for rank in ranks {
        assert_eq!(rank["threads"], 2, "{job}");
    }
    let mean = ranks.iter().map(|rank| ns(rank, "mpi_ns")).sum::<u64>() / 4;
    assert_eq!(job["mpi_ns"].as_u64().unwrap(), mean, "{job}");
    let efficiency = &job["efficiency"];
    let of = |value: &Value| value.as_f64().unwrap();
    let mpi = of(&efficiency["mpi"]["load_balance"]) * of(&efficiency["mpi"]["communication"]);
    assert!((mpi - of(&efficiency["mpi"]["parallel"])).abs() < 1e-6, "{job}");
    assert!((mpi * of(&efficiency["openmp"]["parallel"]) - of(&efficiency["parallel"])).abs() < 1e-6, "{job}");
    let busiest = ranks.iter().max_by_key(|rank| ns(rank, "useful_ns")).unwrap();
    // A rank that hardly gets a processor has no sample in its own code.
    busiest["rank"] == 3 && mean > 0 && ranks.iter().all(|rank| ns(rank, "useful_ns") > 0)
}

#[test]
fn ora_stat_tells_of_the_job_and_of_the_rank_with_the_most_work() {
    for (library, compiler, launcher) in LIBRARIES {
        let folder = Folder::new();
        let Some(program) = program(&folder, library, compiler) else { continue };
        let file = folder.file("stat");
        let mut last = Value::Null;
        let found = (0..RUNS).any(|_| {
            launch(&["stat", "--json", "-o", file.to_str().unwrap(), "--"], launcher, &program);
            let report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            last = report["runs"][0]["job"].clone();
            is_as_expected(&last)
        });
        assert!(found, "{compiler}: {last}");
    }
}

#[test]
fn the_table_begins_with_the_job_and_shows_all_ranks_on_request() {
    for (library, compiler, launcher) in LIBRARIES {
        let folder = Folder::new();
        let Some(program) = program(&folder, library, compiler) else { continue };
        let table = errors(&launch(&["stat", "--rows", "all", "--"], launcher, &program));
        let places =
            ["Job of 4 ranks on ", "time in MPI", "efficiency", "Other processes that used OpenMP: 4", "(pid "];
        let places = places.map(|text| table.find(text).unwrap_or_else(|| panic!("{compiler}: no {text} in {table}")));
        assert!(places.is_sorted(), "{compiler}: {table}");
        assert_eq!(table.matches("(pid ").count(), 4, "{compiler}: {table}");
        assert!((0..4).all(|rank| table.contains(&format!("\n   rank {rank}: '"))), "{compiler}: {table}");
    }
}

#[test]
fn a_report_tells_of_the_job_first() {
    for (library, compiler, launcher) in LIBRARIES {
        let folder = Folder::new();
        let Some(program) = program(&folder, library, compiler) else { continue };
        let mut last = Value::Null;
        let found = (0..RUNS).any(|number| {
            let profile = folder.file(&format!("profile-{number}"));
            launch(&["profile", "-o", profile.to_str().unwrap(), "--"], launcher, &program);
            let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
            last = report["job"].clone();
            let page = text(&run(ora(&["report"]).arg(&profile)));
            let [job, all] = ["Job of 4 ranks on ", "All processes"].map(|text| page.find(text).expect("a heading"));
            assert!(job < all, "{page}");
            assert!(page.contains(" of the launcher, whose time counts nowhere"), "{page}");
            is_as_expected(&last)
        });
        assert!(found, "{compiler}: {last}");
    }
}

#[test]
fn a_trace_tells_of_the_job_first_and_names_processes_by_their_ranks() {
    for (library, compiler, launcher) in LIBRARIES {
        let folder = Folder::new();
        let Some(program) = program(&folder, library, compiler) else { continue };
        let (trace, markers) = (folder.file("trace"), folder.file("markers.json"));
        launch(&["trace", "-o", trace.to_str().unwrap(), "--"], launcher, &program);
        let page = text(&run(ora(&["report"]).arg(&trace)));
        let places = ["Job of 4 ranks on 1 machine: ", "Trace of rank 0, '", "Trace of rank 3, '"];
        let places = places.map(|text| page.find(text).unwrap_or_else(|| panic!("{compiler}: no {text} in {page}")));
        assert!(places.is_sorted(), "{compiler}: {page}");
        run(ora(&["report", "--firefox"]).args([&markers, &trace]));
        let names = std::fs::read_to_string(markers).unwrap();
        assert!((0..4).all(|rank| names.contains(&format!("\"rank {rank}: "))), "{compiler}: {names}");
    }
}

#[test]
fn a_program_without_ranks_is_no_job() {
    let folder = Folder::new();
    let file = folder.file("stat");
    run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(folder.program("regions")).arg("4"));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(report["runs"][0].get("job"), Some(&Value::Null));
}
