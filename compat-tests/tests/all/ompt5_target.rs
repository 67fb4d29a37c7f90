//! Target regions that the host device executes, and leagues: in libgomp, a thread is alone in a target region.

use std::collections::BTreeSet;

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::ompt5::{ToolTrace, named, shape, tool};
use compat_tests::run::Launch;
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn target_regions_and_leagues_go_on_as_without_the_library() {
    let forge = forge();
    for source in ["target.c", "teams.c", "leagues.c"] {
        let path = forge.program(source);
        let bare = goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &path).threads(2));
        assert!(bare.status.success(), "the program is wrong without the library: {}", bare.describe());
    }
}

#[test]
fn what_happens_in_a_target_region_belongs_to_an_initial_task_of_its_own() {
    let forge = forge();
    let launch = Launch::of(&forge, &forge.program("target.c")).awake().arg("in_team").with_trace();
    let outcome = named(launch.with_ora(), &tool(&forge)).run().succeeded();
    let reports = ToolTrace::of(&outcome);
    let all = reports.all();
    let region = |line: &str| line.split(' ').find(|word| word.starts_with('r') && word.len() > 1).unwrap().to_owned();
    let team = region(all.iter().find(|line| line.starts_with("parallel_begin")).unwrap());
    let initial: Vec<&&str> = all
        .iter()
        .filter(|line| line.starts_with("implicit_task begin") && line.ends_with(" size=1 index=1 flags=1"))
        .collect();
    // One for the program, and one for each thread's target region.
    assert_eq!(initial.len(), 3, "{}", outcome.describe());
    let alone: BTreeSet<String> = initial[1..].iter().map(|line| region(line)).collect();
    assert!(alone.len() == 2 && !alone.contains(&team), "{}", outcome.describe());
    for own in &alone {
        let lines: Vec<String> =
            all.iter().filter(|line| line.split(' ').any(|word| word == own)).map(|line| shape(line)).collect();
        let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
        assert_eq!((count("work single begin"), count("work single_other")), (1, 0), "{lines:?}");
        assert_eq!((count("work loop begin"), count("work sections begin")), (2, 1), "{lines:?}");
        assert_eq!(count("dispatch chunk"), 4 + 3, "{lines:?}");
        assert_eq!(count("dispatch section"), 2, "{lines:?}");
    }
    // The team's own constructs: one barrier, and one single construct at its end.
    let of_team = |start: &str| all.iter().filter(|line| line.starts_with(start) && region(line) == team).count();
    assert_eq!((of_team("work single begin"), of_team("work single_other begin")), (1, 1), "{}", outcome.describe());
    assert_eq!(of_team("work loop"), 0, "{}", outcome.describe());
    assert_eq!(of_team("sync_region explicit begin"), 2, "{}", outcome.describe());
}

/// The lines of a part of `leagues.c` about regions and initial tasks, without names.
fn leagues(part: &str) -> Vec<String> {
    leagues_of("leagues.c", part)
}

fn leagues_of(source: &str, part: &str) -> Vec<String> {
    let forge = forge();
    let launch = Launch::of(&forge, &forge.program(source)).awake().threads(2).arg(part).with_trace();
    let outcome = named(launch.with_ora(), &tool(&forge)).run().succeeded();
    let of_leagues = |line: &&&str| {
        line.starts_with("parallel_") || line.starts_with("implicit_task ") && line.ends_with(" flags=1")
    };
    ToolTrace::of(&outcome).all().iter().filter(of_leagues).map(|line| shape(line)).collect()
}

/// The lines of one team of a league, with one region in it.
fn team(size: u32, index: u32) -> [String; 4] {
    [
        format!("implicit_task begin r k size={size} index={index} flags=1"),
        "parallel_begin k exit+enter r requested=2 flags=80000002 code".to_owned(),
        "parallel_end r k flags=80000002 code".to_owned(),
        format!("implicit_task end - k size=0 index={index} flags=1"),
    ]
}

/// Lines of a league, from begin to end of an initial task with these frames; its teams have these lines.
fn around(requested: u32, frames: &str, teams: impl IntoIterator<Item = String>) -> Vec<String> {
    let begin = format!("parallel_begin k {frames} r requested={requested} flags=40000002 code");
    let first = ["implicit_task begin r k size=1 index=1 flags=1".to_owned(), begin];
    let last = ["parallel_end r k flags=40000002 code", "implicit_task end r k size=0 index=1 flags=1"];
    first.into_iter().chain(teams).chain(last.map(str::to_owned)).collect()
}

#[test]
fn a_league_has_an_initial_task_for_each_team_with_the_teams_number() {
    assert_eq!(leagues("alone"), around(3, "enter", (0..3).flat_map(|index| team(3, index))));
}

#[test]
fn a_league_of_any_size_requests_none_and_has_the_size_that_libgomp_gives_it() {
    let lines = leagues("any");
    let begins =
        lines.iter().filter(|line| line.starts_with("implicit_task begin") && !line.contains("index=1 ")).count();
    let [.., last] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(last.starts_with("implicit_task end r"), "{lines:?}");
    assert!(begins >= 1 && lines.iter().any(|line| line.contains(" requested=0 flags=40000002 ")), "{lines:?}");
}

#[test]
fn a_league_in_a_target_region_ends_before_the_regions_initial_task() {
    let lines = leagues("in_target");
    let initial = "implicit_task begin r k size=1 index=1 flags=1";
    let end = "implicit_task end r k size=0 index=1 flags=1";
    let inner = around(2, "exit+enter", (0..2).flat_map(|index| team(2, index)));
    // gcc up to 11 creates one team.
    let one = around(2, "exit+enter", team(1, 0));
    let expected =
        |inner: Vec<String>| [initial.to_owned()].into_iter().chain(inner).chain([end.to_owned()]).collect::<Vec<_>>();
    assert!(lines == expected(inner) || lines == expected(one), "{lines:#?}");
}

#[test]
fn fortrans_leagues_are_reported_as_those_of_c() {
    if !fortran_is_here("fortrans_leagues_are_reported_as_those_of_c") {
        return;
    }
    for part in ["alone", "in_target"] {
        let of_c = leagues(part);
        assert!(of_c.len() > 8, "{part}: {of_c:?}");
        assert_eq!(leagues_of("devices.f90", part), of_c, "{part}");
    }
}
