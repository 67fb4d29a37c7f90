//! `ora scale`: runs with different numbers of threads in turn, and the results.

use std::fs;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;

fn program(folder: &Folder) -> std::path::PathBuf {
    folder.compile("faults/main", "faults", &["-O2", "-g", "-fopenmp"])
}

#[test]
#[ignore = "slow: --all runs it"]
fn each_number_of_threads_has_its_runs_and_its_figures() {
    let folder = Folder::new();
    let [figures, picture, page] = ["figures", "picture.svg", "page.html"].map(|name| folder.file(name));
    let mut command = ora(&["scale", "-t", "2,1", "-r", "2", "--json", "-o"]);
    command.arg(&figures).arg("--svg").arg(&picture).arg("--html").arg(&page);
    let done = run(command.arg("--").arg(program(&folder)).args(["mostly_serial", "faulty", "100"]));
    assert_eq!(done.status.code(), Some(0), "{}", errors(&done));
    assert_eq!(text(&done).lines().count(), 4, "the program's own output");
    let figures: Value = document(fs::read(figures).unwrap());
    let runs = figures["runs"].as_array().unwrap();
    let number = |of: &Value| of.as_f64().unwrap();
    assert_eq!(runs.iter().map(|run| number(&run["threads"])).collect::<Vec<_>>(), [1.0, 2.0]);
    for run in runs {
        assert_eq!(run["team"], run["threads"]);
        assert_eq!(run["walls_ns"].as_array().unwrap().len(), 2);
        let faster = number(&run["speedup"]);
        assert!((number(&run["efficiency"]) - faster / number(&run["threads"])).abs() < 1e-9);
        assert!((faster - number(&runs[0]["wall_ns"]) / number(&run["wall_ns"])).abs() < 1e-9);
        // The times of a busy machine affect all parts of the efficiency together.
        let product = number(&run["parallel_efficiency"]) * number(&run["computation_scaling"]);
        let whole = number(&run["efficiency"]) * number(&runs[0]["parallel_efficiency"]);
        assert!((product - whole).abs() < 1e-6, "{product} {whole}");
    }
    let regions = figures["regions"].as_array().unwrap();
    let names: Vec<_> = regions.iter().map(|region| region["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"code outside of regions"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("mostly_serial at regions.c:")), "{names:?}");
    assert!(fs::read_to_string(picture).unwrap().ends_with("</svg>\n"));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("mostly_serial") && page.contains("<svg") && page.ends_with("</html>\n"), "{page}");
}

#[test]
fn a_program_that_sets_the_number_itself_is_named() {
    let folder = Folder::new();
    let done =
        run(ora(&["scale", "-t", "1,2", "-r", "1", "--"]).arg(program(&folder)).args(["nested", "mended", "20"]));
    let table = errors(&done);
    let first = table.split("Finding: ").nth(1).unwrap();
    assert!(first.starts_with("The largest team had 2 threads in all runs, whatever OMP_NUM_THREADS was"), "{table}");
}

#[test]
fn without_regions_or_success_there_is_no_scaling() {
    let failed = run(&mut ora(&["scale", "-t", "1,2", "--", "sh", "-c", "echo $OMP_NUM_THREADS; exit 7"]));
    assert_eq!((failed.status.code(), text(&failed).as_str()), (Some(7), "1\n"));
    assert!(errors(&failed).contains("stopped at run 1 of 6, with OMP_NUM_THREADS=1"), "{}", errors(&failed));
    let unseen = run(&mut ora(&["scale", "-t", "1,2", "-r", "1", "--", "true"]));
    assert_eq!(unseen.status.code(), Some(125));
    assert!(errors(&unseen).contains("no parallel region was seen"), "{}", errors(&unseen));
    let wrong = run(&mut ora(&["scale", "-t", "0", "--", "true"]));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(errors(&wrong).contains("a list such as 1,2,4-8"), "{}", errors(&wrong));
}
