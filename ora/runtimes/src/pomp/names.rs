//! Names of the functions that OPARI's instrumentation calls.

macro_rules! names {
    ($($name:ident)*) => {
        /// The functions, in the order of their names below.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        pub(super) enum Entry { $($name,)* }

        /// Names of the entries, each with a zero byte.
        pub(super) const NAMES: [&str; [$(stringify!($name)),*].len()] = [$(concat!(stringify!($name), "\0")),*];
    };
}

names! {
    POMP2_Parallel_fork POMP2_Parallel_join POMP2_Parallel_begin POMP2_Parallel_end POMP2_For_enter POMP2_For_exit
    POMP2_Sections_enter POMP2_Sections_exit POMP2_Section_begin POMP2_Section_end POMP2_Workshare_enter
    POMP2_Workshare_exit POMP2_Single_enter POMP2_Single_begin POMP2_Single_end POMP2_Single_exit POMP2_Master_begin
    POMP2_Master_end POMP2_Critical_enter POMP2_Critical_begin POMP2_Critical_end POMP2_Critical_exit
    POMP2_Ordered_enter POMP2_Ordered_begin POMP2_Ordered_end POMP2_Ordered_exit POMP2_Atomic_enter POMP2_Atomic_exit
    POMP2_Flush_enter POMP2_Flush_exit POMP2_Barrier_enter POMP2_Barrier_exit POMP2_Implicit_barrier_enter
    POMP2_Implicit_barrier_exit POMP2_Taskwait_begin POMP2_Taskwait_end POMP2_Task_create_begin POMP2_Task_create_end
    POMP2_Task_begin POMP2_Task_end POMP2_Untied_task_create_begin POMP2_Untied_task_create_end POMP2_Untied_task_begin
    POMP2_Untied_task_end POMP2_Assign_handle POMP2_USER_Assign_handle POMP2_Begin POMP2_End POMP2_Init POMP2_Finalize
    POMP2_On POMP2_Off
}
