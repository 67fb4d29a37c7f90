//! Runs under valgrind's memcheck, and their findings.

use std::fs;
use std::path::Path;

use crate::forge::Forge;
use crate::run::{Launch, Outcome};

/// Findings of memcheck in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Number of bad reads and writes, and of decisions on uninitialised values.
    pub errors: u64,
    /// Bytes of memory that nothing points to any more.
    pub lost: u64,
    /// Stacks of lost memory that the library under test allocated itself.
    pub lost_by_us: Vec<String>,
}

/// True if valgrind can be run. If not, prints that the test is skipped; on CI that is a failure.
///
/// # Panics
/// With `CI=true`, if valgrind is missing.
pub fn valgrind_is_here(test: &str) -> bool {
    requirements::VALGRIND.is_here(test)
}

/// Launches a program under memcheck; the report goes to `log`.
pub fn under_valgrind(forge: &Forge, program: &Path, log: &Path) -> Launch {
    let launch = Launch::of(forge, Path::new("valgrind")).arg("--quiet").arg("--leak-check=full");
    // A worker that is still alive keeps its thread-local memory, which counts as possibly lost.
    let launch = launch.arg("--show-leak-kinds=definite").arg("--errors-for-leak-kinds=none").arg("-v");
    launch.arg(&format!("--log-file={}", log.display())).arg(&program.to_string_lossy())
}

/// Parses the report of a run.
///
/// # Panics
/// If there is no report, or it is incomplete.
pub fn findings(log: &Path, outcome: &Outcome) -> Findings {
    let text = fs::read_to_string(log).unwrap_or_else(|e| panic!("{}: {e}\n{}", log.display(), outcome.describe()));
    Findings::parse(&text).unwrap_or_else(|| panic!("{text}\n{}", outcome.describe()))
}

impl Findings {
    /// Parses a report; `None` if it is incomplete.
    fn parse(text: &str) -> Option<Self> {
        let number = |words: &str| words.split_whitespace().next()?.replace(',', "").parse::<u64>().ok();
        let after = |what: &str| text.lines().find_map(|line| line.split_once(what)).and_then(|(_, rest)| number(rest));
        let errors = after("ERROR SUMMARY: ")?;
        // Absent if all memory was freed.
        let lost = after("definitely lost: ").unwrap_or(0);
        let lines: Vec<_> =
            text.lines().map(|line| line.split_once("== ").map_or("", |(_, words)| words.trim())).collect();
        let mut lost_by_us = Vec::new();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("definitely lost in loss record")) {
            // Skips the allocator: its caller is the frame that counts.
            let caller =
                lines.iter().skip(at + 2).find(|frame| !frame.contains("vgpreload")).copied().unwrap_or_default();
            if caller.contains("libora") || caller.contains(".rs:") {
                lost_by_us.push(format!("{line}: {caller}"));
            }
        }
        Some(Self { errors, lost, lost_by_us })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
==7== 136 bytes in 1 blocks are definitely lost in loss record 4 of 7
==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x486809C: ??? (in /usr/lib/libgomp.so.1.0.0)
==7==    by 0x4873FAA: ora::somewhere (task.rs:3)
==7== 
==7== 1,000 bytes in 2 blocks are definitely lost in loss record 5 of 7
==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x4873FAA: runtimes::gomp::task (task.rs:3)
==7==    definitely lost: 1,136 bytes in 3 blocks
==7== ERROR SUMMARY: 2 errors from 1 contexts (suppressed: 0 from 0)
";

    #[test]
    fn a_report_is_read() {
        let found = Findings::parse(REPORT).unwrap();
        assert_eq!((found.errors, found.lost), (2, 1136));
        assert_eq!(found.lost_by_us.len(), 1, "{found:?}");
        assert_eq!(Findings::parse("==7== killed\n"), None);
        let clean = "==7== All heap blocks were freed\n==7== ERROR SUMMARY: 0 errors from 0 contexts\n";
        assert_eq!(Findings::parse(clean).map(|f| (f.errors, f.lost)), Some((0, 0)));
    }
}
