//! `ora trace --dump`: copies of a trace that goes on.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// A traced program that has executed some regions, and waits for a line.
struct Waiting {
    ora: Child,
    input: ChildStdin,
    pid: String,
}

impl Waiting {
    /// Starts it; the trace is in the folder `trace`.
    fn begin(folder: &Folder, options: &[&str]) -> Self {
        let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
        let mut command = ora(&["trace", "-o"]);
        command.arg(folder.file("trace")).args(options).arg("--").arg(program).args(["ask", "20"]);
        let mut ora = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = ora.stdin.take().unwrap();
        let mut ready = String::new();
        BufReader::new(ora.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        let process = fs::read_dir(folder.file("trace")).unwrap().next().unwrap().unwrap().file_name();
        let pid = process.to_str().unwrap().strip_prefix("pid-").unwrap().to_owned();
        Self { ora, input, pid }
    }

    /// A copy, as `ora report --json` shows it.
    fn dump(&self, to: &Path) -> Value {
        let output = run(ora(&["trace", "--dump", &self.pid, "-o"]).arg(to));
        assert!(output.status.success(), "{}", errors(&output));
        let said = errors(&output);
        assert!(said.contains(&format!("what process {} has recorded so far", self.pid)), "{said}");
        let output = run(ora(&["report", "--json", "--max", "all"]).arg(to));
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["processes"][0].clone()
    }

    /// Lets it go on.
    fn go_on(&mut self) {
        self.input.write_all(b"\n").unwrap();
    }

    /// Ends it by the end of its input.
    fn end(self) {
        drop(self.input);
        let output = self.ora.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
    }
}

#[test]
fn what_was_recorded_so_far_is_copied_and_the_program_goes_on() {
    for options in [&["--last", "10s"][..], &[]] {
        let folder = Folder::new();
        let mut waiting = Waiting::begin(&folder, options);
        let copy = waiting.dump(&folder.file("copy"));
        assert_eq!(
            [&copy["counts"]["regions"], &copy["counts"]["tasks_executed"], &copy["has_ended"]],
            [&20.into(), &60.into(), &Value::from(false)]
        );
        let place = copy["regions"][0]["place"]["function"].as_str().unwrap();
        assert_eq!(place, "regions");
        waiting.go_on();
        waiting.end();
    }
}

/// The threads write all the time, and use their room again.
#[test]
#[ignore = "slow: --all runs it"]
fn a_copy_of_what_changes_is_whole() {
    let folder = Folder::new();
    let mut waiting = Waiting::begin(&folder, &["--last", "1ms"]);
    waiting.go_on();
    let (mut overwritten, mut met) = (0, 0);
    for number in 0..20 {
        let copy = waiting.dump(&folder.file(&format!("copy-{number}")));
        overwritten = overwritten.max(copy["overwritten_events"].as_u64().unwrap());
        // One region follows another: nothing of an older chunk is read as of a newer one.
        let time = |region: &Value, key: &str| region[key].as_u64().unwrap();
        let regions = copy["regions"].as_array().unwrap().iter();
        let mut times: Vec<_> = regions.map(|it| (time(it, "begin_ns"), time(it, "end_ns"))).collect();
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{times:?}");
        met += times.len();
    }
    // On a busy machine no region may have ended in the last millisecond before a copy.
    assert!(overwritten > 0 && met > 0, "{overwritten} {met}");
    waiting.end();
}

#[test]
fn what_cannot_be_copied_is_said_with_its_cause() {
    let folder = Folder::new();
    let refused = |pid: &str, cause: &str| {
        let output = run(ora(&["trace", "--dump", pid, "-o"]).arg(folder.file("none")));
        assert_eq!(output.status.code(), Some(125), "{}", errors(&output));
        assert!(errors(&output).contains(cause), "{}", errors(&output));
        assert!(!folder.file("none").exists());
    };
    refused("4194305", "there is no process 4194305");
    let mut sleeping = Command::new("sleep").arg("100").spawn().unwrap();
    refused(&sleeping.id().to_string(), "is not being traced");
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    let both = run(&mut ora(&["trace", "--dump", "1", "--", "true"]));
    assert_eq!((both.status.code(), text(&both)), (Some(2), String::new()));
}
