//! Regions, implicit tasks, barriers.

use validate_layout::event::Event;

use crate::script::*;

#[test]
fn a_region_of_three_is_clean_and_its_workers_may_leave_late() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    script.thread_begin(3, 2);
    let (region, tasks) = script.region(initial, 3);
    script.barrier(region, &tasks);
    script.join(region, initial, &tasks);
    // One worker leaves before the next region starts, the other when the next region needs it.
    script.leave(1, tasks[1]);
    let next = script.parallel_begin(1, initial, 3);
    let primary = script.implicit(1, BEGIN, Some(next), 0, (3, 0, 2));
    let second = script.implicit(2, BEGIN, Some(next), 0, (3, 1, 2));
    script.leave(2, tasks[2]);
    let third = script.implicit(3, BEGIN, Some(next), 0, (3, 2, 2));
    script.join(next, initial, &[primary, second, third]);
    script.leave(1, second);
    script.leave(2, third);
    script.is_clean();
}

#[test]
fn a_worker_that_begins_before_it_has_left_is_found() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    script.join(region, initial, &tasks);
    script.is_clean();
    script.region(initial, 2);
    assert_eq!(script.found(), ["implicit.nesting"]);
}

#[test]
fn fewer_threads_than_requested_are_enough_and_more_are_not() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let region = script.parallel_begin(1, initial, 8);
    let primary = script.implicit(1, BEGIN, Some(region), 0, (1, 0, 2));
    script.join(region, initial, &[primary]);
    script.is_clean();
    let region = script.parallel_begin(1, initial, 1);
    script.implicit(1, BEGIN, Some(region), 0, (2, 0, 2));
    assert_eq!(script.found(), ["parallel.requested"]);
}

#[test]
fn a_region_that_ends_before_a_member_has_begun_is_found() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let region = script.parallel_begin(1, initial, 2);
    let primary = script.implicit(1, BEGIN, Some(region), 0, (2, 0, 2));
    script.join(region, initial, &[primary]);
    assert_eq!(script.found(), ["parallel.team"]);
}

#[test]
fn nested_regions_end_innermost_first() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (outer, tasks) = script.region(initial, 1);
    let inner = script.parallel_begin(1, tasks[0], 1);
    let innermost = script.implicit(1, BEGIN, Some(inner), 0, (1, 0, 2));
    script.join(inner, tasks[0], &[innermost]);
    script.join(outer, initial, &tasks);
    script.is_clean();
    let (outer, tasks) = script.region(initial, 1);
    let inner = script.parallel_begin(1, tasks[0], 1);
    script.implicit(1, BEGIN, Some(inner), 0, (1, 0, 2));
    script.parallel_end(1, outer, initial);
    assert!(script.found().contains(&"parallel.nesting"));
}

#[test]
fn a_barrier_that_one_member_skips_is_found_unless_the_region_was_cancelled() {
    for (cancelled, expected) in [(false, &["barrier.counts"][..]), (true, &[])] {
        let mut script = Script::strict();
        let initial = script.initial(1);
        script.thread_begin(2, 2);
        let (region, tasks) = script.region(initial, 2);
        script.barrier(region, &tasks[..1]);
        if cancelled {
            script.cancel(2, tasks[1], 0x11);
        }
        script.join(region, initial, &tasks);
        assert_eq!(script.found(), expected);
    }
}

#[test]
fn each_single_has_one_executor() {
    let other = 4;
    let executor = 3;
    for (kinds, expected) in [
        ([executor, other], &[][..]),
        ([executor, executor], &["single.executor"]),
        ([other, other], &["single.executor"]),
    ] {
        let mut script = Script::strict();
        let initial = script.initial(1);
        script.thread_begin(2, 2);
        let (region, tasks) = script.region(initial, 2);
        for ((thread, task), kind) in (1..).zip(&tasks).zip(kinds) {
            script.work(thread, kind, BEGIN, region, *task);
            script.work(thread, kind, END, region, *task);
        }
        script.join(region, initial, &tasks);
        assert_eq!(script.found(), expected, "{kinds:?}");
    }
}

/// A loop of two members: the number of iterations that each one reports, and its chunks.
fn two_share_a_loop(script: &mut Script, kind: i32, counts: [u64; 2], chunks: [&[(u64, u64)]; 2]) {
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    for ((thread, task), count) in (1..).zip(&tasks).zip(counts) {
        script.loop_of(thread, BEGIN, region, *task, (kind, count));
    }
    for ((thread, task), chunks) in (1..).zip(&tasks).zip(chunks) {
        chunks.iter().for_each(|chunk| script.chunk(thread, region, *task, *chunk));
        script.loop_of(thread, END, region, *task, (kind, counts[0]));
    }
    script.join(region, initial, &tasks);
}

