//! Results of entry points inside a callback, and arguments of callbacks, on a runtime that must comply with every
//! rule.

use validate_layout::event::{Event, Frame, Mutex};

use crate::script::*;
use ora_validator::answers::{Answers, Places, RegionAnswer, TaskAnswer};
use ora_validator::engine::Place;

/// Correct results in member 1 of a region of two, on thread 2.
fn right(script: &mut Script) -> (u64, u64, Answers) {
    let initial = script.initial(1);
    let thread = script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    let member =
        TaskAnswer { known: 2, flags: 2, task: word(tasks[1]), frame: frame(), parallel: word(region), thread_num: 1 };
    let above = TaskAnswer { known: 2, flags: 1, task: word(initial), ..TaskAnswer::default() };
    let answers = Answers {
        thread: word(thread),
        tasks: vec![member, above],
        regions: vec![RegionAnswer { known: 2, parallel: word(region), size: 2 }],
        unique: 1,
        ..Answers::default()
    };
    (region, tasks[1], answers)
}

/// Findings when member 1 starts a loop and one result is wrong.
fn with(wrong: impl FnOnce(&mut Answers)) -> Vec<&'static str> {
    let mut script = Script::strict();
    let (region, task, mut answers) = right(&mut script);
    script.is_clean();
    wrong(&mut answers);
    script.answers = Some(answers);
    script.work(2, 1, BEGIN, region, task);
    script.found()
}

#[test]
fn right_answers_are_clean_and_each_wrong_one_is_found() {
    assert_eq!(with(|_| ()), [""; 0]);
    assert_eq!(with(|answers| answers.thread = None), ["query.thread"]);
    assert_eq!(with(|answers| answers.unique = 0), ["query.unique"]);
    assert_eq!(with(|answers| answers.tasks.clear()), ["query.task"]);
    assert_eq!(with(|answers| answers.tasks[0].known = 1), ["query.task"]);
    assert_eq!(with(|answers| answers.tasks[0].flags = 4), ["query.flags"]);
    assert_eq!(with(|answers| answers.tasks[0].parallel = None), ["query.region"]);
    assert_eq!(with(|answers| answers.tasks[0].thread_num = 0), ["query.number"]);
    assert_eq!(with(|answers| answers.tasks[1].task = word(5)), ["query.ancestor"]);
    assert_eq!(with(|answers| answers.regions.clear()), ["query.parallel"]);
    assert_eq!(with(|answers| answers.regions[0].size = 3), ["query.size"]);
    assert_eq!(with(|answers| answers.tasks[0].frame = None), ["frame.exit"]);
}

#[test]
fn frames_have_flags_and_lie_in_order() {
    let of = |frame: Frame| with(|answers| answers.tasks[0].frame = Some(frame));
    let right = Frame { exit: 0x7000, enter: 0x6000, exit_flags: 0x20, enter_flags: 0x11 };
    assert_eq!(of(right), [""; 0]);
    assert_eq!(of(Frame { enter: 0, ..right }), [""; 0]);
    assert_eq!(of(Frame { enter: 0x8000, ..right }), ["frame.order"]);
    assert_eq!(of(Frame { exit_flags: 0, ..right }), ["frame.flags"]);
    assert_eq!(of(Frame { exit: 0, ..right }), ["frame.exit"]);
}

#[test]
fn at_the_barrier_that_ends_a_region_a_task_is_in_the_runtime() {
    let at = |frame: Frame| {
        let mut script = Script::strict();
        let (region, task, mut answers) = right(&mut script);
        answers.tasks[0].frame = Some(frame);
        script.answers = Some(answers);
        script.sync(2, LAST_BARRIER, BEGIN, Some(region), task);
        script.found()
    };
    let none = Frame { exit: 0, enter: 0, exit_flags: 0, enter_flags: 0 };
    assert_eq!(at(none), [""; 0]);
    assert_eq!(at(Frame { exit: 0x7000, enter: 0x6000, exit_flags: 0x20, enter_flags: 0x20 }), [""; 0]);
    assert_eq!(at(Frame { exit: 0x7000, exit_flags: 0x20, ..none }), ["frame.barrier"]);
}

