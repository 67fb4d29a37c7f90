//! The summary of a profile: a few lines of `ora report`, made by another process, so that a profile that takes too much time or
//! memory costs the watched program's user nothing, and no exit code.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use profile_analysis::run::Totals;
use terminal::progress::Progress;

/// Nobody waits longer for it.
const LONGEST: Duration = Duration::from_secs(10);
/// A profile with more bytes than this takes longer.
const LARGEST: u64 = 200_000_000;
/// Maximal number of lines in the summary.
const LINES: usize = 7;

/// The lines; none where there is nothing to say.
pub(crate) fn lines(folders: &[PathBuf], totals: &Totals) -> Vec<String> {
    if totals.samples == 0 {
        return Vec::new();
    }
    if totals.bytes > LARGEST {
        return vec!["the profile is too large for a quick summary".to_owned()];
    }
    let mut progress = Progress::alone();
    progress.show("reading the profile");
    match of_child(folders) {
        Some(text) => text.lines().take(LINES).map(str::to_owned).collect(),
        None => vec![format!("a summary takes longer than {} s", LONGEST.as_secs())],
    }
}

/// Output of the child process, empty if it fails. `None`: it takes too long.
fn of_child(folders: &[PathBuf]) -> Option<String> {
    let failed = Some(String::new());
    let Ok(ora) = std::env::current_exe() else { return failed };
    let mut command = Command::new(ora);
    // It ends with this process.
    command.args(["report", "--summary", &std::process::id().to_string(), "--"]).args(folders);
    let Ok(mut child) = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        return failed;
    };
    let (sender, receiver) = channel();
    let mut output = child.stdout.take();
    let reader = thread::Builder::new().spawn(move || {
        let mut text = String::new();
        // Cut text is shown as far as it goes.
        let _ = output.as_mut().map(|output| output.read_to_string(&mut text));
        let _ = sender.send(text);
    });
    let text = receiver.recv_timeout(LONGEST);
    if text.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    if reader.is_err() { failed } else { text.ok() }
}
