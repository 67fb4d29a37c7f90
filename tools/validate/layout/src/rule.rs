//! The table of rules: id, text and section of each.

use std::fmt;

use crate::release::Release;

/// Description of a rule, as `ora validate` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Short and stable identifier.
    pub id: &'static str,
    /// The rule in one line.
    pub text: &'static str,
    /// The release that introduced the rule.
    pub since: Release,
    /// Section in that release.
    pub section: &'static str,
}

/// The release of a rule: 5.0 if the table doesn't name one.
macro_rules! since {
    () => {
        Release::V5_0
    };
    ($since:ident) => {
        Release::$since
    };
}

/// Generates the enum of rules and the table of their descriptions from one list.
macro_rules! rules {
    ($($name:ident: $id:literal, $($since:ident)? $section:literal, $text:literal;)*) => {
        /// A rule of the specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the table beside it says what each is")]
        pub enum Rule { $($name),* }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Description of the rule.
            pub const fn about(self) -> About {
                match self { $(Self::$name => About { id: $id, text: $text, since: since!($($since)?), section: $section }),* }
            }
        }
    };
}

rules! {
    // The tool and the runtime.
    ToolLookup: "tool.lookup", "4.6.1", "lookup finds all 19 entry points";
    ToolSet: "tool.set", "4.6.1.3", "ompt_set_callback returns 1 to 5 for every callback of the host device";
    ToolGet: "tool.get", "4.6.1.4", "ompt_get_callback returns the callback that was registered (libomp: not inside of initialize)";
    ToolNever: "tool.never", "4.6.1.3", "a callback is not called if ompt_set_callback returned never, impossible or error";
    ToolStates: "tool.states", "4.6.1.1", "the enumeration of states ends, and has each number once, with a name";
    ToolMutexes: "tool.mutexes", "4.6.1.2", "the enumeration of mutex implementations ends, and has each number once, with a name";
    ToolPlaces: "tool.places", "4.6.1.6 to 4.6.1.11", "numbers of places and processors are consistent";
    ToolDevices: "tool.devices", "4.6.1.16, 4.6.1.17", "ompt_get_target_info returns 1 exactly in an initial task inside of another task; the number of devices is not negative";
    ReleaseValues: "release.values", "4.4", "with --spec: a callback and its values are of that release, or older";
    ToolFinalize: "tool.finalize", "4.5.1.2", "finalize is called once, and no callback follows";

    // Threads.
    ThreadFirst: "thread.first", "4.5.2.1", "a thread's first callback is thread_begin";
    ThreadOnce: "thread.once", "4.5.2.1", "a thread has one thread_begin before its thread_end";
    ThreadKind: "thread.kind", "4.4.4.10", "a thread's type is initial, worker, other or unknown";
    ThreadNew: "thread.word.new", "4.5.2.1", "a new thread has a data word, which is 0";
    ThreadKept: "thread.word.kept", "4.5.2.2", "a thread's data word is kept: thread_end and flush pass it as the tool left it";
    ThreadLast: "thread.last", "4.5.2.2", "after thread_end a thread has no callback but a new thread_begin";
    ThreadClean: "thread.clean", "4.5.2.2", "when a thread ends, all its regions and tasks have ended";

    // Parallel regions.
    ParallelNew: "parallel.word.new", "4.5.2.3", "a new region has a data word, which is 0";
    ParallelKept: "parallel.word.kept", "4.5.2.3", "a region's data word is kept: every callback passes it as the tool left it";
    ParallelBy: "parallel.by", "4.5.2.3", "the encountering task of a region that begins is the thread's current task";
    ParallelFlags: "parallel.flags", "4.4.4.21", "a region is invoked by the program or the runtime, and is a team or a league";
    ParallelNesting: "parallel.nesting", "4.5.2.4", "parallel_end ends the region that its thread began last";
    ParallelEndBy: "parallel.end.by", "4.5.2.4", "parallel_end names the task that encountered the region";
    ParallelEndFlags: "parallel.end.flags", "4.5.2.4", "parallel_end has the flags of parallel_begin";
    ParallelTeam: "parallel.team", "2.6", "a region ends after every member has begun its implicit task";
    ParallelPrimary: "parallel.primary", "2.6", "a region ends after the implicit task of its primary thread";
    ParallelTasks: "parallel.tasks", "2.6", "a region ends after its explicit tasks";
    ParallelRequested: "parallel.requested", "4.5.2.3", "a team has no more threads than requested; a league of 0 teams may have any number";

    // Implicit and initial tasks.
    ImplicitFlags: "implicit.flags", "4.5.2.11", "an implicit_task is initial or implicit: initial in a league, implicit in a team; the same at its end";
    ImplicitRegion: "implicit.region", "4.5.2.11", "an implicit task begins in a region that has begun and not ended";
    ImplicitIndex: "implicit.index", "4.5.2.11", "an implicit task's index is less than the number of members, and unique in the region";
    ImplicitActual: "implicit.actual", "4.5.2.11", "actual_parallelism is the same for all members of a region";
    ImplicitPrimary: "implicit.primary", "2.6", "member 0 runs on the thread that encountered the region, all others elsewhere, or those of a league after it";
    ImplicitNesting: "implicit.nesting", "4.5.2.11", "an implicit task begins on a thread that idles or encountered the region, and ends as the innermost one";
    ImplicitEndNull: "implicit.end.null", "4.5.2.11", "implicit_task has no parallel_data at the end, except for an initial task, where runtimes pass it";
    ImplicitEndIndex: "implicit.end.index", "4.5.2.11", "an implicit task ends with the index it began with";
    ImplicitEndActual: "implicit.end.actual", "4.5.2.11", "an implicit task ends with actual_parallelism 0 (or, as on libomp's primary threads, that of its start)";
    InitialIndex: "initial.index", "4.5.2.11", "an initial task outside of a league has index 1 and actual_parallelism 1";
    InitialOnce: "initial.once", "4.5.2.11", "an initial task begins on a thread that has no task, or in a target region that the host device executes";

    // Tasks.
    TaskNew: "task.word.new", "4.5.2.7, 4.5.2.11", "a new task has a data word, which is 0";
    TaskKept: "task.word.kept", "4.5.2.7", "a task's data word is kept: every callback passes it as the tool left it";
    TaskFlags: "task.flags", "4.4.4.18", "a created task is explicit, target or (5.1) taskwait, with known flags";
    TaskBy: "task.by", "4.5.2.7", "the encountering task of a new task is the thread's current task";
    TaskScopes: "task.scopes", "4.5.2.10, 4.5.2.11", "when a task ends, the regions inside of it have ended";
    TaskUndeferred: "task.undeferred", "2.10.1", "the creator of an undeferred task continues after it is complete";
    ScheduleStatus: "schedule.status", "4.4.4.19", "task_schedule has a known status";
    SchedulePrior: "schedule.prior", "4.5.2.10", "the prior task is the thread's current task (libomp also reports a discarded task as complete)";
    ScheduleNull: "schedule.null", "4.5.2.10", "next_task_data is null when an event is fulfilled or (5.1) a taskwait completes, and then only";
    ScheduleNext: "schedule.next", "4.5.2.10", "the next task was created, is not complete, and runs nowhere else";
    ScheduleTied: "schedule.tied", "2.10.6", "a tied task continues on the thread that began it";
    ScheduleComplete: "schedule.complete", "4.4.4.19", "only explicit tasks complete by task_schedule, and each once";
    ScheduleFulfill: "schedule.fulfill", "4.4.4.19", "an event is fulfilled early before its task is complete, and late after its task was detached";
    DependencesFlag: "dependences.flag", "4.5.2.7, 4.5.2.8", "dependences follows task_create, before the task runs, exactly if has_dependences is set";
    DependencesTask: "dependences.task", "4.5.2.8", "dependences names the task just created, or for a doacross loop the current one";
    DependencesKind: "dependences.kind", "4.5.2.8, 4.4.4.23", "dependences has at least one item, all of known kinds, source and sink for doacross only";
    DependencePair: "dependence.pair", "4.5.2.9", "task_dependence names two tasks, of which the second has not begun";

    // Synchronisation.
    SyncKind: "sync.kind", "4.4.4.13", "a synchronisation region has a known kind, which is reduction for the reduction callback";
    SyncEndpoint: "endpoint", "4.4.4.11", "an endpoint is begin or end (5.1: or both)";
    SyncTask: "sync.task", "4.5.2.13", "the task_data of a synchronisation region is the thread's current task";
    SyncRegion: "sync.region", "4.5.2.13", "the parallel_data of a synchronisation region is the current region; null only at the end of the region's last barrier";
    SyncNesting: "sync.nesting", "4.5.2.13", "begin and end of synchronisation regions pair up, innermost first";
    WaitInside: "wait.inside", "4.5.2.13", "sync_region_wait lies within a sync_region of the same kind";
    TaskwaitChildren: "taskwait.children", "2.17.5", "a taskwait ends after all children of its task";
    TaskgroupTasks: "taskgroup.tasks", "2.17.6", "a taskgroup ends after all tasks created in it and their descendants";
    BarrierTasks: "barrier.tasks", "2.17.2", "a barrier ends after all explicit tasks that were created before it";
    BarrierCounts: "barrier.counts", "2.17.2", "every member of a team meets the same number of barriers (not checked in cancelled regions)";

    // Work-sharing.
    WorkKind: "work.kind", "4.4.4.15", "a work-sharing region has a known kind";
    WorkTask: "work.task", "4.5.2.5", "the task_data of a work-sharing or masked region is the thread's current task";
    WorkRegion: "work.region", "4.5.2.5", "the parallel_data of a work-sharing or masked region is the current region";
    WorkNesting: "work.nesting", "4.5.2.5", "begin and end of work-sharing regions pair up, innermost first, with the same kind";
    WorkBarrier: "work.barrier", "2.20", "no barrier begins inside of a work-sharing region of the same task";
    SingleExecutor: "single.executor", "2.8.2", "exactly one member of a team executes each single construct";
    WorkChunks: "work.chunks", V5_2 "19.4.4.14", "a loop's chunks lie in it and, all members' together, add up to it (libomp: not for a static schedule)";
    MaskedNesting: "masked.nesting", "4.5.2.12", "begin and end of masked regions pair up, innermost first";
    DispatchInside: "dispatch.inside", "4.5.2.6", "dispatch comes inside of a work-sharing region of its kind; of a taskloop, in an explicit task";
    DispatchTask: "dispatch.task", "4.5.2.6", "dispatch names the thread's current task and its region";

    // Mutual exclusion.
    MutexKind: "mutex.kind", "4.4.4.16", "a mutex has a known kind, fit for the callback";
    MutexWait: "mutex.wait", "4.5.2.14", "a mutex has a wait id";
    MutexAcquire: "mutex.acquire", "4.5.2.15", "mutex_acquired follows mutex_acquire of the same mutex and kind on the same thread";
    MutexExclusive: "mutex.exclusive", "4.5.2.15", "a mutex is not held by two threads simultaneously (mutex_released may come late, but as the thread's next callback)";
    MutexRelease: "mutex.release", "4.5.2.15", "a mutex is released after it was acquired, and by the same thread unless it is a lock";
    MutexLeft: "mutex.left", "2.17.1", "no implicit task ends inside of a critical, atomic or ordered region";
    NestLock: "nest_lock.scope", "4.5.2.16", "nest_lock comes on the owner's thread, and as many ends as begins before the lock is released";
    LockLife: "lock.life", "4.5.2.14, 4.5.2.15", "a lock is initialized before it is destroyed, and not used afterwards";

    // Cancellation and the rest.
    CancelFlags: "cancel.flags", "4.4.4.24", "cancel has one construct's flag, and one of activated, detected and discarded";
    CancelTask: "cancel.task", "4.5.2.18", "cancel names the current task, or one that is discarded before it began";
    ErrorSeverity: "error.severity", V5_1 "4.5.2.30", "an error is a warning or fatal";
    CodeThere: "code.there", "4.5.2", "codeptr_ra is not null, except at a last barrier and where the call can be a jump (libomp: more exceptions)";
    CodeProgram: "code.program", "4.5.2", "codeptr_ra is in executable memory, and not in the runtime (libomp: with exceptions)";

    // Frames.
    FrameEnter: "frame.enter", "4.4.4.27", "a task that encounters a region or creates a task has an enter_frame";
    FrameExit: "frame.exit", "4.4.4.27", "a task whose code runs, and that is not an initial one, has an exit_frame";
    FrameBarrier: "frame.barrier", "4.4.4.27", "at the barrier that ends a region, a task has no exit_frame, or an enter_frame besides";
    FrameOrder: "frame.order", "4.4.4.27", "a task's enter_frame is above its exit_frame on the stack (libomp: with exceptions)";
    FrameFlags: "frame.flags", "4.4.4.30", "a frame's flags say runtime or application, and the kind of address (libomp: not always)";

    // Queries inside callbacks.
    QueryThread: "query.thread", "4.6.1.5", "ompt_get_thread_data returns the thread's data word";
    QueryTask: "query.task", "4.6.1.14", "ompt_get_task_info(0) returns the current task's data word";
    QueryFlags: "query.flags", "4.6.1.14", "ompt_get_task_info(0) returns the current task's type";
    QueryRegion: "query.region", "4.6.1.14", "ompt_get_task_info(0) returns the current region's data word";
    QueryNumber: "query.number", "4.6.1.14", "ompt_get_task_info(0) returns the thread's number in the team";
    QueryAncestor: "query.ancestor", "4.6.1.14", "above an implicit task, ompt_get_task_info returns the task that encountered its region";
    QueryParallel: "query.parallel", "4.6.1.13", "ompt_get_parallel_info returns the current region's data word, then those of the enclosing regions";
    QuerySize: "query.size", "4.6.1.13", "ompt_get_parallel_info returns the number of members";
    QueryState: "query.state", "4.6.1.12", "ompt_get_state returns a state of the enumeration";
    QueryUnique: "query.unique", "4.6.1.18", "ompt_get_unique_id returns no number twice";
}

impl Rule {
    /// Number of rules.
    pub const COUNT: usize = Self::ALL.len();

    /// Index of the rule in the table.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.about().id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_rule_has_an_id_of_its_own_and_says_where_it_comes_from() {
        let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.about().id).collect();
        assert_eq!(ids.len(), Rule::COUNT);
        for (place, rule) in Rule::ALL.iter().enumerate() {
            let About { id, text, section, .. } = rule.about();
            assert_eq!(rule.index(), place);
            assert!(!id.is_empty() && id.len() <= 24 && !text.is_empty() && text.len() < 130, "{id}: {text}");
            assert!(section.starts_with(|c: char| c.is_ascii_digit()), "{id}: {section}");
        }
    }
}