#[test]
fn an_initial_task_has_no_region_of_ours() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    script.join(region, initial, &tasks);
    // An initial task's region has a word that the validator didn't write: 0, or none.
    script.sync(1, TASKWAIT, BEGIN, None, initial);
    script.sync(1, TASKWAIT, END, Some(0), initial);
    script.is_clean();
    script.sync(1, TASKWAIT, BEGIN, Some(region), initial);
    assert_eq!(script.found(), ["sync.region"]);
}

#[test]
fn return_addresses_point_into_the_program() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    for (place, expected) in
        [(Place::Program, &[][..]), (Place::Runtime, &["code.program"]), (Place::Nowhere, &["code.program"])]
    {
        script.place = place;
        script.work(1, 1, BEGIN, region, tasks[0]);
        script.place = Place::Program;
        script.work(1, 1, END, region, tasks[0]);
        assert_eq!(script.found(), expected);
    }
    let nowhere = |kind| Event::Sync {
        which: validate_layout::event::Sync::Region,
        kind,
        endpoint: BEGIN,
        parallel: word(region),
        task: word(tasks[0]),
        code: 0,
    };
    // The last call of a region's code may be a jump.
    script.event(1, nowhere(BARRIER));
    script.event(1, nowhere(LAST_BARRIER));
    script.is_clean();
    let lock = |kind| Event::MutexAcquire { init: false, kind, hint: 0, implementation: 0, wait: 64, code: 0 };
    let (a_lock, critical) = (1, 5);
    script.event(1, lock(a_lock));
    script.is_clean();
    script.event(1, lock(critical));
    assert_eq!(script.found(), ["code.there"]);
    let mut script = Script::strict();
    script.initial(1);
    script.event(1, lock(a_lock));
    assert_eq!(script.found(), ["code.there"]);
}

#[test]
fn who_leaves_a_critical_region_may_take_the_first_threads_address_on_libomp() {
    let mut script = Script::libomp();
    script.initial(1);
    script.thread_begin(2, 2);
    let nowhere = Event::ControlTool { command: 1, modifier: 0, argument: 0, code: 0 };
    script.event(1, nowhere.clone());
    assert_eq!(script.found(), ["code.there"]);
    let critical = |script: &mut Script, thread| {
        let kind = 5;
        script.acquire(thread, kind, 64);
        script.mutex(thread, Mutex::Acquired, kind, 64);
        script.mutex(thread, Mutex::Released, kind, 64);
        script.event(1, nowhere.clone());
    };
    critical(&mut script, 1);
    assert_eq!(script.found(), ["code.there"]);
    critical(&mut script, 2);
    script.is_clean();
    script.event(2, nowhere);
    assert_eq!(script.found(), ["code.there"]);
}

#[test]
fn places_fit_together() {
    let right =
        Places { processors: 4, places: 2, place: 1, processor: 3, of_place: 2, partition: 2, ..Places::default() };
    let of = |places: Places| {
        let mut script = Script::strict();
        script.answers = Some(Answers { unique: 1, places: Some(places), ..Answers::default() });
        script.thread_begin(1, 1);
        script.found()
    };
    let places = ["tool.places"];
    assert_eq!(of(right), [""; 0]);
    assert_eq!(of(Places { place: -1, places: 0, of_place: 0, partition: 0, ..right }), [""; 0]);
    assert_eq!(of(Places { place: 2, ..right }), places);
    assert_eq!(of(Places { place: -2, ..right }), places);
    assert_eq!(of(Places { processors: 0, ..right }), places);
    assert_eq!(of(Places { of_place: 0, ..right }), places);
    assert_eq!(of(Places { partition: 3, ..right }), places);
    assert_eq!(of(Places { devices: -1, ..right }), ["tool.devices"]);
}

#[test]
fn nothing_is_called_that_was_not_promised_nor_after_the_end() {
    let mut script = Script::strict();
    script.engine().registered(validate_layout::event::Callback::Work, 1);
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    script.work(1, 1, BEGIN, region, tasks[0]);
    assert_eq!(script.found(), ["tool.never"]);
    script.engine().finalize();
    script.work(1, 1, END, region, tasks[0]);
    assert_eq!(script.found(), ["tool.finalize", "tool.never"]);
}
