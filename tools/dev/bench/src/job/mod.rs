//! `bench job`: time and memory of `ora report` on a job of many ranks, which is simulated.

mod simulate;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::{Programs, undisturbed};
use crate::table::{Page, Table};
use simulate::Size;

/// A job as large machines run them, for ten seconds at ten samples a second, or one at a hundred.
const USUAL: Size = Size { ranks: 1024, threads: 64, samples: 100 };
const QUICK: Size = Size { ranks: 8, threads: 4, samples: 20 };
/// Time between two looks at the memory of the command.
const LOOK: Duration = Duration::from_millis(20);

/// Figures of one command.
#[derive(Debug, Serialize)]
struct Cost {
    command: &'static str,
    seconds: f64,
    cpu_seconds: f64,
    memory_mib: f64,
    written_bytes: u64,
}

#[derive(Serialize)]
struct Report {
    size: Size,
    records_bytes: u64,
    costs: Vec<Cost>,
}

/// Simulates the job, and reports it in each form.
///
/// # Errors
/// If the disk has no room, or the command fails.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let size = if options.quick { QUICK } else { USUAL };
    let folder = programs.file("job");
    drop(fs::remove_dir_all(&folder));
    let records_bytes = simulate::write(&folder, size).context("cannot write the simulated job")?;
    let (ora, out) = (programs.ora()?, programs.file("job-report"));
    let mut costs = Vec::new();
    for (command, words) in [
        ("ora report", &["-o"][..]),
        ("ora report --json", &["--json", "-o"]),
        ("ora report --parquet", &["--parquet"]),
    ] {
        drop(fs::remove_file(&out));
        drop(fs::remove_dir_all(&out));
        let mut report = Command::new(&ora);
        undisturbed(&mut report);
        report.arg("report").args(words).arg(&out).arg(&folder).stdout(Stdio::null());
        let (seconds, cpu_seconds, memory_mib) = run(&mut report).with_context(|| command.to_owned())?;
        costs.push(Cost { command, seconds, cpu_seconds, memory_mib, written_bytes: bytes(&out)? });
    }
    fs::remove_dir_all(&folder)?;
    let report = Report { size, records_bytes, costs };
    Answer::new(programs, &report, page(&report))
}

fn page(report: &Report) -> Page {
    let Size { ranks, threads, samples } = report.size;
    let mut page = Page::default();
    let size = report.records_bytes >> 20;
    page.line(&format!("{ranks} ranks of {threads} threads with {samples} samples each: {size} MiB of records"));
    let mut table = Table::new("a job of many ranks", "command", ["s", "CPU s", "MiB of memory", "MiB written"]);
    for Cost { command, seconds, cpu_seconds, memory_mib, written_bytes } in &report.costs {
        table.row(
            command,
            [
                format!("{seconds:.2}"),
                format!("{cpu_seconds:.2}"),
                format!("{memory_mib:.0}"),
                format!("{:.1}", *written_bytes as f64 / f64::from(1 << 20)),
            ],
        );
    }
    page.table(&table);
    page
}

/// Runs a command to its end: its seconds, those of CPU time, and the most memory that it had, in MiB.
pub(crate) fn run(command: &mut Command) -> Result<(f64, f64, f64)> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let [status_file, times_file] = ["status", "stat"].map(|name| format!("/proc/{}/{name}", child.id()));
    let (mut most_kib, mut cpu_seconds) = (0_u64, 0.0_f64);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let text = fs::read_to_string(&status_file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most_kib = most_kib.max(kib.unwrap_or_default());
        cpu_seconds = cpu_seconds.max(cpu(&fs::read_to_string(&times_file).unwrap_or_default()));
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        bail!("it failed: {status}");
    }
    Ok((begun.elapsed().as_secs_f64(), cpu_seconds, most_kib as f64 / 1024.0))
}

/// CPU time in `/proc/PID/stat`: fields 14 and 15, in hundredths of a second (proc_pid_stat(5)).
fn cpu(stat: &str) -> f64 {
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Bytes of a file, or of the files in a folder.
fn bytes(path: &Path) -> Result<u64> {
    if path.is_file() {
        return Ok(path.metadata()?.len());
    }
    let entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    Ok(entries.iter().map(|entry| entry.metadata().map(|file| file.len())).sum::<Result<u64, _>>()?)
}
