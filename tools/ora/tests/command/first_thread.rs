//! Programs whose first thread has ended by `pthread_exit`: what `/proc/PID` has of such a process is empty.

use crate::harness::{Folder, errors, ora, run, text};

#[test]
fn places_are_known_once_the_first_thread_has_ended() {
    let folder = Folder::new();
    let program = folder.compile("first_thread", "first_thread", &["-fopenmp", "-g"]);
    let trace = folder.file("trace");
    let mut watched = [ora(&["stat", "-o", "-"]), ora(&["tasks", "-o", "-"]), ora(&["trace", "-o"])];
    watched[2].arg(&trace);
    for command in &mut watched {
        let output = run(command.arg("--").arg(&program));
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", errors(&output));
        let is_trace = text(&output) == "ready\n";
        let output = if is_trace { run(ora(&["report"]).arg(&trace)) } else { output };
        let said = text(&output);
        assert!(said.contains("step at first_thread.c:"), "{command:?}: {said}{}", errors(&output));
        assert!(!said.contains("place unknown"), "{command:?}: {said}");
    }
}
