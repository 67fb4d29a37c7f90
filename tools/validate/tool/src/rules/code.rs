//! Rules of return addresses: the place in the program that causes an event (OpenMP 5.0, 4.5.2: `codeptr_ra`).

use validate_layout::event::{Callback, Event, Mutex};
use validate_layout::rule::Rule;

use crate::constants::{cancel, endpoint, mutex, sync};
use crate::engine::{Engine, Place};

impl Engine {
    pub(crate) fn check_code(&mut self, thread: u64, event: &Event, place: Place) {
        let Some(code) = event.code() else { return };
        if code == 0 {
            // A thread at a region's last barrier was called by the runtime, and it is the runtime that discards
            // tasks.
            let of_runtime = match event {
                Event::Sync { kind, .. } => sync::is_last(*kind),
                Event::Cancel { flags, .. } => flags & cancel::DISCARDED != 0,
                _ => false,
            };
            let left_out = matches!(
                event.callback(),
                Callback::ParallelBegin | Callback::ParallelEnd | Callback::MutexReleased | Callback::Reduction
            );
            let deviates = left_out || may_be_taken_by_critical(self, thread);
            let allowed = of_runtime || may_be_jumped_to(self, thread, event);
            let say = || "codeptr_ra is null".to_owned();
            self.findings.check_or_let_pass(Rule::CodeThere, allowed, deviates, say);
            return;
        }
        self.findings.check(Rule::CodeThere, true, String::new);
        let of_program = place == Place::Program;
        self.findings.check_or_let_pass(Rule::CodeProgram, of_program, place == Place::Runtime, || match place {
            Place::Runtime => format!("{code:#x} is in the runtime"),
            _ => format!("{code:#x} is not in executable memory"),
        });
    }

    /// Checks that a callback is not called after the runtime said that it would not call it.
    pub(crate) fn check_registered(&mut self, callback: Callback) {
        let Some((_, answer)) = self.registered.iter().find(|(registered, _)| *registered == callback) else { return };
        let (answer, promised) = (*answer, [3, 4, 5].contains(answer));
        self.findings.check(Rule::ToolNever, promised, || format!("ompt_set_callback answered {answer}"));
    }
}

/// True if `codeptr_ra` may lie in the runtime. The last call of a region's or a task's code may be compiled as a
/// jump: it then returns to the runtime, which has called that code. Calls that are never the last one in any program
/// are excluded, and so are initial tasks.
fn may_be_jumped_to(engine: &Engine, thread: u64, event: &Event) -> bool {
    let never_last = match event {
        Event::Work { endpoint, .. } | Event::Masked { endpoint, .. } => *endpoint == endpoint::BEGIN,
        Event::MutexAcquire { kind, .. } => !mutex::is_lock(*kind),
        Event::Mutex { which, kind, .. } => *which == Mutex::Acquired && !mutex::is_lock(*kind),
        _ => false,
    };
    let called = engine.model.current_task(thread).is_some_and(|(_, task)| !task.is_outermost());
    !engine.findings.llvm && called && !never_last
}

/// True if the return address of libomp's first thread may be lost. A thread that leaves a critical region takes the
/// address that libomp has kept for its first thread, not its own (`__kmpc_end_critical`, LLVM 19).
fn may_be_taken_by_critical(engine: &Engine, thread: u64) -> bool {
    engine.model.first == Some(thread) && engine.model.criticals_of_others
}
