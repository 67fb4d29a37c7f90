//! Time and memory that a report of many samples takes: `cargo run --release -p report --example million [SAMPLES]`.
//!
//! The program never ran: 8 threads, 40,000 stacks of up to 35 frames, 100,000 regions, nested ones among them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    dead_code,
    reason = "a measurement, no product"
)]

#[path = "../src/simulated.rs"]
mod simulated;

use std::time::Instant;
use std::{env, fs, process};

use profile_data::FILE;
use report::input::Process;
use report::names::{Name, Names};
use report::profile::build;
use report::user_model::View;
use report::{Report, json, text};
use simulated::Simulated;

const STACKS: u64 = 40_000;
const REGIONS: u64 = 100_000;
/// Places that begin regions.
const FORKS: u64 = 50;

/// Every 16 addresses are a function, with another one inlined.
struct Every;

impl Names for Every {
    fn at(&mut self, address: u64, _: bool, _: u64) -> Vec<Name> {
        let name = |function: String, line: u64| Name {
            function,
            file: Some(format!("/home/me/src/file{}.c", address / 300)),
            line: u32::try_from(line).unwrap(),
            object: "prog".to_owned(),
            construct: None,
        };
        vec![name(format!("inlined_{}", address % 7), address), name(format!("function_{}", address / 16), address)]
    }
}

/// A number that looks like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn main() {
    let samples: u64 = env::args().nth(1).map_or(1_000_000, |number| number.parse().unwrap());
    let folder = env::temp_dir().join(format!("ora-million-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(FILE), program(samples)).unwrap();
    println!("{:>8} MiB of records", fs::metadata(folder.join(FILE)).unwrap().len() >> 20);

    let begun = Instant::now();
    let read = || Process::open(&folder);
    let mut names = |_: &Process| -> Box<dyn Names> { Box::new(Every) };
    let profile = build([read()], View::User, &mut names).unwrap();
    println!("{:>8.2} s to stacks, {} of them", begun.elapsed().as_secs_f64(), profile.contexts.len());
    let report = Report::of(&profile);
    println!("{:>8.2} s to sums", begun.elapsed().as_secs_f64());
    let text = text::render(&report, 20);
    println!("{:>8.2} s to {} bytes of text", begun.elapsed().as_secs_f64(), text.len());
    let json = json::document(&report).unwrap();
    println!("{:>8.2} s to {} bytes of JSON", begun.elapsed().as_secs_f64(), json.len());
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    fs::remove_dir_all(&folder).unwrap();
}

fn program(samples: u64) -> Vec<u8> {
    let mut chance = Chance(88_172_645_463_325_252);
    let mut file = Simulated::new();
    // Code calls one of three functions, mostly the first, as deep as it goes.
    let mut path = |depth: u64| {
        let mut at = 1000;
        let mut frames = Vec::new();
        for _ in 0..depth {
            at = 1000 + (at * 31 + chance.below(6).saturating_sub(3) * 7 + 11) % 900;
            frames.insert(0, at);
        }
        frames
    };
    let stacks: Vec<u32> = (0..STACKS)
        .map(|number| {
            let mut frames = if number % 5 == 0 { vec![2200] } else { Vec::new() };
            frames.extend(path(number / 2 % 30 + 1));
            frames.extend([2100, 3100]);
            frames.extend(if number % 2 == 0 { vec![5100] } else { vec![1200 + number % FORKS, 1100, 5300, 1900] });
            file.stack(&frames)
        })
        .collect();
    let forks: Vec<u32> = (0..FORKS).map(|number| file.stack(&[4100, 3100, 1200 + number, 1100, 5300, 1900])).collect();
    for id in 1..=REGIONS {
        let parent = if id % 8 == 0 { id - 1 } else { 0 };
        let fork = forks[usize::try_from(id % FORKS).unwrap()];
        file.region_at(id, parent, u32::try_from(id % 8).unwrap(), fork);
    }
    for number in 0..samples {
        let stack = chance.below(STACKS);
        // One that was begun where the stack's is.
        let region = chance.below(REGIONS / FORKS) * FORKS + stack % FORKS;
        let state = if number % 5 == 0 { 3 } else { 2 };
        let stack = stacks[usize::try_from(stack).unwrap()];
        file.sample(u32::try_from(number % 8).unwrap(), region, state, stack);
    }
    file.bytes
}