#[test]
fn a_loops_chunks_add_up_to_it() {
    for (counts, chunks, expected) in [
        ([10, 10], [&[(0, 4), (8, 2)][..], &[(4, 4)]], &[][..]),
        ([10, 10], [&[][..], &[]], &[]),
        ([10, 10], [&[(0, 4)][..], &[(4, 4)]], &["work.chunks"]),
        ([10, 10], [&[(0, 4), (8, 2)][..], &[(4, 4), (0, 1)]], &["work.chunks"]),
        ([10, 10], [&[(0, 11)][..], &[]], &["work.chunks"; 2]),
        ([10, 10], [&[(10, u64::MAX - 1)][..], &[(0, 12)]], &["work.chunks"; 2]),
        ([10, 9], [&[(0, 4), (8, 2)][..], &[(4, 4)]], &["work.chunks"]),
    ] {
        let mut script = Script::strict();
        two_share_a_loop(&mut script, LOOP, counts, chunks);
        assert_eq!(script.found(), expected, "{counts:?} {chunks:?}");
    }
}

#[test]
fn libomp_reports_static_schedules_in_part() {
    let chunks = [&[(0, 2)][..], &[(2, 2)]];
    let mut libomp = Script::libomp();
    two_share_a_loop(&mut libomp, LOOP_STATIC, [10, 10], chunks);
    libomp.is_clean();
    let mut strict = Script::strict();
    two_share_a_loop(&mut strict, LOOP_STATIC, [10, 10], chunks);
    assert_eq!(strict.found(), ["work.chunks"]);
}

#[test]
fn a_cancelled_loop_has_chunks_without_a_thread() {
    const CANCEL_LOOP: i32 = 4 | 16;
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    script.loop_of(1, BEGIN, region, tasks[0], (LOOP, 10));
    script.chunk(1, region, tasks[0], (0, 2));
    script.cancel(1, tasks[0], CANCEL_LOOP);
    script.loop_of(1, END, region, tasks[0], (LOOP, 10));
    script.join(region, initial, &tasks);
    script.is_clean();
}

#[test]
fn a_league_has_initial_tasks() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let league = script.event(
        1,
        validate_layout::event::Event::ParallelBegin {
            encountering: word(initial),
            frame: frame(),
            parallel: word(0),
            requested: 2,
            flags: 0x4000_0001,
            code: CODE,
        },
    );
    script.implicit(1, BEGIN, Some(league), 0, (2, 0, 1));
    script.thread_begin(2, 2);
    script.is_clean();
    script.implicit(2, BEGIN, Some(league), 0, (2, 1, 2));
    assert_eq!(script.found(), ["implicit.flags"]);
}

const LEAGUE: i32 = 0x4000_0002;

/// Starts a league; `requested`: number of teams.
fn league(script: &mut Script, by: u64, requested: u32) -> u64 {
    let (encountering, parallel) = (word(by), word(0));
    script
        .event(1, Event::ParallelBegin { encountering, frame: frame(), parallel, requested, flags: LEAGUE, code: CODE })
}

#[test]
fn a_leagues_teams_may_run_one_after_the_other_on_one_thread_but_not_inside_of_each_other() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    for requested in [2, 0] {
        let region = league(&mut script, initial, requested);
        for team in 0..2 {
            let task = script.implicit(1, BEGIN, Some(region), 0, (2, team, 1));
            script.implicit(1, END, None, task, (0, team, 1));
        }
        script.event(
            1,
            Event::ParallelEnd { parallel: word(region), encountering: word(initial), flags: LEAGUE, code: CODE },
        );
        script.is_clean();
    }
    let region = league(&mut script, initial, 2);
    script.implicit(1, BEGIN, Some(region), 0, (2, 0, 1));
    script.implicit(1, BEGIN, Some(region), 0, (2, 1, 1));
    assert!(script.found().contains(&"implicit.primary"));
    let mut script = Script::strict();
    let initial = script.initial(1);
    let region = script.parallel_begin(1, initial, 2);
    let task = script.implicit(1, BEGIN, Some(region), 0, (2, 0, 2));
    script.implicit(1, END, None, task, (0, 0, 2));
    script.implicit(1, BEGIN, Some(region), 0, (2, 1, 2));
    assert!(script.found().contains(&"implicit.primary"), "a team's threads are different ones");
}
