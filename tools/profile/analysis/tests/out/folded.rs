//! Checks of folded stacks.

use std::collections::BTreeMap;

use profile_analysis::out::{Clock, folded};

use super::sampled::Stacks;

#[test]
fn the_times_of_all_lines_are_the_whole() {
    let stacks = Stacks::new();
    for (clock, whole) in [(Clock::Wall, 4 * 405 + 2 * 1002), (Clock::Cpu, 4 * 105 + 2 * 2)] {
        let mut out = Vec::new();
        folded::write(&mut out, stacks.samples(), clock).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: BTreeMap<_, _> = text.lines().map(|line| line.rsplit_once(' ').unwrap()).collect();
        let sum: u64 = lines.values().map(|us| us.parse::<u64>().unwrap()).sum();
        assert_eq!(sum, whole * 1000, "{text}");
        let depths: Vec<_> = lines.keys().map(|line| line.split(';').count()).collect();
        assert!(depths.iter().all(|depth| (1..=3).contains(depth)), "{text}");
        if clock == Clock::Wall {
            assert_eq!(lines["main;relax;<OMP-implicit_barrier>"], "1200000");
            assert_eq!(lines["<OMP-idle>"], "2000000");
            assert_eq!(lines["main;relax"], "20000");
        }
    }
}
