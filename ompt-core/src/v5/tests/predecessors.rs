//! Unfinished tasks that a new task depends on.

use super::runtime::{alone, initial, on_a_thread, region};
use super::tool::Tool;
use crate::detail::{Dependence, DependenceKind, DependenceKind::*};
use crate::graph::{Deferral, Node};
use crate::task::Task;
use crate::thread::Thread;
use crate::v5::types::ompt_callbacks_t::*;

/// A task that is never freed, with its node.
struct Made {
    task: &'static Task,
    node: Option<&'static Node>,
}

impl Made {
    fn end(&self) {
        self.node.unwrap().end();
    }
}

/// Creates a task in the current one; the tool names it by its number.
fn create(me: &'static Thread, number: u64, deferral: Deferral, list: &[(u64, DependenceKind)]) -> Made {
    let task: &'static Task = Box::leak(Box::new(me.tasks().new_task()));
    task.data().store(number, std::sync::atomic::Ordering::Relaxed);
    let list = list.iter().map(|(variable, kind)| Dependence { variable: *variable, kind: *kind });
    Made { task, node: me.tasks().report_predecessors(task, list, deferral) }
}

fn new(me: &'static Thread, number: u64, list: &[(u64, DependenceKind)]) -> Made {
    create(me, number, Deferral::Deferred(0), list)
}

/// The pairs that are reported while `act` runs in a region.
fn reported(act: impl FnOnce(&'static Thread) + Send) -> Vec<String> {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_task_dependence]));
    let mut saw = Vec::new();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            act(me);
            saw = Tool::saw();
        });
    });
    saw.sort();
    saw
}

/// The pairs that are reported for tasks that each depend on one variable, none of which ends.
fn reported_for(kinds: &[DependenceKind]) -> Vec<String> {
    reported(|me| {
        for (number, kind) in (1..).zip(kinds) {
            new(me, number, &[(8, *kind)]);
        }
    })
}

#[test]
fn readers_wait_for_the_writer_and_the_next_writer_for_them() {
    assert_eq!(reported_for(&[Out, In, In, Inout, In, Out, Out]), ["1>2", "1>3", "2>4", "3>4", "4>5", "5>6", "6>7"]);
}

#[test]
fn members_of_a_set_wait_for_what_was_before_it_and_not_for_each_other() {
    for set in [Mutexinoutset, Inoutset] {
        assert_eq!(reported_for(&[In, set, set, In, set, Out]), ["1>2", "1>3", "2>4", "3>4", "4>5", "5>6"], "{set:?}");
    }
    assert_eq!(reported_for(&[Mutexinoutset, Inoutset, Inoutset, Mutexinoutset]), ["1>2", "1>3", "2>4", "3>4"]);
}

#[test]
fn a_pair_is_reported_once_and_two_ways_to_use_a_variable_are_inout() {
    let pairs = reported(|me| {
        new(me, 1, &[(8, Out), (16, Out), (24, In)]);
        new(me, 2, &[(8, In), (16, In), (24, In)]);
        new(me, 3, &[(8, In), (8, Out), (8, In)]);
        new(me, 4, &[(8, In)]);
    });
    assert_eq!(pairs, ["1>2", "2>3", "3>4"]);
}

#[test]
fn a_complete_task_is_no_predecessor_on_whatever_thread_it_ended() {
    let pairs = reported(|me| {
        let [first, second] = [1, 2].map(|number| new(me, number, &[(8, In)]));
        first.end();
        new(me, 3, &[(8, Inout)]);
        on_a_thread(|| second.end());
        new(me, 4, &[(8, Mutexinoutset)]);
        new(me, 5, &[(8, Mutexinoutset)]).end();
        new(me, 6, &[(8, In)]);
    });
    assert_eq!(pairs, ["2>3", "3>4", "3>5", "4>6"]);
}

#[test]
fn variables_of_complete_tasks_are_forgotten_however_many_a_task_has() {
    const EACH: u64 = 50;
    let mut most = 0;
    reported(|me| {
        for number in 0..500 {
            let list: Vec<_> = (0..EACH).map(|one| (8 * (number * EACH + one), Out)).collect();
            new(me, number, &list).end();
            most = most.max(me.siblings.get().unwrap().variables());
        }
    });
    // As many as the table has buckets, those of a task, and a few buckets with several.
    assert!(most < 2048, "{most}");
}

#[test]
fn only_siblings_depend_on_each_other() {
    let pairs = reported(|me| {
        let parent = new(me, 1, &[(8, Out)]);
        let before = me.current.switch_task(Some(parent.task));
        new(me, 2, &[(8, Out)]);
        new(me, 3, &[(8, In)]);
        me.current.switch_task(before);
        new(me, 4, &[(8, In)]);
    });
    assert_eq!(pairs, ["1>4", "2>3"]);
}

#[test]
fn of_many_parents_each_has_its_own() {
    let pairs = reported(|me| {
        for number in 1..3000 {
            let before = me.current.switch_task(Some(Box::leak(Box::new(me.tasks().new_task()))));
            new(me, number, &[(8, Out)]);
            me.current.switch_task(before);
        }
    });
    assert_eq!(pairs, Vec::<String>::new());
}

#[test]
fn an_undeferred_task_has_predecessors_and_is_none() {
    let pairs = reported(|me| {
        new(me, 1, &[(8, Out)]);
        assert!(create(me, 2, Deferral::Undeferred, &[(8, Inout), (16, In)]).node.is_none());
        assert!(create(me, 3, Deferral::Undeferred, &[(8, In)]).node.is_none());
        new(me, 4, &[(8, In)]);
    });
    assert_eq!(pairs, ["1>2", "1>3", "1>4"]);
}

#[test]
fn a_node_keeps_the_adapters_word() {
    reported(|me| {
        let node = create(me, 1, Deferral::Deferred(0x70), &[(8, Out)]).node.unwrap();
        assert_eq!(node.event(), 0x70);
    });
}

#[test]
fn what_is_over_is_forgotten_and_its_memory_used_again() {
    let mut nodes = std::collections::BTreeSet::new();
    let pairs = reported(|me| {
        // Each depends on a variable of its own, so that no later task finds it; every 500th one ends on another
        // thread.
        for number in 1..20_000_u64 {
            let made = new(me, number, &[(number * 8, Out)]);
            nodes.insert(std::ptr::from_ref(made.node.unwrap()).addr());
            if number % 500 == 0 { on_a_thread(|| made.end()) } else { made.end() }
        }
    });
    assert_eq!(pairs, Vec::<String>::new());
    assert!(nodes.len() < 4000, "{} nodes", nodes.len());
}
