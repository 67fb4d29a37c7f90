//! Shared memory that a watched program changes, or that another user has forged.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicU64};

use stat_layout::area::Shared as _;
use stat_layout::process_table::{Header, ProcessSlot, ProcessTable};
use stat_layout::stat::layout::Area;

use crate::attach_elsewhere::{NOBODY, program, started};
use crate::harness::{Folder, errors, ora, run, stat, text};
use crate::other_environments::is_root;
use crate::skips::may_run;
use crate::terminal_picture::Screen;

#[test]
fn a_program_that_truncates_what_it_has_inherited_ends_no_command() {
    let folder = Folder::new();
    let program = folder.program("truncates");
    let output = stat(&[], &program, &[]);
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "0\n"), "{}", errors(&output));
    assert!(errors(&output).contains("parallel regions  3 "), "{}", errors(&output));
    for words in [&["tasks", "--"][..], &["validate", "--"]] {
        let output = run(ora(words).arg(&program));
        assert_ne!(output.status.code(), None, "{words:?}: {}", errors(&output));
        assert!(text(&output).contains("0\n"), "{words:?}: {}", text(&output));
    }
}

/// That memory contains the process id of the program.
#[test]
fn a_program_that_names_another_process_as_itself_has_nobody_else_interrupted() {
    let folder = Folder::new();
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let place = std::mem::offset_of!(Area, process_table.header.root_pid);
    let program = folder.program("forges_root");
    let mut command = ora(&["top", "--interval", "0.2", "--"]);
    let mut screen = Screen::of(command.arg(program).args([place.to_string(), other.id().to_string()]));
    screen.shows(&["processors used"]);
    screen.press("q");
    let code = screen.ends();
    let is_alive = other.try_wait().unwrap().is_none();
    let _ = other.kill();
    other.wait().unwrap();
    // The signal kills the program, and `ora` ends in the same way.
    assert_eq!((code, is_alive), (None, true));
}

/// Memory that describes a process, and the process of another user that has created the memory.
fn forged(folder: &Folder, sign: i64, pid: u32) -> Child {
    let program = folder.compile("forges_page", "forges_page", &[]);
    fs::set_permissions(folder.file("."), PermissionsExt::from_mode(0o755)).unwrap();
    let slot = slots_at();
    let both = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let in_header = |at: usize| std::mem::offset_of!(Header, version) + at;
    let words: Vec<(usize, u64)> = vec![
        (std::mem::offset_of!(Header, magic), Area::MAGIC),
        (in_header(0), both(Area::VERSION, pid)),
        (std::mem::offset_of!(Header, no_follow), both(0, 1)),
        (slot + std::mem::offset_of!(ProcessSlot, pid), both(pid, 1)),
        // The start time is a century ahead, so that it appears to be younger than any process.
        (slot + std::mem::offset_of!(ProcessSlot, start_ns), 1 << 61),
    ];
    let size = i64::try_from(size_of::<Area>()).unwrap() * sign;
    let mut command = Command::new(NOBODY[0]);
    command.args(&NOBODY[1..]).arg(program).arg(size.to_string());
    words.iter().for_each(|(at, word)| _ = command.args([at.to_string(), word.to_string()]));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
    assert_eq!(ready, "ready\n");
    child
}

/// Offset of the first process's slot.
fn slots_at() -> usize {
    const { assert!(size_of::<AtomicU32>() == 4 && size_of::<AtomicU64>() == 8) };
    size_of::<ProcessTable>() - stat_layout::process_table::PROCESSES * size_of::<ProcessSlot>()
}

#[test]
fn a_page_that_another_user_has_forged_is_not_shown() {
    if !is_root() || !may_run(&NOBODY, "true") {
        return;
    }
    let folder = Folder::new();
    let of_root = started(&[], &program(&folder));
    let of_nobody = started(&NOBODY, &program(&folder));
    let counts = |pid: &str| {
        let output = run(&mut ora(&["top", "--batch", "--interval", "0.1", "--count", "1"]));
        assert!(output.status.success(), "{}", errors(&output));
        let table = text(&output);
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(pid));
        line.unwrap_or_else(|| panic!("{pid}: {table}")).contains("counts")
    };
    // The same memory is trusted for a process of its owner, and only if its size is sealed.
    for (running, sign, is_believed) in [(&of_root, 1, false), (&of_nobody, 1, true), (&of_nobody, -1, false)] {
        let mut forging = forged(&folder, sign, running.id());
        assert_eq!(counts(&running.pid()), is_believed, "{sign}");
        drop(forging.stdin.take());
        assert!(forging.wait().unwrap().success());
    }
    of_root.ends_as_before();
    of_nobody.ends_as_before();
}

#[test]
fn a_process_in_another_time_namespace_has_as_many_processors_as_elsewhere() {
    let namespace = ["unshare", "--time", "--monotonic", "100000000"];
    if !is_root() || !may_run(&namespace, "true") {
        return;
    }
    let folder = Folder::new();
    let running = started(&namespace, &program(&folder));
    let figure = |table: &str, of: &str| -> f64 {
        let words: Vec<&str> = table.split_whitespace().collect();
        let of: Vec<&str> = of.split(' ').collect();
        let at = words.windows(of.len()).position(|window| window == of).unwrap_or_else(|| panic!("{table}"));
        words[at - 1].trim_start_matches('(').parse().unwrap()
    };
    let attached = run(&mut ora(&["attach", &running.pid(), "--seconds", "0.3"]));
    let top = run(&mut ora(&["top", &running.pid(), "--batch", "--interval", "0.3", "--count", "1"]));
    let (attached, top) = (errors(&attached) + &text(&attached), errors(&top) + &text(&top));
    for used in
        [figure(&attached.replace("average),", "average)"), "processors on average)"), figure(&top, "processors used,")]
    {
        assert!((0.01..=64.0).contains(&used), "{attached}\n{top}");
    }
    running.ends_as_before();
    // The system has no clock for a process that has ended.
    let program = folder.program("regions");
    let output = run(ora(&["stat", "--"]).args(namespace).arg(&program));
    let processors = figure(&errors(&output).replace("average),", "average)"), "processors on average)");
    assert!((0.01..=64.0).contains(&processors), "{}", errors(&output));
}
