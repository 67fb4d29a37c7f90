//! The OMPT tool: passes each event to the part that handles its order.

use std::ffi::CStr;
use std::sync::atomic::Ordering::Relaxed;

use ompt_tool::{
    Callback, Dependences, Dispatch, Endpoint, ImplicitTask, MutexEvent, ParallelBegin, ParallelEnd, Runtime, Share,
    SyncKind, SyncRegion, TaskCreate, TaskSchedule, TaskStatus, ThreadBegin, ThreadEnd, Tool, Work, WorkKind,
};

use crate::region::Region;
use crate::sanitizer::{Context, library, sanitizer};
use crate::settings::settings;
use crate::task::{Task, flag};
use crate::thread::{self, Thread};
use crate::{
    call_stack, callers, calls, chunk, construct, fiber, file, frames, hooks, implicit, mutex, notes, pause, shadow,
};

/// The detector.
pub(crate) struct Detector {
    runtime: Runtime<Self>,
    /// True if each task has a fiber.
    has_fibers: bool,
}

ompt_tool::export!(Detector);

impl Tool for Detector {
    type Thread = ();
    type Parallel = Option<&'static Region>;
    type Task = Option<&'static Task>;

    const CALLBACKS: &'static [Callback] = &[
        Callback::ThreadBegin,
        Callback::ThreadEnd,
        Callback::ParallelBegin,
        Callback::ParallelEnd,
        Callback::ImplicitTask,
        Callback::TaskCreate,
        Callback::TaskSchedule,
        Callback::Dependences,
        Callback::Work,
        Callback::Dispatch,
        Callback::SyncRegion,
        Callback::SyncRegionWait,
        Callback::Reduction,
        Callback::MutexAcquired,
        Callback::MutexReleased,
    ];

    fn start(runtime: Runtime<Self>) -> Option<Self> {
        settings().folder?;
        let Some(sanitizer) = sanitizer() else {
            file::begin(&file::Begin {
                runtime: runtime.runtime_version(),
                fibers: "none",
                is_blind: false,
                notes: &[notes::NO_SANITIZER],
            });
            return None;
        };
        let mut notes: &[&str] = &[];
        let mut has_fibers = sanitizer.has_fibers();
        let is_blind = !hooks::is_asked() && library().is_some_and(is_file_of_library);
        if is_blind {
            has_fibers = false;
            notes = &[notes::LATE_FOR_REPORTS];
        } else if !hooks::set_up() {
            // Its reports can't be judged, and some that fibers lead to are not races of the program.
            has_fibers = false;
            notes = &[notes::NO_REPORTS];
        } else if !runtime.runtime_version().starts_with(LIBGOMP) {
            // This avoids false reports: LLVM's and Intel's runtimes keep the data of tasks in memory of their own, which one
            // thread reuses for its next task.
            has_fibers = false;
        } else if !calls::arrive() {
            has_fibers = false;
            notes = &[notes::LATE_FOR_CALLS];
        } else if !has_fibers {
            notes = &[notes::NO_FIBERS];
        } else if !shadow::calibrate(sanitizer) {
            has_fibers = false;
            notes = &[notes::NO_SHADOW];
        } else {
            call_stack::calibrate(sanitizer);
            frames::set_up();
            has_fibers = fiber::set_up();
        }
        file::begin(&file::Begin {
            runtime: runtime.runtime_version(),
            fibers: if has_fibers { "pooled" } else { "none" },
            is_blind,
            notes,
        });
        calls::observe();
        Some(Self { runtime, has_fibers })
    }

    fn finalize(&self) {
        file::end();
    }

    fn thread_begin(&self, _: ThreadBegin<'_, Self>) {
        thread::here();
    }

    fn thread_end(&self, _: ThreadEnd<'_, Self>) {
        thread::known().inspect(|thread| thread.end());
    }

    fn parallel_begin(&self, event: ParallelBegin<'_, Self>) {
        let thread = thread::here();
        thread.task.get().inspect(|task| chunk::give_up(task));
        let region = Region::begin(event.code, thread.facts.take_region(), thread.contention_group());
        event.parallel.set(Some(region));
        file::note_modules();
    }

    fn parallel_end(&self, event: ParallelEnd<'_, Self>) {
        event.parallel.get().inspect(|region| region.join());
    }

    fn implicit_task(&self, event: ImplicitTask<'_, Self>) {
        let thread = thread::here();
        if event.endpoint == Endpoint::Begin {
            // All of a worker's stack is its own; the primary thread's stack has variables of the code around the region.
            let base = if event.index == 0 { self.base() } else { system::arch::stack_pointer() + FRAMES };
            let member = implicit::Member {
                around: event.parallel.get(),
                is_initial: event.flags.is_initial(),
                number: event.index,
                team: event.size,
            };
            event.task.set(Some(implicit::begin(thread, &member, base)));
        } else if let Some(task) = event.task.get() {
            event.task.set(None);
            implicit::end(thread, task);
        }
    }

    fn sync_region(&self, event: SyncRegion<'_, Self>) {
        let Some(task) = event.task.get() else { return };
        let thread = thread::here();
        match (event.kind, event.endpoint) {
            (SyncKind::Taskwait, Endpoint::Begin) | (SyncKind::Reduction, _) => {}
            (SyncKind::Taskwait, _) => {
                // A wait for dependences is not a wait for all children: its task acquires what it needs.
                if !task.creations.are_waiting_for_dependences() && task.pending_taskwait.get().is_none() {
                    task.wait_for_children();
                }
            }
            (SyncKind::Taskgroup, Endpoint::Begin) => task.begin_group(),
            (SyncKind::Taskgroup, _) => {
                task.end_group();
                if task.unmark(flag::COMBINES) {
                    sanitizer().inspect(|sanitizer| sanitizer.ignore(false));
                }
            }
            (_, Endpoint::Begin) => {
                chunk::end(thread, task);
                task.barrier().inspect(|clock| clock.join());
                task.league.get().inspect(|league| league.barrier(0).join());
            }
            (_, _) => {
                task.leave_barrier(event.kind == SyncKind::BarrierParallel);
                thread.barriers.fetch_add(1, Relaxed);
            }
        }
        if event.endpoint != Endpoint::Begin {
            sanitizer().inspect(|sanitizer| thread.vary(sanitizer));
            thread.note_synchronisation(event.kind, event.code);
        }
    }

    /// LLVM's runtime combines the results of a task reduction between the end of the wait and that of the taskgroup.
    fn sync_region_wait(&self, event: SyncRegion<'_, Self>) {
        if event.kind != SyncKind::Taskgroup || event.endpoint == Endpoint::Begin {
            return;
        }
        let Some(task) = event.task.get() else { return };
        task.wait_for_group();
        if task.unmark(flag::WILL_COMBINE) {
            task.mark(flag::COMBINES);
            sanitizer().inspect(|sanitizer| sanitizer.ignore(true));
        }
    }

    /// LLVM's runtime combines the results of two threads of a larger team inside its barrier.
    fn reduction(&self, event: SyncRegion<'_, Self>) {
        if matches!(event.endpoint, Endpoint::Begin | Endpoint::End) {
            sanitizer().inspect(|sanitizer| sanitizer.ignore(event.endpoint == Endpoint::Begin));
        }
    }

    fn work(&self, event: Work<'_, Self>) {
        if event.kind == WorkKind::SingleExecutor && event.endpoint != Endpoint::Begin && has_others(event.task.get()) {
            pause::after_single();
        }
        let is_shared = !matches!(
            event.kind,
            WorkKind::SingleExecutor
                | WorkKind::SingleOther
                | WorkKind::Taskloop
                | WorkKind::Scope
                | WorkKind::Distribute
        );
        let Some(task) = event.task.get().filter(|task| is_shared && self.has_fibers && !task.has(flag::EXPLICIT))
        else {
            return;
        };
        match event.endpoint {
            Endpoint::Begin => chunk::begin(thread::here(), task, event.code),
            _ => chunk::end(thread::here(), task),
        }
    }

    fn dispatch(&self, event: Dispatch<'_, Self>) {
        let Some(task) = event.task.get().filter(|task| self.has_fibers && !task.has(flag::EXPLICIT)) else { return };
        let code = if let Share::Section(code) = event.share { code } else { 0 };
        chunk::next(thread::here(), task, event.kind, code);
    }

    fn mutex_acquired(&self, event: MutexEvent) {
        mutex::acquired(thread::here(), event.kind, event.wait_id, event.code);
    }

    fn mutex_released(&self, event: MutexEvent) {
        mutex::released(thread::here(), event.wait_id, event.code);
    }

    fn task_create(&self, event: TaskCreate<'_, Self>) {
        let thread = thread::here();
        let Some(parent) = event.task.get().or_else(|| thread.task.get()) else { return };
        chunk::give_up(parent);
        let new = parent.creations.of(event.code);
        let given = [
            (new.included, flag::INCLUDED),
            (event.flags.is_final(), flag::FINAL),
            (new.is_taskloop, flag::TASKLOOP),
            (event.flags.is_taskwait(), flag::TASKWAIT | flag::INCLUDED),
            // The target task of a construct without `nowait` is complete when the construct is.
            (event.flags.is_target() && event.flags.is_undeferred(), flag::INCLUDED),
        ];
        let flags = given.iter().filter(|(is_given, _)| *is_given).fold(0, |flags, (_, flag)| flags | flag);
        let task = Task::create(parent, flags, event.code);
        sanitizer().inspect(|sanitizer| thread.vary(sanitizer));
        task.function.store(new.function, Relaxed);
        let callers = callers::of(thread, parent);
        task.callers.iter().zip(callers).for_each(|(field, value)| field.store(value, Relaxed));
        if event.flags.is_undeferred() {
            // It runs inside the call, to which the block belongs until then.
            task.block.iter().zip(new.block).for_each(|(field, value)| field.store(value, Relaxed));
        }
        if event.flags.is_taskwait() {
            parent.pending_taskwait.set(Some(task));
        }
        event.new_task.set(Some(task));
    }

    fn dependences(&self, event: Dependences<'_, Self>) {
        let Some(task) = event.task.get().filter(|task| task.has(flag::EXPLICIT)) else { return };
        let Some(parent) = task.parent.get() else { return };
        for dependence in event.iter() {
            task.note_dependence(parent, dependence.variable, dependence.kind);
        }
    }

    fn task_schedule(&self, event: TaskSchedule<'_, Self>) {
        let thread = thread::here();
        let (prior, next) = (event.prior.get(), event.next.get());
        match event.status {
            TaskStatus::EarlyFulfill => return prior.into_iter().for_each(Task::fulfill),
            TaskStatus::LateFulfill => {
                if let Some(prior) = prior {
                    prior.fulfill();
                    prior.finish();
                }
                return;
            }
            TaskStatus::TaskwaitComplete => {
                if let Some(prior) = prior {
                    prior.acquire_dependences();
                    prior.parent.get().inspect(|parent| parent.pending_taskwait.set(None));
                    prior.finish();
                }
                return;
            }
            TaskStatus::Complete | TaskStatus::Cancel | TaskStatus::Detach => {
                // Read before the record may belong to another task.
                let outer = prior.and_then(|prior| prior.parent.get());
                if let Some(prior) = prior.filter(|prior| prior.has(flag::EXPLICIT)) {
                    self.leave(thread, prior, event.status == TaskStatus::Detach);
                }
                return next.or(outer).into_iter().for_each(|next| self.enter(thread, next));
            }
            _ => {}
        }
        next.into_iter().for_each(|next| self.enter(thread, next));
    }
}

