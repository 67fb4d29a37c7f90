//! The task functions of the paper's Table 1 (Lorenz et al., 2010), which the OPARI of that time called: a task gets its value
//! where it begins, from that of the task that created it. Values are the ids of tasks.
//!
//! Only where no runtime's host tells of tasks; elsewhere they do nothing, and every value is 0.
#![allow(unsafe_code)] // what the program calls

use super::mode;
use super::records::{self, Mark};
use super::tasks::{finish, store};
use super::waits::{begin_wait, end_wait};
use ompt_core::event::Span;
use ompt_core::query;
use ompt_core::state::State;
use ompt_core::task::flag::EXPLICIT;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::stack_pointer;
use std::ffi::c_void;
use std::sync::atomic::Ordering::*;

/// Of a thread's word for the creation that it is in: that is one of which nothing is known before the task begins.
const CREATING: usize = 1;

fn alone() -> Option<&'static Thread> {
    if mode::is_alone() { here() } else { None }
}

/// A task starts to create another one.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C-unwind" fn POMP_Task_create_begin(_: *const c_void) {
    alone().inspect(|thread| thread.creating().store(CREATING, Relaxed));
}

/// It has created it.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Task_create_end(_: *const c_void) {
    alone().inspect(|thread| thread.creating().store(0, Relaxed));
}

/// A task begins, which the one of that value has created. Gives its own value.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Task_begin(creator: u64, _: *const c_void) -> u64 {
    alone().and_then(|thread| begin(thread, creator)).unwrap_or(0)
}

fn begin(thread: &'static Thread, creator: u64) -> Option<u64> {
    let record = records::new(thread)?;
    // The caller's frame is somewhere above.
    let stack = stack_pointer();
    let at_once = thread.creating().swap(0, Relaxed) == CREATING;
    let creation = thread.begin_creation(stack);
    thread.name_task_of(creator, &record.task);
    record.task.set_flags(EXPLICIT);
    thread.tell_task(&record.task, 0, false);
    let suspended = if at_once {
        thread.begin_task_at_once(usize::MAX, &record.task, creation)
    } else {
        thread.end_creation(&record.task, false, creation);
        thread.begin_task(usize::MAX, &record.task)
    };
    store(&record.suspended, suspended.into_words());
    record.mark(thread, Mark::Created);
    Some(record.task.id())
}

/// The task that the thread executes ends.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Task_end(_: *const c_void) {
    if let Some((thread, record)) = alone().and_then(|thread| Some((thread, records::current(thread)?))) {
        finish(thread, record);
    }
}

/// A task starts to wait for those that it has created.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Taskwait_begin(_: *const c_void) {
    alone().inspect(|thread| begin_wait(thread, thread.no_frame(), Span::TASK_WAIT, State::WaitTaskwait, 0));
}

/// It goes on.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Taskwait_end(_: *const c_void) {
    alone().inspect(|thread| end_wait(thread));
}

/// The value of the task that the thread executes.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Get_current_task() -> u64 {
    alone().map_or(0, |_| query::task().0)
}

/// The thread executes that task again. It is known without this: tasks that begin and end on a thread do so one inside of
/// the other.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // as above
pub extern "C-unwind" fn POMP_Set_current_task(_: u64) {}
