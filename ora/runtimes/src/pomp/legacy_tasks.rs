//! Task functions of Lorenz et al., 2010 (Table 1), which the OPARI of that time called. A task gets its value where it begins, derived
//! from that of the task that created it. Values are the ids of tasks, as passed to tools, or as `task_ids` counts them if no tool is
//! attached.
//!
//! `entry.rs` has the functions that the program calls. Each of these gets the caller's stack pointer as a third
//! argument.
//!
//! Tasks are reported here only if no runtime adapter reports them.

use super::list_node::Key;
use super::mode::{self, Mode};
use super::pending_tasks;
use super::task_ids::TaskPlace;
use super::task_records;
use super::tasks::{begin_creation, end_creation, execute, finish};
use super::waits::{begin_wait, end_wait};
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::task::flag::EXPLICIT;
use ompt_core::thread::{Thread, here};

/// The calling thread, if no runtime adapter reports its tasks.
fn alone() -> Option<&'static Thread> {
    if Mode::of_call().is_alone() { here() } else { None }
}

/// The calling thread's place. From now on the ids of its tasks are kept.
fn place() -> TaskPlace {
    let mode = Mode::of_call();
    if !mode.asks_for_ids() {
        mode::count_tasks();
    }
    if mode.is_watched() {
        here();
    }
    TaskPlace::of_call(mode)
}

pub(super) extern "C-unwind" fn create_begin(region: u64, _: usize, frame: usize) {
    if let Some(thread) = alone() {
        let creator = place().current();
        let ompt = Mode::of_call().records_calls();
        if let Some(record) = begin_creation(thread, frame, EXPLICIT, ompt) {
            pending_tasks::add(record, Key { creator, region });
        }
    }
}

pub(super) extern "C-unwind" fn create_end(_: usize, _: usize, _: usize) {
    alone().inspect(|thread| end_creation(thread));
}

pub(super) extern "C-unwind" fn task_begin(creator: u64, region: u64, frame: usize) -> u64 {
    alone().inspect(|thread| begin(thread, Key { creator, region }, frame));
    place().begin(creator)
}

fn begin(thread: &'static Thread, key: Key, frame: usize) {
    let ompt = Mode::of_call().records_calls();
    let creating = task_records::at(thread.current.creating() as u64);
    if let Some(record) = pending_tasks::take(key, creating) {
        return execute(thread, record, frame, ompt);
    }
    // It was created before a tool attached.
    if let Some(record) = begin_creation(thread, frame, EXPLICIT, ompt) {
        end_creation(thread);
        execute(thread, record, frame, ompt);
    }
}

pub(super) extern "C-unwind" fn task_end(_: usize, _: usize, _: usize) {
    if let Some((thread, record)) = alone().and_then(|thread| Some((thread, task_records::current(thread)?))) {
        finish(thread, record);
    }
    place().end();
}

pub(super) extern "C-unwind" fn taskwait_begin(_: usize, _: usize, frame: usize) {
    alone().inspect(|thread| begin_wait(thread, frame, Span::TASK_WAIT, State::WaitTaskwait, 0));
}

pub(super) extern "C-unwind" fn taskwait_end(_: usize, _: usize, _: usize) {
    alone().inspect(|thread| end_wait(thread));
}

pub(super) extern "C-unwind" fn current(_: usize, _: usize, _: usize) -> u64 {
    place().current()
}

/// Reports nothing to tools: tasks that begin and end on the same thread are properly nested.
pub(super) extern "C-unwind" fn set_current(task: u64, _: usize, _: usize) {
    place().restore(task);
}
