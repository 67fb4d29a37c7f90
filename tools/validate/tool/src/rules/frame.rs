//! Rules of tasks' frames (OpenMP 5.0, 4.4.4.27).

use validate_layout::event::{Event, Frame, Sync};
use validate_layout::rule::Rule;

use crate::constants::{frame, task};
use crate::engine::Engine;

/// Addresses that are farther apart, in bytes, are not on one stack.
const MAX_STACK: u64 = 1 << 30;

impl Engine {
    /// Checks the frame of a task that has called the runtime to encounter a region, or to create a task.
    pub(crate) fn check_enter_frame(&mut self, of: Option<Frame>) {
        let entered = of.is_some_and(|frame| frame.enter != 0);
        self.findings
            .check_or_let_pass(Rule::FrameEnter, entered, true, || format!("the encountering task's frame is {of:x?}"));
        if let Some(of) = of {
            check_frame(self, of);
        }
    }

    /// Checks the current task's frame at the barrier that ends a region: its body has returned, or has called the
    /// runtime.
    pub(crate) fn check_last_barrier_frame(&mut self, event: &Event, of: Option<Frame>) {
        let Event::Sync { kind, .. } = event else { return };
        if let Some(of) = of.filter(|_| crate::constants::sync::is_last(*kind)) {
            let in_runtime = of.exit == 0 || of.enter != 0;
            self.findings.check(Rule::FrameBarrier, in_runtime, || format!("the current task's frame is {of:x?}"));
        }
    }

    /// Checks the current task's frame while its own code has called the runtime.
    pub(crate) fn check_exit_frame(&mut self, event: &Event, of: Option<Frame>, flags: i32) {
        let by_code = match event {
            Event::ParallelBegin { .. } | Event::TaskCreate { .. } | Event::Work { .. } | Event::Masked { .. } => true,
            Event::Mutex { .. } | Event::MutexAcquire { .. } | Event::NestLock { .. } | Event::Flush { .. } => true,
            Event::Sync { which: Sync::Region, kind, endpoint: 1, .. } => !crate::constants::sync::is_last(*kind),
            _ => false,
        };
        if !by_code || flags & task::INITIAL != 0 {
            return;
        }
        let there = of.is_some_and(|of| of.exit != 0);
        self.findings
            .check_or_let_pass(Rule::FrameExit, there, true, || format!("the current task's frame is {of:x?}"));
        if let Some(of) = of {
            check_frame(self, of);
        }
    }
}

/// Checks the properties of any frame.
fn check_frame(engine: &mut Engine, of: Frame) {
    let known = |address, flags| {
        let kind = flags & !frame::APPLICATION;
        let sound = (frame::CFA..=frame::STACK_ADDRESS).contains(&kind) && kind & 0xf == 0;
        address == 0 || sound
    };
    let sound = known(of.exit, of.exit_flags) && known(of.enter, of.enter_flags);
    engine.findings.check_or_let_pass(Rule::FrameFlags, sound, true, || format!("{of:x?}"));
    // The stack grows down. A coroutine's frame and its resumer's are on stacks that are far apart.
    let on_one_stack = of.exit.abs_diff(of.enter) <= MAX_STACK;
    let ordered = of.exit == 0 || of.enter == 0 || of.enter <= of.exit || !on_one_stack;
    engine.findings.check_or_let_pass(Rule::FrameOrder, ordered, true, || format!("{of:x?}"));
}
