//! Queries of a tool, from different places.

use super::runtime::{FUNCTION, alone, call, deeper, initial, on_a_thread, region, work};
use super::tool::{Tool, entry};
use crate::call_site::CallSite;
use crate::event::Span;
use crate::query;
use crate::region::Encounter;
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread;
use crate::v5::types::ompt_callbacks_t::*;
use crate::v5::types::*;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use system::arch::stack_pointer;

/// Flags of an implicit task of a team.
const UNDEFERRED_IMPLICIT: c_int = (flag::IMPLICIT | flag::UNDEFERRED).cast_signed();

/// Data word and size of the region at a level, or the entry's result if that isn't 2.
fn parallel(level: c_int) -> Result<(usize, c_int), c_int> {
    let ask: ompt_get_parallel_info_t = entry(c"ompt_get_parallel_info");
    let (mut data, mut size) = (null_mut(), -7);
    // SAFETY: writes to the two variables.
    match unsafe { ask.unwrap()(level, &raw mut data, &raw mut size) } {
        2 => Ok((data as usize, size)),
        answer => {
            assert_eq!((data, size), (null_mut(), -7), "something was written");
            Err(answer)
        }
    }
}

/// Properties of the task at a level: flags, address of its data word, address of the region's data word, thread number.
fn task(level: c_int) -> Result<(c_int, usize, usize, c_int), c_int> {
    let ask: ompt_get_task_info_t = entry(c"ompt_get_task_info");
    let (mut flags, mut number, mut data, mut frame, mut region) = (-7, -7, null_mut(), null_mut(), null_mut());
    // SAFETY: writes to the five variables.
    let answer =
        unsafe { ask.unwrap()(level, &raw mut flags, &raw mut data, &raw mut frame, &raw mut region, &raw mut number) };
    if answer == 2 {
        assert!(!frame.is_null());
        // SAFETY: null is allowed everywhere.
        assert_eq!(unsafe { ask.unwrap()(level, null_mut(), null_mut(), null_mut(), null_mut(), null_mut()) }, 2);
        return Ok((flags, data as usize, region as usize, number));
    }
    assert_eq!((flags, number, data, frame, region), (-7, -7, null_mut(), null_mut(), null_mut()));
    Err(answer)
}

fn state() -> (c_int, u64) {
    let ask: ompt_get_state_t = entry(c"ompt_get_state");
    let mut wait = 7;
    // SAFETY: writes to `wait`, or nowhere.
    assert_eq!(unsafe { ask.unwrap()(&raw mut wait) }, unsafe { ask.unwrap()(null_mut()) });
    // SAFETY: writes to `wait`.
    (unsafe { ask.unwrap()(&raw mut wait) }, wait)
}

#[test]
fn outside_of_all_regions_there_is_an_initial_task_in_an_implicit_region_of_one() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    initial(|me| {
        let (outside, own) = (me.identity.outside().as_ptr() as usize, me.own_task().task.data().as_ptr() as usize);
        assert_eq!(parallel(0), Ok((outside, 1)));
        assert_eq!(task(0), Ok((1, own, outside, 0)));
        assert_eq!((parallel(1), task(1)), (Err(0), Err(0)));
        assert_eq!((parallel(-1), task(-1), parallel(c_int::MAX), task(c_int::MAX)), (Err(0), Err(0), Err(0), Err(0)));
        assert_eq!(state(), (0, 0));
    });
}

