//! Target regions that the host device executes, and leagues: libgomp's thread is alone in a target region.

use std::collections::BTreeSet;

use compat_tests::forge::Forge;
use compat_tests::ompt5::{ToolTrace, named, shape, tool};
use compat_tests::run::Launch;
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn target_regions_and_leagues_go_on_as_without_the_library() {
    let forge = forge();
    for source in ["target.c", "teams.c"] {
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
    // Around the program, and one for each thread's target region.
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
    // The team's own constructs: one barrier, and one single at its end.
    let of_team = |start: &str| all.iter().filter(|line| line.starts_with(start) && region(line) == team).count();
    assert_eq!((of_team("work single begin"), of_team("work single_other begin")), (1, 1), "{}", outcome.describe());
    assert_eq!(of_team("work loop"), 0, "{}", outcome.describe());
    assert_eq!(of_team("sync_region explicit begin"), 2, "{}", outcome.describe());
}
