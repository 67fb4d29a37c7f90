//! Programs started by a launcher: each rank has its own answer.

use std::process::Command;

use crate::harness::{Folder, errors, ora, run, source};
use crate::profile_read::seen;

#[test]
fn ranks_share_a_folder() {
    let folder = Folder::new();
    let (program, to) = (folder.compile("plain", "plain", &["-O2"]), folder.file("job"));
    for rank in ["0", "1"] {
        let mut ora = ora(&["profile", "-o"]);
        ora.arg(&to).arg("--").arg(&program).arg("0").env("PMI_RANK", rank).env("PMI_SIZE", "2");
        let output = run(&mut ora);
        assert!(errors(&output).contains("1 process,"), "{}", errors(&output));
    }
    let processes = seen(&to);
    let ranks: Vec<_> = processes.iter().map(|process| (process.info("rank"), process.info("ranks"))).collect();
    assert_eq!(ranks, [("0", "2"), ("1", "2")].map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn no_rank_overwrites_anothers_answer() {
    let folder = Folder::new();
    let program = folder.compile("plain", "plain", &["-O2"]);
    for (name, files) in [("each.json", ["each.0.json", "each.1.json"]), ("of-%r-at-%h", ["of-0-at-", "of-1-at-"])] {
        for rank in ["0", "1"] {
            let mut ora = ora(&["stat", "--json", "-o"]);
            ora.arg(folder.file(name)).arg("--").arg(&program).arg("0").env("PMI_RANK", rank).env("PMI_SIZE", "2");
            run(&mut ora);
        }
        let made: Vec<String> = std::fs::read_dir(folder.file("."))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        for file in files {
            let of_rank: Vec<&String> = made.iter().filter(|made| made.starts_with(file)).collect();
            let [one] = of_rank[..] else { panic!("{file}: {made:?}") };
            assert!(std::fs::read_to_string(folder.file(one)).unwrap().contains("\"ora-stat\""));
        }
        assert!(!made.iter().any(|made| made == name), "{made:?}");
    }
}

#[test]
fn ranks_of_mpirun_have_a_folder_each_whether_ora_is_outside_or_inside() {
    let folder = Folder::new();
    let mut mpicc = Command::new("mpicc");
    mpicc.args(["-O1", "-fopenmp"]).arg(source("ranks"));
    let Some(program) = folder.compile_by(&compat_tests::requirements::MPI, &mut mpicc, "ranks") else { return };
    let mpirun = ["mpirun", "--oversubscribe", "-n", "4"];
    for (name, before, between) in [("outside", &[][..], &mpirun[..]), ("inside", &mpirun[..], &[][..])] {
        let words = [before, &[crate::harness::ORA, "profile", "-o", name, "--"], between].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(&program).current_dir(folder.file("."));
        for variable in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
            command.env(variable, "1");
        }
        let output = run(&mut command);
        assert!(output.status.success(), "{name}: {}", errors(&output));
        let processes = seen(&folder.file(name));
        let program = program.to_string_lossy();
        let ranks = processes.iter().filter(|process| process.info("executable") == program);
        let ranks: Vec<_> = ranks.inspect(|rank| assert!(rank.over && !rank.regions.is_empty())).collect();
        let numbers: Vec<_> = ranks.iter().map(|rank| (rank.info("rank"), rank.info("ranks"))).collect();
        assert_eq!(numbers, ["0", "1", "2", "3"].map(|rank| (rank.to_owned(), "4".to_owned())), "{name}");
    }
}
