//! Searches on programs whose times are known, with noise.

use super::*;
use statistics::change;

fn dimension(values: &[(&'static str, &str)]) -> Dimension {
    Dimension {
        is_of_teams: false,
        is_of_number: false,
        values: values.iter().map(|(name, value)| vec![(*name, (*value).to_owned())]).collect(),
    }
}

fn dimensions() -> Vec<Dimension> {
    vec![
        dimension(&[("THREADS", "4"), ("THREADS", "2"), ("THREADS", "1")]),
        dimension(&[("POLICY", "passive"), ("POLICY", "active")]),
        dimension(&[("SCHEDULE", "static"), ("SCHEDULE", "dynamic"), ("SCHEDULE", "guided")]),
    ]
}

/// Time of a program, depending on its variables.
fn time(setting: &Setting) -> f64 {
    let value = |name: &str| setting.variables().find(|(known, _)| *known == name).map(|(_, value)| value);
    let threads = match value("THREADS") {
        Some("4") => 1.3,
        Some("2") => 0.8,
        Some("1") => 1.5,
        _ => 1.0,
    };
    let policy = match value("POLICY") {
        Some("passive") => 1.05,
        Some("active") => 0.95,
        _ => 1.0,
    };
    let schedule = match value("SCHEDULE") {
        Some("dynamic") => 0.9,
        Some("static") => 1.2,
        _ => 1.0,
    };
    1e9 * threads * policy * schedule
}

/// Searches, with runs that randomly take up to `noise` longer.
fn search(limits: Limits, noise: f64, time: impl Fn(&Setting) -> f64) -> Found {
    let mut random = 1_u64;
    let mut search = Search::new(limits, |setting, _| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let part = f64::from(u32::try_from(random >> 40).unwrap_or_default()) / f64::from(1 << 24);
        Ok(Outcome::Took(time(setting) * (1.0 + noise * part)))
    });
    search.go(&dimensions()).unwrap();
    search.compare().unwrap();
    search.end()
}

const USUAL: Limits = Limits { repeat: 5, runs: 100 };

#[test]
fn the_best_of_all_is_found_with_a_part_of_all_runs() {
    let found = search(USUAL, 0.02, time);
    assert_eq!(found.trials[found.best].setting.text(), "THREADS=2 POLICY=active SCHEDULE=dynamic");
    let change = found.change.unwrap();
    assert!(change.is_sure() && (change.part + 0.316).abs() < 0.02, "{change:?}");
    // 4 x 3 x 4 settings, with five runs each.
    assert!(found.runs <= 48 * 5 / 6, "{}", found.runs);
    assert!(!found.is_cut);
}

#[test]
fn the_times_in_the_finding_are_those_that_its_percentage_compares() {
    // Single runs that take longer affect the mean, but not the median.
    let mut runs = 0;
    let mut search = Search::new(USUAL, |setting: &Setting, _| {
        runs += 1;
        let slow = if runs % 3 == 0 { 1.2 } else { 1.0 };
        Ok(Outcome::Took(slow * if setting.is_default() { 1e9 } else { 5e8 }))
    });
    search.go(&[dimension(&[("POLICY", "active")])]).unwrap();
    search.compare().unwrap();
    let found = search.end();
    let [default, best] = [&found.last.default_ns, &found.last.best_ns].map(|times| change::mean(times).unwrap());
    assert!((best / default - 1.0 - found.change.unwrap().part).abs() < 1e-9);
    assert!(found.best > 0 && default != found.trials[0].median_ns());
    let said = crate::table::sentence(&found);
    let times = [best, default].map(terminal::quantity::time);
    assert!(said.contains(&format!(" {} in place of {}, means of ", times[0], times[1])), "{said}");
}

#[test]
fn noise_is_no_gain() {
    let found = search(USUAL, 0.1, |_| 1e9);
    assert_eq!(found.best, 0, "{found:?}");
}

/// Searches with runs that take random times between 60 and 180 ms with each setting.
fn search_in_noise(seed: u64) -> Found {
    // Splitmix64.
    let mut state = seed;
    let mut search = Search::new(USUAL, move |_: &Setting, _| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let part = f64::from(u32::try_from((mixed ^ mixed >> 31) >> 32).unwrap()) / f64::from(u32::MAX);
        Ok(Outcome::Took(60e6 + 120e6 * part))
    });
    search.go(&dimensions()).unwrap();
    search.compare().unwrap();
    search.end()
}

#[test]
fn what_was_fast_by_chance_is_not_named() {
    let all: Vec<Found> = (0..1000).map(|round| search_in_noise(round << 32)).collect();
    let chosen = all.iter().filter(|found| found.tried > 0).count();
    let named = all.iter().filter(|found| found.best > 0).count();
    assert!(chosen > 50 && named <= 30, "chosen in {chosen} of 1000 searches, named in {named}");
    // The runs by which it was chosen do not count again.
    for found in all.iter().filter(|found| found.tried > 0) {
        assert_eq!((found.last.default_ns.len(), found.last.best_ns.len()), (5, 5));
        assert!(found.trials[found.tried].times_ns.len() >= LOOKS + 5);
    }
}

