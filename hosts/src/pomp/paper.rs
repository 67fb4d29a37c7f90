//! The task functions of the paper's Table 1 (Lorenz et al., 2010), which the OPARI of that time called: a task gets its value
//! where it begins, from that of the task that created it. Values are the ids of tasks, as tools have them, or as
//! [`task_ids`] counts them where no tool is attached.
//!
//! Tasks are told here only where no runtime's host tells of them.
#![allow(unsafe_code)] // naked functions: what the program calls

use super::mode::{self, MODE, Mode};
use super::records::{self, Mark};
use super::task_ids;
use super::tasks::{finish, store};
use super::waits::{begin_wait, end_wait};
use ompt_core::event::Span;
use ompt_core::query;
use ompt_core::state::State;
use ompt_core::task::flag::{EXPLICIT, UNDEFERRED};
use ompt_core::thread::{Thread, here};
use std::sync::atomic::Ordering::*;

/// Of a thread's word for the creation that it is in: that is one of which nothing is known before the task begins.
const CREATING: usize = 1;

/// `name: the function behind it;` That gets the stack pointer of the caller as a third argument.
macro_rules! entries {
    ($($(#[$doc:meta])* $name:ident: $body:path;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// To be called as instrumented code does.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            #[allow(unreachable_pub)] // exported by its name, not by its path
            pub unsafe extern "C-unwind" fn $name() {
                std::arch::naked_asm!(
                    "test byte ptr [rip + {mode}], {calls}",
                    "jz 2f",
                    ompt_core::note_call!(),
                    "2:",
                    "lea rdx, [rsp + 8]",
                    "jmp {body}",
                    mode = sym MODE,
                    calls = const mode::CALLS | mode::AWAITED,
                    body = sym $body,
                )
            }
        )*
    };
}

entries! {
    /// A task starts to create another one.
    POMP_Task_create_begin: create_begin;
    /// It has created it.
    POMP_Task_create_end: create_end;
    /// A task begins, which the one of that value has created. Gives its own value.
    POMP_Task_begin: task_begin;
    /// The task that the thread executes ends.
    POMP_Task_end: task_end;
    /// A task starts to wait for those that it has created.
    POMP_Taskwait_begin: taskwait_begin;
    /// It goes on.
    POMP_Taskwait_end: taskwait_end;
    /// The value of the task that the thread executes, at any time.
    POMP_Get_current_task: current;
    /// The thread executes that task again.
    POMP_Set_current_task: set_current;
}

/// The calling thread, where nobody else tells of its tasks.
fn alone() -> Option<&'static Thread> {
    if Mode::of_call().is_alone() { here() } else { None }
}

/// The id that a tool has for the current task; 0 where there is no tool.
fn known() -> u64 {
    let mode = Mode::of_call();
    if !mode.asks_for_ids() {
        mode::count_tasks();
    }
    if !mode.is_watched() {
        return 0;
    }
    here();
    query::task().0
}

extern "C-unwind" fn create_begin(_: usize, _: usize, _: usize) {
    alone().inspect(|thread| thread.creating().store(CREATING, Relaxed));
}

extern "C-unwind" fn create_end(_: usize, _: usize, _: usize) {
    alone().inspect(|thread| thread.creating().store(0, Relaxed));
}

extern "C-unwind" fn task_begin(creator: u64, _: usize, frame: usize) -> u64 {
    alone().inspect(|thread| begin(thread, creator, frame));
    task_ids::begin(known(), creator)
}

fn begin(thread: &'static Thread, creator: u64, frame: usize) {
    let at_once = thread.creating().swap(0, Relaxed) == CREATING;
    let Some(record) = records::new(thread) else { return };
    let creation = thread.begin_creation(frame);
    thread.name_task_of(creator, &record.task);
    record.task.set_flags(if at_once { EXPLICIT | UNDEFERRED } else { EXPLICIT });
    thread.tell_task(&record.task, 0, false);
    let end_of_frame = frame + 1;
    let suspended = if at_once {
        thread.begin_task_at_once(end_of_frame, &record.task, creation)
    } else {
        thread.end_creation(&record.task, false, creation);
        thread.begin_task(end_of_frame, &record.task)
    };
    store(&record.suspended, suspended.into_words());
    record.mark(thread, Mark::Created);
}

extern "C-unwind" fn task_end(_: usize, _: usize, _: usize) {
    if let Some((thread, record)) = alone().and_then(|thread| Some((thread, records::current(thread)?))) {
        finish(thread, record);
    }
    task_ids::end();
}

extern "C-unwind" fn taskwait_begin(_: usize, _: usize, frame: usize) {
    alone().inspect(|thread| begin_wait(thread, frame, Span::TASK_WAIT, State::WaitTaskwait, 0));
}

extern "C-unwind" fn taskwait_end(_: usize, _: usize, _: usize) {
    alone().inspect(|thread| end_wait(thread));
}

extern "C-unwind" fn current(_: usize, _: usize, _: usize) -> u64 {
    task_ids::current(known())
}

/// Tools know it without this: tasks that begin and end on a thread do so one inside of the other.
extern "C-unwind" fn set_current(task: u64, _: usize, _: usize) {
    task_ids::restore(task);
}
