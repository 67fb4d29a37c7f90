//! Releases of the specification: later additions are reported, and so are known deviations of libomp.

use validate_layout::event::{Event, Sync};
use validate_layout::release::Release::{self, *};

use crate::script::*;

/// The rules that an event violates in the initial task of a runtime that is checked against the release.
fn found(release: Release, event: impl Fn(u64) -> Event) -> Vec<&'static str> {
    let mut script = Script::held_to(release);
    let initial = script.initial(1);
    script.is_clean();
    script.event(1, event(initial));
    script.found()
}

/// The oldest release that contains the event's values.
fn oldest(event: impl Fn(u64) -> Event) -> Release {
    Release::ALL.into_iter().find(|release| !found(*release, &event).contains(&"release.values")).unwrap()
}

fn work(kind: i32, task: u64) -> Event {
    Event::Work { kind, endpoint: BEGIN, parallel: None, task: word(task), count: 1, code: CODE }
}

fn sync(kind: i32, task: u64) -> Event {
    Event::Sync { which: Sync::Region, kind, endpoint: BEGIN, parallel: None, task: word(task), code: CODE }
}

#[test]
fn values_belong_to_the_release_that_brought_them() {
    assert_eq!(oldest(|task| work(LOOP, task)), V5_0);
    assert_eq!(oldest(|task| work(8, task)), V5_1, "scope");
    assert_eq!(oldest(|task| work(LOOP_STATIC, task)), V5_2);
    assert_eq!(oldest(|task| work(9, task)), V6_0, "workdistribute");
    assert_eq!(oldest(|task| sync(BARRIER, task)), V5_0);
    assert_eq!(oldest(|task| sync(8, task)), V5_1, "the barrier of a work-sharing region");
    assert_eq!(oldest(|_| Event::Error { severity: 1, code: CODE }), V5_1);
    let dispatch =
        |kind| move |task| Event::Dispatch { parallel: None, task: word(task), kind, instance: 0, chunk: None };
    assert_eq!((oldest(dispatch(2)), oldest(dispatch(3))), (V5_0, V5_2), "a section, and a chunk of a loop");
}

#[test]
fn a_rule_of_a_later_release_is_not_checked() {
    let unknown = |_| Event::Error { severity: 7, code: CODE };
    assert_eq!(found(V5_0, unknown), ["release.values"]);
    assert_eq!(found(V5_1, unknown), ["error.severity"]);
}

#[test]
fn what_libomp_is_known_to_do_otherwise_is_found() {
    let no_frame = |script: &mut Script| {
        let initial = script.initial(1);
        let (encountering, parallel) = (word(initial), word(0));
        script.event(
            1,
            Event::ParallelBegin { encountering, frame: None, parallel, requested: 1, flags: TEAM, code: CODE },
        );
        script.found()
    };
    assert!(!no_frame(&mut Script::libomp()).contains(&"frame.enter"));
    assert!(no_frame(&mut Script::held_to(V5_2)).contains(&"frame.enter"));
}