#[test]
fn levels_count_regions_and_tasks_outwards_on_every_member() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    initial(|me| {
        let outside = me.identity.outside().as_ptr() as usize;
        let initial = me.own_task().task.data().as_ptr() as usize;
        region(me, |outer| {
            let outer = outer.data().as_ptr() as usize;
            let implicit = task(0).unwrap().1;
            assert_eq!((parallel(0), parallel(1), parallel(2)), (Ok((outer, 2)), Ok((outside, 1)), Err(0)));
            assert_eq!(task(0), Ok((UNDEFERRED_IMPLICIT, implicit, outer, 0)));
            assert_eq!((task(1), task(2)), (Ok((1, initial, outside, 0)), Err(0)));
            work(me.current.region().unwrap(), || {
                let own = thread::here().unwrap().own_task().task.data().as_ptr() as usize;
                assert_eq!((parallel(0), parallel(1), parallel(2)), (Ok((outer, 2)), Ok((outside, 1)), Err(0)));
                assert_eq!(task(0), Ok((UNDEFERRED_IMPLICIT, own, outer, 1)));
                assert_eq!((task(1), task(2)), (Ok((1, initial, outside, 0)), Err(0)));
            });
            call(0x90);
            let explicit: &'static Task = Box::leak(Box::new(me.tasks().new_task()));
            explicit.set_flags(flag::EXPLICIT | flag::FINAL);
            // Above all frames that are inlined into this one.
            let suspended = me.tasks().begin(stack_pointer() + 8, explicit);
            let explicit = explicit.data().as_ptr() as usize;
            assert_eq!(task(0), Ok((0x2000_0004, explicit, outer, 0)));
            assert_eq!(task(1), Ok((UNDEFERRED_IMPLICIT, implicit, outer, 0)));
            region(me, |inner| {
                let inner = inner.data().as_ptr() as usize;
                assert_eq!((parallel(0), parallel(1)), (Ok((inner, 2)), Ok((outer, 2))));
                assert_eq!((parallel(2), parallel(3)), (Ok((outside, 1)), Err(0)));
                let data = |level| task(level).map(|(_, data, region, number)| (data, region, number));
                assert_eq!(data(0).map(|(_, region, number)| (region, number)), Ok((inner, 0)));
                assert_eq!((data(1), data(2)), (Ok((explicit, outer, 0)), Ok((implicit, outer, 0))));
                assert_eq!((data(3), data(4)), (Ok((initial, outside, 0)), Err(0)));
            });
            me.tasks().end(suspended);
        });
    });
}

/// Device, number and host operation of the target region, or 0 if there is none.
fn target() -> Result<(u64, u64, u64), c_int> {
    let ask: ompt_get_target_info_t = entry(c"ompt_get_target_info");
    let (mut device, mut number, mut operation) = (77, 77, 77);
    // SAFETY: writes to the three variables.
    match unsafe { ask.unwrap()(&raw mut device, &raw mut number, &raw mut operation) } {
        1 => Ok((device, number, operation)),
        answer => {
            assert_eq!((device, number, operation), (77, 77, 77), "something was written");
            Err(answer)
        }
    }
}

#[test]
fn in_a_target_region_on_the_host_a_thread_is_alone_with_an_initial_task() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_implicit_task]));
    initial(|me| {
        let outside = me.identity.outside().as_ptr() as usize;
        let initial = me.own_task().task.data().as_ptr() as usize;
        assert_eq!(target(), Err(0));
        region(me, |team| {
            let (id, team) = (team.id(), team.data().as_ptr() as usize);
            let implicit = task(0).unwrap().1;
            let mut numbers = Vec::new();
            for _ in 0..2 {
                let last = me.unused_regions.last().map(std::ptr::from_ref);
                let own = me.regions().enter_target(stack_pointer() + 8, FUNCTION, 0x8000).unwrap();
                let alone = own.data().as_ptr() as usize;
                assert_eq!((parallel(0), parallel(1), parallel(2)), (Ok((alone, 1)), Ok((team, 2)), Ok((outside, 1))));
                let (flags, own_task, around, number) = task(0).unwrap();
                assert_eq!((flags, around, number), (1, alone, 0));
                assert_eq!(
                    (task(1), task(2)),
                    (Ok((UNDEFERRED_IMPLICIT, implicit, team, 0)), Ok((1, initial, outside, 0)))
                );
                let (device, number, operation) = target().unwrap();
                assert_eq!((device, operation), (0, 0));
                numbers.push(number);
                // For interfaces that have only parallel regions, it is a part of the team's region.
                assert_eq!((query::now().region, query::parent_region()), (id, Some(0)));
                assert_eq!((query::region_id_at(0), query::region_id_at(1)), (id, 0));
                region(me, |inner| {
                    assert_eq!(query::parent_region(), Some(id));
                    assert_eq!((parallel(1), parallel(2)), (Ok((alone, 1)), Ok((team, 2))));
                    assert_eq!(task(1).map(|(_, data, ..)| data), Ok(own_task));
                    work(inner, || assert_eq!(target(), Ok((0, number, 0))));
                });
                me.regions().leave_target(own);
                assert_eq!((target(), parallel(0)), (Err(0), Ok((team, 2))));
                assert_eq!(task(0).map(|(_, data, ..)| data), Ok(implicit));
                assert_eq!(me.unused_regions.last().map(std::ptr::from_ref), last);
            }
            assert!(numbers[0] != numbers[1] && !numbers.contains(&0));
        });
        // Also outside of all regions.
        let own = me.regions().enter_target(stack_pointer() + 8, FUNCTION, 0x8000).unwrap();
        let alone = own.data().as_ptr() as usize;
        assert_ne!(alone, outside);
        assert_eq!((parallel(0), parallel(1), parallel(2)), (Ok((alone, 1)), Ok((outside, 1)), Err(0)));
        assert_eq!(task(1), Ok((1, initial, outside, 0)));
        assert_eq!((state(), query::now().region), ((0, 0), 0));
        me.regions().leave_target(own);
        assert_eq!(task(0), Ok((1, initial, outside, 0)));
    });
    let saw = Tool::saw();
    let of_initial = |end: &str| saw.iter().filter(|line| line.contains(end) && line.ends_with(" 0x1")).count();
    // One for the thread, and three for target regions.
    assert_eq!((of_initial(" begin "), of_initial(" end ")), (4, 4), "{saw:?}");
}

