//! Kinds that callbacks pass: numbers of C, with a variant for each that OpenMP 5.0 to 5.2 names.

use ompt_abi::v5;

/// Enums of C: each variant has the number of a constant of `ompt-abi`, and any other number is `Other`.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $c:ident { $($(#[$variant_doc:meta])* $variant:ident = $constant:ident,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)*
            /// A number without a name in this library.
            Other(u32),
        }

        impl From<u32> for $kind {
            #[inline(always)] // where a tool passes the number on, nothing is left of it
            fn from(number: u32) -> Self {
                $(if number == v5::$c::$constant as u32 {
                    return Self::$variant;
                })*
                Self::Other(number)
            }
        }

        impl From<$kind> for u32 {
            #[inline(always)]
            fn from(kind: $kind) -> Self {
                match kind {
                    $($kind::$variant => v5::$c::$constant as u32,)*
                    $kind::Other(number) => number,
                }
            }
        }

        impl From<i32> for $kind {
            #[inline(always)]
            fn from(number: i32) -> Self {
                Self::from(number.cast_unsigned())
            }
        }
    )* };
}

kinds! {
    /// Kind of a thread (`ompt_thread_t`).
    ThreadKind: ompt_thread_t {
        /// Executes an initial task.
        Initial = ompt_thread_initial,
        /// From the runtime's pool.
        Worker = ompt_thread_worker,
        /// A helper thread of the runtime, which executes no code of the program.
        Helper = ompt_thread_other,
        /// Unknown to the runtime.
        Unknown = ompt_thread_unknown,
    }

    /// Endpoint of a scope that an event reports (`ompt_scope_endpoint_t`).
    Endpoint: ompt_scope_endpoint_t {
        /// The scope begins.
        Begin = ompt_scope_begin,
        /// The scope ends.
        End = ompt_scope_end,
        /// 5.1: start and end of the scope coincide.
        BeginEnd = ompt_scope_beginend,
    }

    /// Kind of a work-sharing region (`ompt_work_t`).
    WorkKind: ompt_work_t {
        /// A loop. From 5.2 on, runtimes report its schedule instead, with the variants below.
        Loop = ompt_work_loop,
        /// Sections.
        Sections = ompt_work_sections,
        /// A single region, on the thread that executes it.
        SingleExecutor = ompt_work_single_executor,
        /// A single region, on another thread.
        SingleOther = ompt_work_single_other,
        /// Fortran's workshare.
        Workshare = ompt_work_workshare,
        /// A distribute region.
        Distribute = ompt_work_distribute,
        /// A taskloop.
        Taskloop = ompt_work_taskloop,
        /// 5.1: a scope region.
        Scope = ompt_work_scope,
        /// 5.2: a loop with a static schedule.
        LoopStatic = ompt_work_loop_static,
        /// 5.2: a loop with a dynamic schedule.
        LoopDynamic = ompt_work_loop_dynamic,
        /// 5.2: a loop with a guided schedule.
        LoopGuided = ompt_work_loop_guided,
        /// 5.2: a loop with another schedule.
        LoopOther = ompt_work_loop_other,
    }

    /// Kind of a share of work that a thread received (`ompt_dispatch_t`).
    DispatchKind: ompt_dispatch_t {
        /// An iteration of a loop.
        Iteration = ompt_dispatch_iteration,
        /// A section.
        Section = ompt_dispatch_section,
        /// 5.2: a chunk of a work-sharing loop.
        LoopChunk = ompt_dispatch_ws_loop_chunk,
        /// 5.2: a chunk of a taskloop.
        TaskloopChunk = ompt_dispatch_taskloop_chunk,
        /// 5.2: a chunk of a distribute region.
        DistributeChunk = ompt_dispatch_distribute_chunk,
    }

    /// Kind of a synchronization region (`ompt_sync_region_t`).
    SyncKind: ompt_sync_region_t {
        /// A barrier of some kind; deprecated since 5.1.
        Barrier = ompt_sync_region_barrier,
        /// An implicit barrier of some kind; deprecated since 5.1.
        BarrierImplicit = ompt_sync_region_barrier_implicit,
        /// A barrier construct of the program.
        BarrierExplicit = ompt_sync_region_barrier_explicit,
        /// A barrier that the runtime needs for itself.
        BarrierImplementation = ompt_sync_region_barrier_implementation,
        /// A taskwait.
        Taskwait = ompt_sync_region_taskwait,
        /// The end of a taskgroup.
        Taskgroup = ompt_sync_region_taskgroup,
        /// The combination of a reduction's results.
        Reduction = ompt_sync_region_reduction,
        /// 5.1: the barrier that ends a work-sharing region.
        BarrierWorkshare = ompt_sync_region_barrier_implicit_workshare,
        /// 5.1: the barrier that ends a parallel region.
        BarrierParallel = ompt_sync_region_barrier_implicit_parallel,
        /// 5.1: the barrier that ends a teams region.
        BarrierTeams = ompt_sync_region_barrier_teams,
    }

    /// Kind of a mutex, and of locks how the program asks for it (`ompt_mutex_t`).
    MutexKind: ompt_mutex_t {
        /// A lock that is set.
        Lock = ompt_mutex_lock,
        /// A lock that is tested.
        TestLock = ompt_mutex_test_lock,
        /// A nestable lock that is set.
        NestLock = ompt_mutex_nest_lock,
        /// A nestable lock that is tested.
        TestNestLock = ompt_mutex_test_nest_lock,
        /// A critical section.
        Critical = ompt_mutex_critical,
        /// An atomic update.
        Atomic = ompt_mutex_atomic,
        /// An ordered region.
        Ordered = ompt_mutex_ordered,
    }

    /// Reason why a thread leaves a task (`ompt_task_status_t`).
    TaskStatus: ompt_task_status_t {
        /// The task is complete.
        Complete = ompt_task_complete,
        /// A taskyield.
        Yield = ompt_task_yield,
        /// The task was cancelled.
        Cancel = ompt_task_cancel,
        /// The task's body has ended, but its detach event is still pending.
        Detach = ompt_task_detach,
        /// The detach event was fulfilled before the task's body ended.
        EarlyFulfill = ompt_task_early_fulfill,
        /// The detach event was fulfilled after the task's body ended.
        LateFulfill = ompt_task_late_fulfill,
        /// Another reason: the task continues later.
        Switch = ompt_task_switch,
        /// 5.1: the taskwait with dependences that the task represents has ended.
        TaskwaitComplete = ompt_taskwait_complete,
    }

    /// Kind of a dependence (`ompt_dependence_type_t`).
    DependenceKind: ompt_dependence_type_t {
        /// `depend(in)`.
        In = ompt_dependence_type_in,
        /// `depend(out)`.
        Out = ompt_dependence_type_out,
        /// `depend(inout)`.
        Inout = ompt_dependence_type_inout,
        /// `depend(mutexinoutset)`.
        Mutexinoutset = ompt_dependence_type_mutexinoutset,
        /// `depend(source)` of a doacross loop.
        Source = ompt_dependence_type_source,
        /// `depend(sink)` of a doacross loop.
        Sink = ompt_dependence_type_sink,
        /// 5.1: `depend(inoutset)`.
        Inoutset = ompt_dependence_type_inoutset,
        /// 5.2: `depend(out: omp_all_memory)`.
        OutAllMemory = ompt_dependence_type_out_all_memory,
        /// 5.2: `depend(inout: omp_all_memory)`.
        InoutAllMemory = ompt_dependence_type_inout_all_memory,
    }

    /// 5.1: severity of an error directive (`ompt_severity_t`).
    Severity: ompt_severity_t {
        /// The program continues.
        Warning = ompt_warning,
        /// The program ends.
        Fatal = ompt_fatal,
    }

    /// State of a thread (`ompt_state_t`). The states `WaitMutex` to `WaitOrdered` have a wait id.
    State: ompt_state_t {
        /// Executes code outside of all parallel regions.
        WorkSerial = ompt_state_work_serial,
        /// Executes code in a parallel region.
        WorkParallel = ompt_state_work_parallel,
        /// Combines results of a reduction.
        WorkReduction = ompt_state_work_reduction,
        /// Waits in a barrier of some kind; deprecated since 5.1.
        WaitBarrier = ompt_state_wait_barrier,
        /// Waits in the barrier that ends a parallel region.
        WaitBarrierParallel = ompt_state_wait_barrier_implicit_parallel,
        /// Waits in the barrier that ends a work-sharing region.
        WaitBarrierWorkshare = ompt_state_wait_barrier_implicit_workshare,
        /// Waits in an implicit barrier of some kind; deprecated since 5.1.
        WaitBarrierImplicit = ompt_state_wait_barrier_implicit,
        /// Waits in an explicit barrier.
        WaitBarrierExplicit = ompt_state_wait_barrier_explicit,
        /// Waits in a barrier that the runtime needs for itself.
        WaitBarrierImplementation = ompt_state_wait_barrier_implementation,
        /// 5.1: waits in the barrier that ends a teams region.
        WaitBarrierTeams = ompt_state_wait_barrier_teams,
        /// Waits in a taskwait.
        WaitTaskwait = ompt_state_wait_taskwait,
        /// Waits at the end of a taskgroup.
        WaitTaskgroup = ompt_state_wait_taskgroup,
        /// Waits for a mutex of some kind.
        WaitMutex = ompt_state_wait_mutex,
        /// Waits for a lock, nestable or not.
        WaitLock = ompt_state_wait_lock,
        /// Waits for a critical section.
        WaitCritical = ompt_state_wait_critical,
        /// Waits for an atomic update.
        WaitAtomic = ompt_state_wait_atomic,
        /// Waits for its turn in an ordered region.
        WaitOrdered = ompt_state_wait_ordered,
        /// Waits for a target region.
        WaitTarget = ompt_state_wait_target,
        /// Waits while data is mapped to a device.
        WaitTargetMap = ompt_state_wait_target_map,
        /// Waits for a target update.
        WaitTargetUpdate = ompt_state_wait_target_update,
        /// Waits in the pool for a region.
        Idle = ompt_state_idle,
        /// Works for the runtime.
        Overhead = ompt_state_overhead,
        /// Not an OpenMP thread.
        Undefined = ompt_state_undefined,
    }
}
