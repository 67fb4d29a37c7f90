//! Comparison of the command's own table of names, with which it need not link the library, with the library's.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use std::fmt::Write;
use std::process::Command;

use ora::codes::{ErrorCode, EventNumber, Request, ThreadState};

const CODES: [ErrorCode; ErrorCode::OMP_ERRCODE_LAST as usize] = {
    use ErrorCode::*;
    [
        OMP_ERRCODE_OK,
        OMP_ERRCODE_ERROR,
        OMP_ERRCODE_UNKNOWN,
        OMP_ERRCODE_UNSUPPORTED,
        OMP_ERRCODE_SEQUENCE_ERR,
        OMP_ERRCODE_OBSOLETE,
        OMP_ERRCODE_THREAD_ERR,
        OMP_ERRCODE_MEM_TOO_SMALL,
    ]
};

const STATES: [ThreadState; ThreadState::THR_LAST_STATE as usize - 1] = {
    use ThreadState::*;
    [
        THR_OVHD_STATE,
        THR_WORK_STATE,
        THR_IBAR_STATE,
        THR_EBAR_STATE,
        THR_IDLE_STATE,
        THR_SERIAL_STATE,
        THR_REDUC_STATE,
        THR_LKWT_STATE,
        THR_CTWT_STATE,
        THR_ODWT_STATE,
        THR_ATWT_STATE,
        THR_TASK_CREATE_STATE,
        THR_TASK_SCHEDULE_STATE,
        THR_TASK_SUSPEND_STATE,
        THR_TASK_STEAL_STATE,
        THR_TASK_FINISH_STATE,
    ]
};

#[test]
fn the_commands_names_and_numbers_are_the_librarys() {
    let mut wanted = String::new();
    let mut family = |title: &str, rows: Vec<(i32, String)>| {
        writeln!(wanted, "{title}").unwrap();
        for (number, name) in rows {
            writeln!(wanted, "{number:>4}  {name}").unwrap();
        }
    };
    let requests = (0..Request::OMP_REQ_LAST as i32).map(|n| (n, format!("{:?}", Request::from_raw(n).unwrap())));
    family("requests", requests.collect());
    family("reply codes", CODES.iter().map(|code| (*code as i32, format!("{code:?}"))).collect());
    let events = (0..5000).filter_map(EventNumber::from_raw).map(|event| (event as i32, format!("{event:?}")));
    family("events", events.collect());
    family("states", STATES.iter().map(|state| (*state as i32, format!("{state:?}"))).collect());

    let output = Command::new(env!("CARGO_BIN_EXE_ora")).args(["decode", "--numbers"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
}

#[test]
fn the_command_exports_nothing_and_links_none_of_the_librarys_entry_points() {
    for (options, forbidden) in [(&["-D", "--defined-only"][..], &[""][..]), (&[], &["GOMP_", "__omp_collector_api"])] {
        let output = Command::new("nm").args(options).arg(env!("CARGO_BIN_EXE_ora")).output().expect("nm is installed");
        assert!(output.status.success());
        let symbols = String::from_utf8(output.stdout).unwrap();
        let found = symbols
            .lines()
            .filter_map(|line| line.split(' ').nth(2))
            .find(|name| forbidden.iter().any(|begin| name.starts_with(begin)));
        assert_eq!(found, None);
    }
}