#[test]
fn in_a_team_of_a_league_a_thread_has_an_initial_task_and_the_league_around_it() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_implicit_task, ompt_callback_parallel_begin, ompt_callback_parallel_end]));
    initial(|me| {
        let outside = me.identity.outside().as_ptr() as usize;
        let initial = me.own_task().task.data().as_ptr() as usize;
        let call = CallSite { return_address: 0x1234, frame: 0x8000 };
        let encounter = Encounter { call, function: FUNCTION, requested: 2 };
        let league = me.regions().enter_league(stack_pointer() + 8, encounter).unwrap();
        let data = league.data().as_ptr() as usize;
        let mut last = None;
        for number in 0..2 {
            me.regions().begin_team(league, number, 2, 0x7000);
            assert_eq!((parallel(0), parallel(1), parallel(2)), (Ok((data, 2)), Ok((outside, 1)), Err(0)));
            let (flags, own_task, around, thread_number) = task(0).unwrap();
            assert_eq!((flags, around, thread_number), (1, data, c_int::try_from(number).unwrap()));
            assert_eq!(task(1), Ok((1, initial, outside, 0)));
            // It is not a target region, and not a region for interfaces that have only parallel regions.
            assert_eq!((target(), query::now().region), (Err(0), 0));
            region(me, |inner| {
                assert_eq!((parallel(1), parallel(2)), (Ok((data, 2)), Ok((outside, 1))));
                assert_eq!(task(1).map(|(_, data, ..)| data), Ok(own_task));
                last = Some(std::ptr::from_ref(inner));
            });
            me.regions().end_team(league);
            assert_eq!((task(0), parallel(0)), (Ok((1, initial, outside, 0)), Ok((outside, 1))));
        }
        me.regions().leave_league(league);
        assert_eq!((task(0), parallel(0)), (Ok((1, initial, outside, 0)), Ok((outside, 1))));
        // Workers wait for the next region of the thread, as many as the last parallel region had: not one for each team.
        assert_eq!(me.unused_regions.last().map(std::ptr::from_ref), last);
    });
    let saw = Tool::saw();
    let of_initial = |end: &str| saw.iter().filter(|line| line.contains(end) && line.ends_with(" 0x1")).count();
    assert_eq!((of_initial(" begin "), of_initial(" end ")), (3, 3), "{saw:?}");
    let flagged = saw.iter().filter(|line| line.starts_with("parallel_") && line.contains("0x40000002")).count();
    assert_eq!(flagged, 2, "{saw:?}");
}

#[test]
fn a_league_whose_frame_is_gone_is_over() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    initial(|me| {
        let outside = me.identity.outside().as_ptr() as usize;
        deeper(|| {
            let call = CallSite { return_address: 0x1234, frame: 0x8000 };
            let encounter = Encounter { call, function: FUNCTION, requested: 2 };
            let league = me.regions().enter_league(stack_pointer() + 8, encounter).unwrap();
            me.regions().begin_team(league, 0, 2, 0x7000);
        });
        assert_ne!(parallel(0), Ok((outside, 1)));
        let wait = me.waits().begin(Span::LOCK_WAIT, State::WaitLock, 1);
        me.waits().end(wait);
        assert_eq!(parallel(0), Ok((outside, 1)));
    });
}