/// Space for the runtime's frames between a member's first own frame and a callback, in bytes.
const FRAMES: usize = 512;

/// True if the task's team has more than one thread.
fn has_others(task: Option<&'static Task>) -> bool {
    task.and_then(|task| task.region.get()).is_some_and(|region| region.team.load(Relaxed) > 1)
}

/// True for the path of a ThreadSanitizer library, and false for that of a program that contains it.
fn is_file_of_library(path: &CStr) -> bool {
    let name = path.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    [&b"libtsan."[..], b"libclang_rt."].into_iter().any(|begin| name.starts_with(begin))
}

/// Prefix of libgomp's name for itself.
const LIBGOMP: &str = "GNU libgomp";

impl Detector {
    /// The thread continues with a task, which may start now.
    fn enter(&self, thread: &'static Thread, task: &'static Task) {
        let outer = thread.task.get();
        thread.task.set(Some(task));
        let Some(sanitizer) = sanitizer() else { return };
        let context = Context(task.context.load(Relaxed));
        if context.0 != 0 {
            if sanitizer.current() != Some(context) {
                sanitizer.switch(context);
            }
            task.resume_stack();
            return;
        }
        if thread.facts.take_included() {
            task.mark(flag::INCLUDED);
        }
        file::count_task();
        task.thread_num.store(thread.thread_num.load(Relaxed), Relaxed);
        let base = self.base();
        let fiber = (self.has_fibers && !task.has(flag::INCLUDED)).then(|| thread.take_fiber()).flatten();
        if let Some(fiber) = fiber {
            // This avoids a false report: a local of the task, or of a function it calls, is where one of another
            // task was.
            thread.depth.forget_below(base, task.code());
            thread.own_words.own(sanitizer);
            thread.own_words.forget();
            thread.enter(fiber);
            task.fiber.set(Some(fiber));
            fiber.history.push(construct::of(task, thread, base));
            task.base.store(base, Relaxed);
        }
        let context = sanitizer.current().unwrap_or(Context(0));
        task.context.store(context.0, Relaxed);
        task.note_stack(context, fiber, outer);
        if fiber.is_none() {
            thread.history().note_part(task.function.load(Relaxed));
            task.own_context.store(context.0, Relaxed);
            task.bottom.store(call_stack::top(context), Relaxed);
        }
        task.begin();
    }

