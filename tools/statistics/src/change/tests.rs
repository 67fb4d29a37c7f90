use super::*;

#[test]
fn a_change_beyond_the_noise_is_sure() {
    let change = Change::of(&[100.0, 101.0, 99.0, 100.0], &[120.0, 121.0, 119.0, 120.0]).unwrap();
    let (low, high) = change.interval.unwrap();
    assert!((change.part - 0.2).abs() < 1e-9 && low > 0.18 && high < 0.22 && low < 0.2 && high > 0.2, "{change:?}");
    assert!(change.is_sure() && change.is_above(0.1) && !change.is_above(0.2));
}

#[test]
fn noise_is_no_change() {
    let change = Change::of(&[100.0, 130.0, 80.0, 110.0], &[125.0, 90.0, 111.0, 105.0]).unwrap();
    assert!(!change.is_sure() && !change.is_above(0.0), "{change:?}");
    assert_eq!(change, Change::of(&[100.0, 130.0, 80.0, 110.0], &[125.0, 90.0, 111.0, 105.0]).unwrap());
}

#[test]
fn one_run_has_no_interval() {
    let change = Change::of(&[100.0], &[150.0]).unwrap();
    assert_eq!(change, Change { part: 0.5, interval: None });
    assert!(!change.is_sure() && change.is_above(0.4) && !change.is_above(0.5));
    assert_eq!((Change::of(&[], &[1.0]), Change::of(&[0.0], &[1.0])), (None, None));
}

#[test]
fn a_time_that_may_be_all_noise_has_no_upper_bound() {
    let change = Change::of(&[0.0, 0.0, 3.0], &[100.0, 101.0, 102.0]).unwrap();
    let (low, high) = change.interval.unwrap();
    assert!(low > 1.0 && high.is_infinite() && change.is_sure(), "{change:?}");
    let gone = Change::of(&[0.0, 0.0, 3.0], &[0.0, 0.0, 0.0]).unwrap();
    assert!(!gone.is_sure() && gone.interval == Some((-1.0, f64::INFINITY)), "{gone:?}");
}

#[test]
fn runs_without_noise_have_a_point_as_interval() {
    let change = |after: f64| Change::of(&[8.0; 3], &[after; 4]).unwrap();
    assert_eq!((change(8.0).interval, change(6.0).interval), (Some((0.0, 0.0)), Some((-0.25, -0.25))));
    assert_eq!(change(0.0).interval, Some((-1.0, -1.0)));
}

/// Numbers that look random, and are the same each time (splitmix64).
struct Random(u64);

impl Random {
    /// Between 0 and 1, both excluded.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((mixed ^ mixed >> 31) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Part of the comparisons with a verdict, where the figures after are `factor` times as large.
fn verdicts(counts: [usize; 2], factor: f64, mut value: impl FnMut(&mut Random) -> f64) -> f64 {
    const ROUNDS: u32 = 4000;
    let mut random = Random(1);
    let mut of = |count, factor| -> Vec<f64> { (0..count).map(|_| factor * value(&mut random)).collect() };
    let sure = (0..ROUNDS).filter(|_| Change::of(&of(counts[0], 1.0), &of(counts[1], factor)).unwrap().is_sure());
    sure.count() as f64 / f64::from(ROUNDS)
}

#[test]
fn noise_gets_a_verdict_in_a_twentieth_of_all_comparisons_at_most() {
    // The standard error of a part in 4,000 rounds is 0.35 %.
    let bound = 0.05 + 2.0 * 0.0035;
    let noises: [fn(&mut Random) -> f64; 4] = [
        |random| 100.0 + 5.0 * random.normal(),
        |random| (0.1 * random.normal()).exp(),
        |random| 60.0 + 120.0 * random.uniform(),
        |random| if random.uniform() < 0.1 { 200.0 } else { 100.0 + random.normal() },
    ];
    for counts in [[2, 2], [3, 3], [4, 4], [5, 5], [8, 8], [20, 20], [3, 5], [8, 5]] {
        let parts = noises.map(|noise| verdicts(counts, 1.0, noise));
        assert!(parts.iter().all(|part| *part <= bound), "{counts:?}: {parts:?}");
    }
    let unequal = verdicts([3, 20], 1.0, noises[0]);
    assert!(unequal <= bound, "{unequal}");
}

#[test]
fn a_tenth_more_is_found_by_three_runs_with_one_percent_of_noise() {
    let found = verdicts([3, 3], 1.1, |random| 100.0 + random.normal());
    assert!(found > 0.99, "{found}");
}

#[test]
fn intervals_contain_the_true_change() {
    for (counts, factor) in [([3, 3], 1.0), ([3, 3], 20.0), ([5, 5], 0.05), ([8, 3], 2.0)] {
        let mut random = Random(7);
        let mut of =
            |count, factor| -> Vec<f64> { (0..count).map(|_| factor * (100.0 + 10.0 * random.normal())).collect() };
        let within = (0..4000).filter(|_| {
            let (low, high) = Change::of(&of(counts[0], 1.0), &of(counts[1], factor)).unwrap().interval.unwrap();
            (low..=high).contains(&(factor - 1.0))
        });
        let part = within.count() as f64 / 4000.0;
        assert!(part >= 0.95 - 2.0 * 0.0035, "{counts:?}, {factor}: {part}");
    }
}
