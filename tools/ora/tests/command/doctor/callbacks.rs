//! The doctor's table of OMPT callbacks, compared with the answers that real tools get.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::harness::{Answer, Folder};
use crate::harness::ORA;

/// Number and answer of each callback, as a tool gets it under `ora run`.
fn answers(folder: &Folder, program: &Path, source: &str) -> BTreeMap<u32, u32> {
    let tool = folder.tool(source, &format!("{source}.so"), &[]);
    let mut command = Command::new(ORA);
    command.args(["run", "--tool"]).arg(tool).arg("--").arg(program);
    for variable in ["LD_PRELOAD", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "ORA_DISABLE", "ORA_IBAR", "OMP_CANCELLATION"] {
        command.env_remove(variable);
    }
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let pair =
        |line: &str| line.split_once(' ').map(|(number, answer)| (number.parse().unwrap(), answer.parse().unwrap()));
    text.lines().filter_map(pair).collect()
}

/// Number that a header gives to a name.
fn number(header: &str, name: &str) -> u32 {
    let (_, rest) = header.split_once(&format!(" {name} = ")).unwrap_or_else(|| panic!("{name} is not in the header"));
    rest.split(',').next().unwrap().trim().parse().unwrap()
}

#[test]
fn the_table_says_what_tools_are_answered() {
    let folder = Folder::new();
    says_what_tools_are_answered(&folder, &folder.region());
}

#[test]
fn on_llvms_runtime_too_but_for_what_its_releases_answer_differently() {
    let folder = Folder::new();
    if let Some(program) = folder.clang("region", "clang", &[]) {
        says_what_tools_are_answered(&folder, &program);
    }
}

pub(crate) fn says_what_tools_are_answered(folder: &Folder, program: &Path) {
    const BY_RELEASE: u32 = u32::MAX;
    let told = Answer::about(program);
    for (interface, source, header, prefix, codes) in [
        ("tr2", "answers2", "ompt_tr2.h", "ompt_event_", [("always", 4), ("sometimes", 3), ("never", 1)].as_slice()),
        (
            "openmp_5",
            "answers5",
            "omp-tools.h",
            "ompt_callback_",
            &[("always", 5), ("sometimes", 3), ("impossible", 2), ("never", 1)],
        ),
    ] {
        let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers").join(header);
        let header = fs::read_to_string(header).unwrap();
        let mut table = BTreeMap::new();
        for row in told.json["callbacks"].as_array().unwrap().iter().filter(|row| row["interface"] == interface) {
            let answer = row["answer"].as_str().unwrap();
            let known = codes.iter().find(|(word, _)| *word == answer);
            let code = if answer == "by_release" { BY_RELEASE } else { known.unwrap().1 };
            assert!(!row["why"].as_str().unwrap().is_empty() || answer == "always");
            for name in row["names"].as_array().unwrap() {
                let name = format!("{prefix}{}", name.as_str().unwrap());
                assert_eq!(table.insert(number(&header, &name), code), None, "{name} is there twice");
            }
        }
        let mut answers = answers(folder, program, source);
        // No callback has this number.
        answers.retain(|number, answer| *answer != 0 && table.get(number) != Some(&BY_RELEASE));
        table.retain(|_, code| *code != BY_RELEASE);
        assert_eq!(table, answers, "{interface}");
    }
}

#[test]
fn where_nothing_is_reported_no_callback_is_told() {
    let folder = Folder::new();
    let plain = Answer::about(&folder.compile("plain", "plain", &[]));
    assert!(plain.json["callbacks"].as_array().unwrap().is_empty());
}
