//! `ora report --parquet`: DuckDB reads the tables, and computes the sums that the report contains in JSON.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::page;
use crate::skips;

/// Prints the columns of each table, and sums that have to agree with those of the report.
const SCRIPT: &str = "
import duckdb, json, sys
tables = ['samples', 'stacks', 'regions', 'waits']
for table in tables:
    duckdb.execute(f\"CREATE VIEW {table} AS FROM '{sys.argv[1]}/{table}.parquet'\")
def ask(sql):
    return duckdb.execute(sql).fetchall()
print(json.dumps({
    'columns': {table: [row[0] for row in ask(f'DESCRIBE {table}')] for table in tables},
    'samples': ask('SELECT count(*), sum(wall_ns)::BIGINT, sum(cpu_ns)::BIGINT FROM samples WHERE NOT outside_of_openmp')[0],
    'waits_of_samples': ask('SELECT sum(wall_ns)::BIGINT FROM samples WHERE waits AND NOT outside_of_openmp')[0][0],
    'waits': ask('SELECT sum(wait_ns)::BIGINT FROM waits')[0][0],
    'regions': ask('SELECT function, line, sum(work_ns)::BIGINT, sum(wait_ns)::BIGINT FROM regions GROUP BY ALL ORDER BY ALL'),
    'unknown_stacks': ask('SELECT count(*) FROM samples WHERE stack > 0 AND stack NOT IN (SELECT stack FROM stacks)')[0][0],
    'leaves': ask('SELECT count(*) FROM samples JOIN stacks USING (stack) WHERE depth = 0 AND samples.function != stacks.function')[0][0],
}))
";

/// Python with DuckDB.
fn python() -> Option<PathBuf> {
    let python = skips::python()?;
    let has_duckdb = Command::new(&python).args(["-c", "import duckdb"]).output().is_ok_and(|it| it.status.success());
    if !has_duckdb {
        skips::missing("duckdb for the Python that ORA_TEST_PYTHON names");
    }
    has_duckdb.then_some(python)
}

/// Columns of each table, according to the reference.
fn documented(table: &str) -> Vec<String> {
    let page = page("parquet.md");
    let part = page.split("\n## ").find(|part| part.starts_with(&format!("`{table}.parquet`"))).unwrap();
    let rows = part.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.flat_map(|row| row.split('|').next().unwrap().split('`').step_by(2)).map(str::to_owned).collect()
}

#[test]
#[ignore = "slow: --all runs it"]
fn duckdb_finds_the_sums_of_the_report_in_documented_columns() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let (profile, tables) = (folder.file("profile"), folder.file("tables"));
    let program = folder.compile("known_efficiency", "program", &["-O1", "-g", "-fopenmp"]);
    let mut watch = ora(&["profile", "-o"]);
    watch.arg(&profile).arg("--").arg(program).args(["critical", "300"]).env("OMP_NUM_THREADS", "2");
    assert!(run(&mut watch).status.success());
    let written = run(ora(&["report", "--parquet"]).args([&tables, &profile]));
    assert!(written.status.success() && text(&written).is_empty(), "{}", errors(&written));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let asked = run(Command::new(python).args(["-c", SCRIPT]).arg(&tables));
    assert!(asked.status.success(), "{}", errors(&asked));
    let found: Value = serde_json::from_str(&text(&asked)).unwrap();

    for (table, columns) in found["columns"].as_object().unwrap() {
        let columns: Vec<&str> = columns.as_array().unwrap().iter().map(|column| column.as_str().unwrap()).collect();
        assert_eq!(columns, documented(table), "{table}");
    }
    let total = &report["total"];
    assert!(total["samples"].as_u64().unwrap() > 0, "{report}");
    // A sample has a row more for the part without a processor.
    assert!(found["samples"][0].as_u64() >= total["samples"].as_u64(), "{found} {total}");
    assert_eq!((&found["samples"][1], &found["samples"][2]), (&total["total_ns"], &total["cpu_ns"]));
    assert_eq!((&found["waits"], &found["waits_of_samples"]), (&total["wait_ns"], &total["wait_ns"]));
    assert_eq!((&found["unknown_stacks"], &found["leaves"]), (&0.into(), &0.into()));
    let regions = report["regions"].as_array().unwrap().iter();
    let mut wanted: Vec<Value> = regions
        .map(|region| serde_json::json!([region["function"], region["line"], region["work_ns"], region["wait_ns"]]))
        .collect();
    wanted.sort_by_key(|row| row[1].as_u64());
    assert_eq!(found["regions"], Value::Array(wanted));
}

#[test]
fn a_trace_has_no_samples_to_write() {
    let folder = Folder::new();
    let trace = folder.file("trace");
    run(ora(&["trace", "-o"]).arg(&trace).arg("--").arg(folder.program("regions")).arg("4"));
    let refused = run(ora(&["report", "--parquet"]).arg(folder.file("tables")).arg(&trace));
    assert!(
        !refused.status.success() && errors(&refused).contains("which a trace doesn't have"),
        "{}",
        errors(&refused)
    );
}
