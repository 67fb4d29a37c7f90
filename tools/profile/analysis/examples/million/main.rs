//! Time and memory that a report of many samples takes: `cargo run --release -p ora-profile-analysis --example million [SAMPLES] [OBJECT...]`.
//!
//! The program never ran: 8 threads, 40,000 stacks of up to 35 frames, 100,000 regions, nested ones among them. Its code is
//! real: a C++ program with some thousand functions and debug information, libgomp, libc, and this program itself (or the
//! objects that are named), so names are looked up as for any other. `--flame` writes a flame graph instead of text.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    dead_code,
    reason = "a measurement, no product"
)]

mod code;
mod random;
mod source;

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io, process};

use code::Code;
use profile_analysis::input::{Libraries, Object, Process};
use profile_analysis::out::{Clock, Stacks, flame};
use profile_analysis::profile::build;
use profile_analysis::user_model::View;
use profile_analysis::{Report, json, text};
use profile_format::FILE;
use profile_format::simulated::Simulated;
use random::Random;
use symbols::{Files, Names, ProcessNames};

const STACKS: u64 = 40_000;
const REGIONS: u64 = 100_000;
/// Number of places that start regions.
const FORKS: u64 = 50;

fn main() {
    let (flags, rest): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|word| word.starts_with("--"));
    let samples: u64 = rest.first().map_or(1_000_000, |number| number.parse().unwrap());
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let objects: Vec<PathBuf> = rest.iter().skip(1).map(PathBuf::from).collect();
    // In a process of its own, so that its memory is not counted for the report.
    if let [first, ..] = &objects[..] {
        fs::write(folder.join(FILE), program(samples, &mut Code::of(&objects))).unwrap();
        println!("{:>8} MiB of records, of {}", fs::metadata(folder.join(FILE)).unwrap().len() >> 20, first.display());
        fs::rename(folder.join(FILE), env::var_os("MILLION_RECORDS").unwrap()).unwrap();
        return;
    }
    let mut again = process::Command::new(env::current_exe().unwrap());
    again.arg(samples.to_string()).args(code::objects(&source::program()));
    assert!(again.env("MILLION_RECORDS", folder.join(FILE)).status().unwrap().success());
    measure(folder, flags.iter().any(|flag| flag == "--flame"));
}

fn measure(folder: &Path, draws: bool) {
    let begun = Instant::now();
    let seconds = || begun.elapsed().as_secs_f64();
    let files = Files::default();
    let mut names = |process: &Process| -> Box<dyn Names> {
        Box::new(ProcessNames::new(&files, process.objects.iter().map(Object::record)).with_made(&process.made))
    };
    let profile = build([Process::open(folder, &mut Libraries::default())], View::User, &mut names).unwrap();
    let (frames, functions) = (profile.code.frames().len(), profile.code.functions().len());
    println!("{:>8.2} s to {} stacks, {frames} lines, {functions} functions", seconds(), profile.contexts.len());
    if draws {
        let stacks = Stacks::of(&profile);
        let title = flame::Title { program: "prog".to_owned(), below: String::new() };
        let mut out = io::BufWriter::new(fs::File::create(folder.join("flame.svg")).unwrap());
        flame::write(&mut out, &title, stacks.weighted(), Clock::Wall).unwrap();
        println!("{:>8.2} s to {} bytes of SVG", seconds(), fs::metadata(folder.join("flame.svg")).unwrap().len());
    } else {
        let report = Report::of(&profile);
        println!("{:>8.2} s to sums", seconds());
        let text = text::render(&report, 20);
        println!("{:>8.2} s to {} bytes of text", seconds(), text.len());
        let json = json::document(&report).unwrap();
        println!("{:>8.2} s to {} bytes of JSON", seconds(), json.len());
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    // utime and stime, in hundredths of a second (proc_pid_stat(5)).
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let [user, system] = [fields[11], fields[12]].map(|ticks| ticks.parse::<f64>().unwrap() / 100.0);
    println!("{user:>8.2} s of CPU time in the program, {system:.2} s in the kernel");
}

fn program(samples: u64, code: &mut Code) -> Vec<u8> {
    let mut random = Random(88_172_645_463_325_252);
    let mut file = Simulated::of(&code.records());
    let stacks: Vec<u32> = (0..STACKS).map(|number| file.stack(&code.stack(number, FORKS, &mut random))).collect();
    let forks: Vec<u32> = (0..FORKS).map(|number| file.stack(&code.fork(number))).collect();
    for id in 1..=REGIONS {
        let parent = if id % 8 == 0 { id - 1 } else { 0 };
        let fork = forks[usize::try_from(id % FORKS).unwrap()];
        file.region_at(id, parent, u32::try_from(id % 8).unwrap(), fork);
    }
    for number in 0..samples {
        let stack = random.below(STACKS);
        // A region that started at the same place as the stack's region.
        let region = random.below(REGIONS / FORKS) * FORKS + stack % FORKS;
        let state = if number % 5 == 0 { 3 } else { 2 };
        let stack = stacks[usize::try_from(stack).unwrap()];
        file.sample(u32::try_from(number % 8).unwrap(), region, state, stack);
    }
    file.bytes
}
