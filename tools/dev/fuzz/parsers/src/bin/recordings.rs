//! The command `recordings`: damages recordings, and lets every reader of `ora report` read each of them in a separate process with limited
//! memory. Fails at the first one that takes too long or makes that process exit.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)] // a command for developers; a panic is a finding

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{env, thread};

use parsers::recordings::{Recording, play, real, simulated};
use rustix::process::{Resource, Rlimit, setrlimit};
use symbols::Files;

/// Number of recordings that one process reads: the process keeps the files with names that the recordings mention.
const BATCH: u64 = 500;
/// Maximum time for one recording.
const LONGEST: Duration = Duration::from_secs(10);
/// Address space of the readers, in bytes.
const MEMORY: u64 = 3 << 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    if arguments.first().is_some_and(|word| word == "--worker") {
        read_all(Path::new(&arguments[1]), number(2, 0), number(3, 0));
        return ExitCode::SUCCESS;
    }
    run(number(0, 10_000), number(1, 0))
}

/// Reads this many recordings in other processes, starting with the seed `first`.
fn run(count: u64, first: u64) -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let ora = env::current_exe().unwrap().with_file_name("ora");
    let mut recordings = simulated::recordings();
    match real::recordings(&ora, folder.path()) {
        Ok(real) => recordings.extend(real),
        Err(error) => println!("simulated recordings only: {error}"),
    }
    let saved = folder.path().join("saved");
    for (number, recording) in recordings.iter().enumerate() {
        recording.write(&saved.join(number.to_string())).unwrap();
    }
    let found = ora.with_file_name("../fuzz/found/recordings");
    // Real recordings differ each time, so the seed alone doesn't reproduce one.
    let keep = |seed: u64, name: &str| {
        let kept = found.join(name);
        let damaged = recordings[usize::try_from(seed).unwrap() % recordings.len()].damaged(seed);
        damaged.write(&kept.join("pid-1")).unwrap();
        kept
    };
    let mut times = Vec::new();
    let mut failed = Vec::new();
    let mut next = first;
    while next < first + count {
        let batch = BATCH.min(first + count - next);
        match until_failure(&saved, next, batch, &mut times) {
            None => next += batch,
            Some((seed, why)) => {
                let kept = keep(seed, &format!("recording-{seed}"));
                println!("recording {seed}: {why}; it is in {}", kept.display());
                failed.push(seed);
                next = seed + 1;
            }
        }
    }
    times.sort();
    let at =
        |part: usize| times.get(times.len() * part / 100).or(times.last()).map_or(Duration::ZERO, |(took, _)| *took);
    if let Some((_, slowest)) = times.last() {
        keep(*slowest, "slowest");
    }
    println!(
        "{} recordings: median {:.4} s, 99 % {:.4} s, longest {:.2} s; failed: {failed:?}",
        times.len(),
        at(50).as_secs_f64(),
        at(99).as_secs_f64(),
        at(100).as_secs_f64()
    );
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs another process on the recordings until one fails; returns its seed and the reason.
fn until_failure(saved: &Path, first: u64, count: u64, times: &mut Vec<(Duration, u64)>) -> Option<(u64, String)> {
    let mut command = Command::new(env::current_exe().unwrap());
    command.arg("--worker").arg(saved).arg(first.to_string()).arg(count.to_string());
    let mut worker = command.stdout(Stdio::piped()).spawn().unwrap();
    let (sender, lines) = channel();
    let output = BufReader::new(worker.stdout.take().unwrap());
    let reader = thread::spawn(move || output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
    let mut next = first;
    let why = loop {
        let begun = Instant::now();
        match lines.recv_timeout(LONGEST + Duration::from_secs(5)) {
            Ok(line) => {
                let (seed, micros) = line.split_once(' ').unwrap();
                let took = Duration::from_micros(micros.parse().unwrap());
                next = seed.parse::<u64>().unwrap() + 1;
                times.push((took, next - 1));
                if took > LONGEST {
                    break Some((next - 1, format!("took {:.1} s", took.as_secs_f64())));
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                break Some((next, format!("does not end in {:.0} s", begun.elapsed().as_secs_f64())));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = worker.wait().unwrap();
                break (!status.success()).then(|| (next, status.to_string()));
            }
        }
    };
    _ = worker.kill();
    _ = worker.wait();
    drop(lines);
    _ = reader.join();
    why
}

/// Reads the recordings, and prints the seed and the time in microseconds for each.
fn read_all(saved: &Path, first: u64, count: u64) {
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    setrlimit(Resource::As, limit).unwrap();
    let mut folders: Vec<PathBuf> = saved.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let recordings: Vec<Recording> = folders.iter().map(|folder| Recording::read(folder).unwrap()).collect();
    let (folder, files) = (tempfile::tempdir().unwrap(), Files::default());
    for seed in first..first + count {
        let begun = Instant::now();
        play(&recordings, seed, folder.path(), &files);
        println!("{seed} {}", begun.elapsed().as_micros());
    }
}