#[test]
fn a_value_that_is_much_slower_runs_once() {
    let found = search(USUAL, 0.0, time);
    let slow = found.trials.iter().find(|trial| trial.setting.text() == "THREADS=1").unwrap();
    assert_eq!(slow.times_ns.len(), 1);
    assert!(found.trials[0].times_ns.len() >= 5 && found.trials[found.best].times_ns.len() >= 5);
}

#[test]
fn a_value_that_changes_nothing_runs_twice_and_one_that_saves_little_until_that_is_sure() {
    let nothing = search(USUAL, 0.0, |_| 1e9);
    assert!(nothing.trials[1..].iter().all(|trial| trial.times_ns.len() == 2), "{nothing:?}");
    let of_passive = |setting: &Setting| if setting.text().contains("passive") { 0.97e9 } else { 1e9 };
    let little = search(USUAL, 0.04, of_passive);
    assert!(little.trials[little.best].setting.text().contains("passive"), "{little:?}");
}

#[test]
fn what_is_about_teams_is_not_tried_with_one_thread() {
    let alone = dimension(&[("OMP_NUM_THREADS", "1")]);
    let teams = Dimension { is_of_teams: true, ..dimension(&[("POLICY", "active")]) };
    let mut search =
        Search::new(USUAL, |setting: &Setting, _| Ok(Outcome::Took(if setting.is_default() { 2e9 } else { 1e9 })));
    search.go(&[alone, teams]).unwrap();
    search.compare().unwrap();
    assert_eq!(search.end().trials.len(), 2);
}

#[test]
fn ways_to_wait_are_tried_with_all_threads_and_with_a_number_that_is_faster() {
    let waits = Dimension { is_of_number: true, is_of_teams: true, ..dimension(&[("POLICY", "passive")]) };
    let mut search = Search::new(USUAL, |setting: &Setting, _| {
        let text = setting.text();
        Ok(Outcome::Took(match (text.contains("THREADS=2"), text.contains("passive")) {
            (true, true) => 0.5e9,
            (true, false) => 0.8e9,
            (false, true) => 1.2e9,
            (false, false) => 1e9,
        }))
    });
    search.go(&[waits, dimension(&[("THREADS", "2")])]).unwrap();
    search.compare().unwrap();
    let found = search.end();
    assert!(found.trials.iter().any(|trial| trial.setting.text() == "POLICY=passive"), "{found:?}");
    assert_eq!(found.trials[found.best].setting.text(), "THREADS=2 POLICY=passive");
}

#[test]
fn a_run_that_takes_ten_times_as_long_makes_no_other_setting_faster() {
    // As on a machine with other users: every setting has the same times, in a different order.
    let mut run = 0;
    let mut search = Search::new(USUAL, |setting: &Setting, _| {
        run += 1;
        let slow = setting.is_default() && run % 3 != 0;
        Ok(Outcome::Took(if slow { 1e10 } else { 1e9 + f64::from(run) }))
    });
    search.go(&[dimension(&[("POLICY", "active")])]).unwrap();
    search.compare().unwrap();
    let found = search.end();
    assert_eq!(found.best, 0, "{found:?}");
}

#[test]
fn what_saves_more_than_it_can_does_so_by_chance() {
    let best = |most| {
        let mut search =
            Search::new(USUAL, |setting: &Setting, _| Ok(Outcome::Took(if setting.is_default() { 2e9 } else { 1e9 })));
        search.go(&[]).unwrap();
        search.attempt(Setting::default().with(&[("ORA_TUNE", "file")]), most).unwrap();
        search.compare().unwrap();
        search.end().best
    };
    assert_eq!([best(0.03), best(0.6)], [0, 1]);
}

#[test]
fn runs_are_limited_and_what_was_found_counts() {
    let found = search(Limits { repeat: 3, runs: 14 }, 0.0, time);
    assert!(found.is_cut && found.runs <= 14 + 2, "{} runs", found.runs);
    assert_eq!(found.trials[found.tried].setting.text(), "THREADS=2");
}

#[test]
fn a_setting_with_wrong_results_is_never_the_best() {
    let mut search = Search::new(USUAL, |setting: &Setting, _| {
        let is_wrong = setting.variables().any(|(_, value)| value == "2");
        Ok(if is_wrong { Outcome::Wrong } else { Outcome::Took(time(setting)) })
    });
    search.go(&dimensions()).unwrap();
    search.compare().unwrap();
    let found = search.end();
    assert_eq!(found.trials[found.best].setting.text(), "POLICY=active SCHEDULE=dynamic");
    assert!(found.trials.iter().any(|trial| trial.is_wrong));
}

#[test]
fn a_setting_with_which_the_program_hangs_runs_once_and_says_so() {
    let mut search = Search::new(USUAL, |setting: &Setting, _| {
        let hangs = setting.variables().any(|(_, value)| value == "1");
        Ok(if hangs { Outcome::TooLong } else { Outcome::Took(time(setting)) })
    });
    search.go(&dimensions()).unwrap();
    search.compare().unwrap();
    let found = search.end();
    let hung: Vec<&Trial> = found.trials.iter().filter(|trial| trial.is_too_long).collect();
    assert!(hung.len() == 1 && hung[0].is_wrong && hung[0].times_ns.is_empty(), "{hung:?}");
    let page = crate::page("program", &found, &crate::Choices::default(), None);
    let text = page.render(terminal::page::Paper { width: None, colour: false });
    assert!(text.contains("THREADS=1   took too long, and was ended"), "{text}");
}
