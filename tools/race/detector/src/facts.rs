//! Facts about the call into the runtime that a thread is in, beyond those that OMPT reports.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Facts about what a thread's last calls start.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The task that starts next is included.
    included: AtomicBool,
    /// The body's function of the region that starts next.
    region: AtomicUsize,
}

/// Facts about a task's last calls that create tasks. Other tasks may run inside such a call, and make calls of their own.
#[derive(Debug, Default)]
pub(crate) struct Creations {
    /// `GOMP_task`; the construct `taskloop`, in whose call other tasks may be created.
    task: Call,
    taskloop: Call,
}

/// A call that creates tasks.
#[derive(Debug, Default)]
struct Call {
    /// Return address; 0 if there is none.
    codeptr: AtomicUsize,
    function: AtomicUsize,
    /// The block of arguments, and its size.
    block: [AtomicUsize; 2],
    /// True if its `if` clause is false.
    included: AtomicBool,
    /// True while the call waits for the tasks that the new one depends on.
    waits: AtomicBool,
}

/// Facts from a call about the task that it creates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewTask {
    pub(crate) function: usize,
    pub(crate) block: [usize; 2],
    pub(crate) included: bool,
    pub(crate) is_taskloop: bool,
}

impl Creations {
    /// A new task has made no call.
    pub(crate) fn reset(&self) {
        for call in [&self.task, &self.taskloop] {
            call.codeptr.store(0, Relaxed);
            call.waits.store(false, Relaxed);
        }
    }

    /// A call that creates tasks starts. `waits`: it may first wait for other tasks.
    pub(crate) fn begin(&self, codeptr: usize, new: NewTask, waits: bool) {
        let call = if new.is_taskloop { &self.taskloop } else { &self.task };
        call.codeptr.store(codeptr, Relaxed);
        call.function.store(new.function, Relaxed);
        call.block.iter().zip(new.block).for_each(|(field, value)| field.store(value, Relaxed));
        call.included.store(new.included, Relaxed);
        call.waits.store(waits, Relaxed);
    }

    /// A task is created whose call returns to this address.
    pub(crate) fn of(&self, codeptr: usize) -> NewTask {
        for (call, is_taskloop) in [(&self.task, false), (&self.taskloop, true)] {
            if codeptr != 0 && call.codeptr.load(Relaxed) == codeptr {
                call.waits.store(false, Relaxed);
                let [block, size] = &call.block;
                return NewTask {
                    function: call.function.load(Relaxed),
                    block: [block.load(Relaxed), size.load(Relaxed)],
                    included: call.included.load(Relaxed),
                    is_taskloop,
                };
            }
        }
        NewTask::default()
    }

    /// True while a call that creates a task waits for those that the new one depends on: this is not a wait for all
    /// children.
    pub(crate) fn are_waiting_for_dependences(&self) -> bool {
        self.task.waits.load(Relaxed)
    }
}

impl Facts {
    /// The next region that starts has this function as its body.
    pub(crate) fn expect_region(&self, function: usize) {
        self.region.store(function, Relaxed);
    }

    /// The function of the region that starts; 0 if unknown.
    pub(crate) fn take_region(&self) -> usize {
        self.region.swap(0, Relaxed)
    }

    /// The next task that starts is included.
    pub(crate) fn expect_included(&self) {
        self.included.store(true, Relaxed);
    }

    /// True if the task that starts was announced as included.
    pub(crate) fn take_included(&self) -> bool {
        self.included.swap(false, Relaxed)
    }
}