#[test]
fn a_target_region_whose_frame_is_gone_is_over() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    initial(|me| {
        let outside = me.identity.outside().as_ptr() as usize;
        deeper(|| _ = me.regions().enter_target(stack_pointer() + 8, FUNCTION, 0x8000).unwrap());
        assert!(target().is_ok());
        let wait = me.waits().begin(Span::LOCK_WAIT, State::WaitLock, 1);
        me.waits().end(wait);
        assert_eq!((target(), parallel(0)), (Err(0), Ok((outside, 1))));
    });
}

#[test]
fn a_worker_in_the_pool_is_in_no_region_and_has_no_task() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    on_a_thread(|| {
        thread::here_as_worker().unwrap();
        assert_eq!((parallel(0), task(0)), (Err(0), Err(0)));
        assert_eq!(state(), (0x100, 0));
    });
}

#[test]
fn a_worker_that_went_into_the_pool_from_a_task_has_none() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    on_a_thread(|| {
        let me = thread::here_as_worker().unwrap();
        let explicit: &'static Task = Box::leak(Box::new(me.tasks().new_task()));
        explicit.set_flags(flag::EXPLICIT);
        assert_ne!(explicit.id(), 0);
        me.current.switch_task(Some(explicit));
        assert_eq!((query::task(), task(0)), ((0, 0), Err(0)));
    });
}

#[test]
fn a_thread_that_waits_for_a_mutex_says_which() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    initial(|me| {
        let wait = me.waits().begin(Span::LOCK_WAIT, State::WaitNestLock, 1234);
        assert_eq!(state(), (0x41, 1234));
        me.waits().end(wait);
        assert_eq!(state(), (0, 0));
    });
}

#[test]
fn a_thread_has_its_own_word_and_one_that_was_never_seen_has_none() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    let ask: ompt_get_thread_data_t = entry(c"ompt_get_thread_data");
    on_a_thread(move || {
        // SAFETY: takes nothing.
        assert!(unsafe { ask.unwrap()() }.is_null());
        assert_eq!((parallel(0), task(0)), (Err(0), Err(0)));
        let me = thread::here().unwrap();
        // SAFETY: takes nothing.
        assert_eq!(unsafe { ask.unwrap()() }, me.identity.data().as_ptr().cast());
    });
}

#[test]
fn unique_ids_follow_each_other_on_a_thread_whatever_others_take() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    let id: ompt_get_unique_id_t = entry(c"ompt_get_unique_id");
    // SAFETY: takes nothing.
    let next = move || unsafe { id.unwrap()() };
    initial(move |_| {
        // Any but the last one of a block.
        let first = std::iter::repeat_with(next).find(|id| !id.is_multiple_of(256)).unwrap();
        let (mut of_another, mut of_none) = (0, 0);
        initial(|_| of_another = next());
        on_a_thread(|| of_none = next());
        assert_eq!(next(), first + 1);
        assert!(of_another != of_none && ![first, first + 1].iter().any(|own| [of_another, of_none].contains(own)));
    });
}

#[test]
fn there_are_no_devices_no_target_regions_and_no_memory_of_an_initial_task_and_ids_are_new_each_time() {
    let _alone = alone();
    let devices: ompt_get_num_devices_t = entry(c"ompt_get_num_devices");
    // SAFETY: takes nothing.
    assert_eq!(unsafe { devices.unwrap()() }, 0);
    let target: ompt_get_target_info_t = entry(c"ompt_get_target_info");
    // SAFETY: writes nothing.
    assert_eq!(unsafe { target.unwrap()(null_mut(), null_mut(), null_mut()) }, 0);
    let memory: ompt_get_task_memory_t = entry(c"ompt_get_task_memory");
    let (mut address, mut size) = (7 as *mut c_void, 7);
    // SAFETY: writes to the two variables.
    assert_eq!(unsafe { memory.unwrap()(&raw mut address, &raw mut size, 0) }, 0);
    assert_eq!(size, 0);
    let id: ompt_get_unique_id_t = entry(c"ompt_get_unique_id");
    // SAFETY: takes nothing.
    let ids = [(); 3].map(|()| unsafe { id.unwrap()() });
    assert!(ids[0] != 0 && ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    let processor: ompt_get_proc_id_t = entry(c"ompt_get_proc_id");
    // SAFETY: takes nothing.
    let processor = || unsafe { processor.unwrap()() };
    assert_eq!(processor(), -1, "the thread is none of OpenMP's");
    initial(|_| assert!(processor() >= 0));
}
