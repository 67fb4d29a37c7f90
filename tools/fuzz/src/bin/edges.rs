//! Plays folders of files, and prints the code address behind each edge of the library that was never taken, then how many
//! there are. Built as the target is: the compiler's counters and its table of addresses are read directly.
#![allow(unsafe_code)] // reads what the linker put together
#![allow(clippy::print_stdout)] // it is what a command does

use fuzz::setting::{Features, set_up};
use libfuzzer_sys as _;
use std::slice;

unsafe extern "C" {
    #[link_name = "__start___sancov_cntrs"]
    static COUNTERS: u8;
    #[link_name = "__stop___sancov_cntrs"]
    static COUNTERS_END: u8;
    #[link_name = "__start___sancov_pcs"]
    static ADDRESSES: [usize; 2];
}

fn main() {
    let plain = std::env::var_os("ORA_FUZZ_PLAIN").is_some();
    set_up(if plain { Features::Regions } else { Features::All });
    let (begin, end) = (&raw const COUNTERS, &raw const COUNTERS_END);
    let count = end.addr() - begin.addr();
    let mut taken = vec![false; count];
    for folder in std::env::args_os().skip(1) {
        for entry in std::fs::read_dir(folder).expect("a folder of files") {
            fuzz::play::play(&std::fs::read(entry.expect("a file").path()).expect("a file"));
            // SAFETY: the section's bytes; no other thread of the library's runs now.
            let counters = unsafe { slice::from_raw_parts(begin, count) };
            taken.iter_mut().zip(counters).for_each(|(taken, counter)| *taken |= *counter != 0);
        }
    }
    // SAFETY: the table has an address and flags for each counter.
    let addresses = unsafe { slice::from_raw_parts(&raw const ADDRESSES, count) };
    let base = base();
    for ([address, _], taken) in addresses.iter().zip(&taken) {
        println!("{} {:#x}", if *taken { "taken" } else { "never" }, address - base);
    }
}

/// Where this executable was loaded.
fn base() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel lists mappings");
    let own = std::env::current_exe().expect("this executable").display().to_string();
    let line = maps.lines().find(|line| line.ends_with(&own)).expect("it is mapped");
    usize::from_str_radix(line.split('-').next().unwrap_or_default(), 16).expect("an address")
}
