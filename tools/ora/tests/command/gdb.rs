//! `ora.py` in gdb, on processes whose threads all wait, and on a core.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Folder, run, text};
use crate::skips::has;

const COMMANDS: [&str; 4] = ["omp threads", "omp regions", "omp waits", "omp tasks"];

fn has_gdb() -> bool {
    has(&compat_tests::requirements::GDB)
}

/// Program whose threads are all asleep.
struct Standing(Child);

impl Standing {
    fn start(program: &Path, case: &str, threads: usize) -> Self {
        let mut command = Command::new(program);
        command.arg(case).env("OMP_WAIT_POLICY", "passive").env_remove("LD_PRELOAD");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let mut quiet = 0;
        while quiet < 20 {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not stand still");
            thread::sleep(Duration::from_millis(10));
            quiet = if asleep(child.id()) >= threads { quiet + 1 } else { 0 };
        }
        Self(child)
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Number of sleeping threads.
fn asleep(pid: u32) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let states = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
    states.filter(|state| state.contains(") S ")).count()
}

/// Outputs of the four commands, one after the other.
fn asked(target: &[&str], end: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gdb/ora.py");
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-batch", "-nx"]).args(target).arg("-ex").arg(format!("source {}", script.display()));
    gdb.env_remove("DEBUGINFOD_URLS").env_remove("LD_PRELOAD").stdin(Stdio::null());
    COMMANDS.iter().chain(end).for_each(|command| _ = gdb.args(["-ex", command]));
    text(&run(&mut gdb))
}

fn hangs(folder: &Folder) -> std::path::PathBuf {
    folder.compile("hangs", "hangs", &["-fopenmp", "-g"])
}

#[test]
#[ignore = "slow: --all runs it"]
fn waits_teams_and_places_are_shown_of_a_process_and_of_its_core() {
    if !has_gdb() {
        return;
    }
    let folder = Folder::new();
    let (program, core) = (hangs(&folder), folder.file("core"));
    let standing = Standing::start(&program, "lock_over_barrier", 3);
    let save = format!("generate-core-file {}", core.display());
    let live = asked(&["-p", &standing.0.id().to_string()], &[&save]);
    let dead = asked(&[program.to_str().unwrap(), core.to_str().unwrap()], &[]);
    for shown in [live, dead] {
        for wanted in [
            "0/3      waits: barrier, meet at hangs.c:",
            "2/3      waits: lock first, lock_over_barrier",
            "level 1, size 3: 0 (thread ",
            "    lock_over_barrier at hangs.c:126\n",
            "  2  barrier, meet at hangs.c:17: thread ",
            "no explicit task is being executed",
        ] {
            assert!(shown.contains(wanted), "{wanted} is missing in:\n{shown}");
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_barrier_to_which_optimized_code_jumps_has_its_line() {
    if !has_gdb() {
        return;
    }
    let folder = Folder::new();
    let program = folder.compile("hangs", "hangs", &["-fopenmp", "-g", "-O2"]);
    let standing = Standing::start(&program, "lock_over_barrier", 3);
    let shown = asked(&["-p", &standing.0.id().to_string()], &[]);
    assert!(shown.contains("  1  barrier, meet at hangs.c:17: thread "), "{shown}");
    assert!(shown.contains("  1  lock first, lock_over_barrier"), "{shown}");
}

#[test]
fn nested_teams_have_their_own_members() {
    if !has_gdb() {
        return;
    }
    let folder = Folder::new();
    let standing = Standing::start(&hangs(&folder), "nested_barrier", 3);
    let shown = asked(&["-p", &standing.0.id().to_string()], &[]);
    for wanted in
        ["1/2 1/2  waits: lock first", "level 1, size 2: 0 (thread 1), 1 (thread ", "level 2, size 2: 0 (thread "]
    {
        assert!(shown.contains(wanted), "{wanted} is missing in:\n{shown}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn explicit_tasks_are_told_from_implicit_ones() {
    if !has_gdb() {
        return;
    }
    let folder = Folder::new();
    let standing = Standing::start(&hangs(&folder), "taskwait_with_lock", 2);
    let shown = asked(&["-p", &standing.0.id().to_string()], &[]);
    assert!(shown.contains("waits: taskwait, taskwait_with_lock"), "{shown}");
    let tasks: Vec<_> = shown.lines().filter(|line| line.starts_with("thread ") && line.contains(": ")).collect();
    assert!(matches!(tasks.as_slice(), [task] if task.contains("hangs.c:190")), "{shown}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_without_openmp_has_nothing_to_show() {
    if !has_gdb() {
        return;
    }
    let mut sleeping = Command::new("sleep").arg("60").spawn().unwrap();
    while asleep(sleeping.id()) == 0 {
        thread::sleep(Duration::from_millis(5));
    }
    let shown = asked(&["-p", &sleeping.id().to_string()], &[]);
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    assert!(shown.contains("the teams of this libgomp can't be read"), "{shown}");
    assert!(shown.contains("no explicit task is being executed"), "{shown}");
}

#[test]
fn forged_teams_and_names_end_no_command_late_and_are_not_obeyed() {
    if !has_gdb() {
        return;
    }
    let folder = Folder::new();
    let program = folder.compile("forged_teams", "forged_teams", &["-fopenmp", "-g"]);
    let standing = Standing::start(&program, "", 3);
    let begun = Instant::now();
    let shown = asked(&["-p", &standing.0.id().to_string()], &["print 3 * 1111"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(shown.contains("esc\\x1b[31m\\x07.c:7") && shown.contains("= 3333"), "{shown}");
    let of_ours = shown.split("thread       LWP").nth(1).unwrap_or_default();
    assert!(!of_ours.contains(|letter: char| letter.is_control() && letter != '\n'), "{shown:?}");
    if cfg!(target_arch = "x86_64") {
        assert!(shown.contains("level 64, size 4294967295: "), "{shown}");
    }
}
