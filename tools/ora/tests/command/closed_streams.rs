//! A program that is started with closed standard streams starts so under `ora` as well.

use std::process::Command;

use crate::harness::{ORA, run};

/// Ends with the sum of 1, 2 and 4 for a closed stdin, stdout and stderr.
const PROGRAM: &str = "sum=0; for at in '0 1' '1 2' '2 4'; do set -- $at; \
                       [ -e /proc/$$/fd/$1 ] || sum=$((sum + $2)); done; exit $sum";

#[test]
fn streams_that_are_closed_stay_closed_in_the_program() {
    for (closed, sum) in [("", 0), ("<&-", 1), (">&-", 2), ("2>&-", 4), ("<&- >&- 2>&-", 7)] {
        for prefix in ["", "run --", "stat -o /dev/null --", "stat -r 2 -o /dev/null --"] {
            let prefix = if prefix.is_empty() { String::new() } else { format!("{ORA} {prefix}") };
            let line = format!("exec {prefix} sh -c \"$1\" {closed}");
            let status = run(Command::new("sh").args(["-c", &line, "sh", PROGRAM])).status;
            assert_eq!(status.code(), Some(sum), "{line}");
        }
    }
}

#[test]
fn a_program_that_cannot_be_started_leaves_ora_its_streams() {
    let line = format!("exec {ORA} run -- /no/such/program <&- >&-");
    let output = run(Command::new("sh").args(["-c", &line]));
    assert_eq!(output.status.code(), Some(127));
    assert!(crate::harness::errors(&output).contains("no such file"));
}