    /// The body of a task has ended, or it was cancelled. `detached`: its event is still to come.
    fn leave(&self, thread: &'static Thread, task: &'static Task, detached: bool) {
        if task.context.load(Relaxed) == 0 {
            // Cancelled before it started.
            return task.finish();
        }
        task.release();
        if let Some(fiber) = task.fiber.get() {
            task.fiber.set(None);
            sanitizer().inspect(|sanitizer| thread.own_words.own(sanitizer));
            // The same function, in another state: its frames exist now.
            thread.depth.forget_below(task.base.load(Relaxed), task.code() + 1);
            // This avoids a false report: a task that runs inside the call that creates it reads its arguments where the creator
            // puts the next task's.
            let [block, size] = task.block.each_ref().map(|word| word.load(Relaxed));
            shadow::clear(block, block.wrapping_add(size));
            thread.give_back(fiber);
        }
        if !detached {
            task.finish();
        }
    }

    /// First address above the part of the stack that belongs to the starting task, or to the runtime around it.
    fn base(&self) -> usize {
        /// The maximum distance to the frame from which the runtime was called, in bytes.
        const LONGEST: usize = 1 << 16;
        let here = system::arch::stack_pointer();
        let frame = |level| self.runtime.task_info(level).found().map(|info| info.frame).unwrap_or_default();
        let above = |address: usize| Some(address).filter(|address| *address > here && address - here < LONGEST);
        let (inner, outer) = (frame(0), frame(1));
        // The outer task's call into the runtime, below which it has nothing of its own.
        let enter = [inner.enter, outer.enter].into_iter().filter_map(above).min();
        enter.or_else(|| above(inner.exit)).unwrap_or(here)
    }
}
