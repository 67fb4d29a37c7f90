//! Plays folders of files in every kind of process that there is, and prints each edge of the library: whether it was ever
//! taken, and its code's address. Built as the target is: the compiler's counters and its table of addresses are read
//! directly.
#![allow(unsafe_code)] // reads what the linker put together
#![allow(clippy::print_stdout)] // it is what a command does

use fuzz::race::fight;
use fuzz::setting::{Features, set_up};
use libfuzzer_sys as _;
use std::collections::BTreeMap;
use std::env::{self, args_os, current_exe};
use std::process::{Command, Stdio};
use std::slice;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    #[link_name = "__start___sancov_cntrs"]
    static COUNTERS: u8;
    #[link_name = "__stop___sancov_cntrs"]
    static COUNTERS_END: u8;
    #[link_name = "__start___sancov_pcs"]
    static ADDRESSES: [usize; 2];
}

/// What makes a process another one than by default. Values that are none of a setting's choices are ignored.
const KINDS: [&[(&str, &str)]; 4] =
    [&[], &[("ORA_FUZZ_PLAIN", "1")], &[("ORA_DISABLE", "1")], &[("ORA_FUZZ_FIGHT", "1"), ("ORA_IBAR", "soon")]];

fn main() {
    if env::var_os("ORA_FUZZ_KIND").is_some() {
        return play();
    }
    let mut edges = BTreeMap::new();
    for kind in KINDS {
        let mut child = Command::new(current_exe().expect("this executable"));
        child.args(args_os().skip(1)).envs(kind.iter().copied()).env("ORA_FUZZ_KIND", "1");
        let output = child.stderr(Stdio::inherit()).output().expect("it starts");
        assert!(output.status.success(), "{kind:?}: {}", output.status);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (taken, address) = line.split_once(' ').expect("two words");
            *edges.entry(address.to_owned()).or_default() |= taken == "taken";
        }
    }
    for (address, taken) in edges {
        println!("{} {address}", if taken { "taken" } else { "never" });
    }
}

fn play() {
    // Runs behind what the library does at the end of the process.
    // SAFETY: a function that takes nothing and is never unloaded.
    unsafe { libc::atexit(print) };
    if env::var_os("ORA_FUZZ_FIGHT").is_some() {
        fight(4, 1_000_000);
        look();
    }
    set_up(Features::of_environment());
    for folder in args_os().skip(1) {
        for entry in std::fs::read_dir(folder).expect("a folder of files") {
            fuzz::play::play(&std::fs::read(entry.expect("a file").path()).expect("a file"));
            look();
        }
    }
}

/// What was taken so far. Counters have 8 bits: one that is 0 now may have been looked at in time.
static TAKEN: Mutex<Vec<bool>> = Mutex::new(Vec::new());

fn look() -> Vec<bool> {
    let (begin, end) = (&raw const COUNTERS, &raw const COUNTERS_END);
    // SAFETY: the section's bytes; no other thread of the library's runs now.
    let counters = unsafe { slice::from_raw_parts(begin, end.addr() - begin.addr()) };
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    taken.resize(counters.len(), false);
    taken.iter_mut().zip(counters).for_each(|(taken, counter)| *taken |= *counter != 0);
    taken.clone()
}

extern "C" fn print() {
    let taken = look();
    // SAFETY: the table has an address and flags for each counter.
    let addresses = unsafe { slice::from_raw_parts(&raw const ADDRESSES, taken.len()) };
    let base = base();
    for ([address, _], taken) in addresses.iter().zip(taken) {
        println!("{} {:#x}", if taken { "taken" } else { "never" }, address - base);
    }
}

/// Where this executable was loaded.
fn base() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel lists mappings");
    let own = current_exe().expect("this executable").display().to_string();
    let line = maps.lines().find(|line| line.ends_with(&own)).expect("it is mapped");
    usize::from_str_radix(line.split('-').next().unwrap_or_default(), 16).expect("an address")
}
