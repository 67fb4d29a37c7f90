//! Pages for browsers: they contain the same figures as the text and the JSON of the same measurement.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run};

/// Data of a page.
fn data(page: &Path) -> Value {
    let page = fs::read_to_string(page).unwrap();
    let data = page.split("<script id=\"data\" type=\"application/json\">").nth(1).unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn statistics_have_a_page_beside_their_table() {
    let folder = Folder::new();
    let (program, page, json) = (folder.program("regions"), folder.file("page.html"), folder.file("stat.json"));
    let mut stat = ora(&["stat", "--json", "-o"]);
    let done = run(stat.arg(&json).arg("--html").arg(&page).arg("--").arg(&program).args(["17", "42"]));
    assert_eq!(done.status.code(), Some(42), "{}", errors(&done));
    let (page, json): (Value, Value) = (data(&page), serde_json::from_slice(&fs::read(json).unwrap()).unwrap());
    let view = &page["views"][0];
    assert!(page["title"].as_str().unwrap().starts_with("OpenMP statistics of "), "{page:#}");
    let rows = view["rows"].as_array().unwrap();
    let counted: u64 = rows.iter().filter_map(|row| row["count"].as_u64()).sum();
    assert_eq!(counted, 17, "{rows:#?}");
    assert!(rows.iter().any(|row| row["kind"] == "region" && !row["name"].as_str().unwrap().is_empty()), "{rows:#?}");
    let labels: Vec<_> = view["tiles"].as_array().unwrap().iter().map(|tile| tile["label"].clone()).collect();
    assert_eq!(labels[..3], ["wall time", "processors used", "parallel efficiency"], "{labels:?}");
    let count = |findings: &Value| findings.as_array().unwrap().len();
    assert_eq!(count(&view["findings"]), count(&json["runs"][0]["processes"][0]["findings"]), "{page:#} {json:#}");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_before_the_program_runs() {
    let done = run(&mut ora(&["stat", "--html", "/no/such/folder/page.html", "--", "echo", "ran"]));
    assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(125), &b""[..]), "{}", errors(&done));
    assert!(errors(&done).contains("cannot write to /no/such/folder/page.html"), "{}", errors(&done));
}
