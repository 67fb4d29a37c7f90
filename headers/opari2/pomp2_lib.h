/* POMP2: what programs call that OPARI 2 has instrumented. `opari2 file.c` writes calls of these functions around every
 * OpenMP construct, and includes this file; libora defines them, so that its tools see what no OpenMP runtime tells.
 *
 * A region handle is a variable of the program's, one for each construct of its source, empty at first. A string says what the
 * construct is and where it stands. A task handle is a value that the program keeps across what may change the task that the
 * thread executes. See "Code that OPARI has instrumented" in the guide of ora.
 */
#ifndef POMP2_LIB_H
#define POMP2_LIB_H

#ifdef _OPENMP
#include <omp.h>
#endif
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Other headers of OPARI's declare the same type under this guard. */
#ifndef __opari2_region_handle
#define __opari2_region_handle
typedef void *OPARI2_Region_handle;
#endif
typedef OPARI2_Region_handle POMP2_Region_handle;
typedef int64_t POMP2_Task_handle;

/* Made by OPARI's scripts, of the names of all instrumented objects; libora needs none of them. */
extern size_t POMP2_Get_num_regions(void);
extern void POMP2_Init_regions(void);
extern const char *POMP2_Get_opari2_version(void);

/* Says what a handle is for. Calls that take a string do so, too, when their handle is empty. */
extern void POMP2_Assign_handle(POMP2_Region_handle *handle, const char string[]);

#ifdef _OPENMP

/* Parallel regions: on the thread that meets the construct, then on each member of the team. */
extern void POMP2_Parallel_fork(POMP2_Region_handle *handle, int if_clause, int num_threads,
                                POMP2_Task_handle *old_task, const char string[]);
extern void POMP2_Parallel_join(POMP2_Region_handle *handle, POMP2_Task_handle old_task);
extern void POMP2_Parallel_begin(POMP2_Region_handle *handle);
extern void POMP2_Parallel_end(POMP2_Region_handle *handle);

/* Work-sharing constructs: enter and exit on each thread, begin and end around a part that a thread executes. */
extern void POMP2_For_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_For_exit(POMP2_Region_handle *handle);
extern void POMP2_Sections_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Sections_exit(POMP2_Region_handle *handle);
extern void POMP2_Section_begin(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Section_end(POMP2_Region_handle *handle);
extern void POMP2_Single_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Single_exit(POMP2_Region_handle *handle);
extern void POMP2_Single_begin(POMP2_Region_handle *handle);
extern void POMP2_Single_end(POMP2_Region_handle *handle);
extern void POMP2_Workshare_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Workshare_exit(POMP2_Region_handle *handle);
extern void POMP2_Master_begin(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Master_end(POMP2_Region_handle *handle);

/* Mutual exclusion: before and after the construct, and at both ends of what is inside. */
extern void POMP2_Critical_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Critical_exit(POMP2_Region_handle *handle);
extern void POMP2_Critical_begin(POMP2_Region_handle *handle);
extern void POMP2_Critical_end(POMP2_Region_handle *handle);
extern void POMP2_Ordered_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Ordered_exit(POMP2_Region_handle *handle);
extern void POMP2_Ordered_begin(POMP2_Region_handle *handle);
extern void POMP2_Ordered_end(POMP2_Region_handle *handle);
extern void POMP2_Atomic_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Atomic_exit(POMP2_Region_handle *handle);
extern void POMP2_Flush_enter(POMP2_Region_handle *handle, const char string[]);
extern void POMP2_Flush_exit(POMP2_Region_handle *handle);

/* Barriers. OPARI puts explicit ones in the places of implicit ones. */
extern void POMP2_Barrier_enter(POMP2_Region_handle *handle, POMP2_Task_handle *old_task, const char string[]);
extern void POMP2_Barrier_exit(POMP2_Region_handle *handle, POMP2_Task_handle old_task);
extern void POMP2_Implicit_barrier_enter(POMP2_Region_handle *handle, POMP2_Task_handle *old_task);
extern void POMP2_Implicit_barrier_exit(POMP2_Region_handle *handle, POMP2_Task_handle old_task);

/* Tasks: around the construct, and at both ends of the task itself. */
extern POMP2_Task_handle POMP2_Get_new_task_handle(void);
extern void POMP2_Task_create_begin(POMP2_Region_handle *handle, POMP2_Task_handle *new_task,
                                    POMP2_Task_handle *old_task, int if_clause, const char string[]);
extern void POMP2_Task_create_end(POMP2_Region_handle *handle, POMP2_Task_handle old_task);
extern void POMP2_Task_begin(POMP2_Region_handle *handle, POMP2_Task_handle task);
extern void POMP2_Task_end(POMP2_Region_handle *handle);
extern void POMP2_Untied_task_create_begin(POMP2_Region_handle *handle, POMP2_Task_handle *new_task,
                                           POMP2_Task_handle *old_task, int if_clause, const char string[]);
extern void POMP2_Untied_task_create_end(POMP2_Region_handle *handle, POMP2_Task_handle old_task);
extern void POMP2_Untied_task_begin(POMP2_Region_handle *handle, POMP2_Task_handle task);
extern void POMP2_Untied_task_end(POMP2_Region_handle *handle);
extern void POMP2_Taskwait_begin(POMP2_Region_handle *handle, POMP2_Task_handle *old_task, const char string[]);
extern void POMP2_Taskwait_end(POMP2_Region_handle *handle, POMP2_Task_handle old_task);

/* In place of the runtime's routines, which they call. */
extern int POMP2_Lib_get_max_threads(void);
extern void POMP2_Init_lock(omp_lock_t *lock);
extern void POMP2_Destroy_lock(omp_lock_t *lock);
extern void POMP2_Set_lock(omp_lock_t *lock);
extern void POMP2_Unset_lock(omp_lock_t *lock);
extern int POMP2_Test_lock(omp_lock_t *lock);
extern void POMP2_Init_nest_lock(omp_nest_lock_t *lock);
extern void POMP2_Destroy_nest_lock(omp_nest_lock_t *lock);
extern void POMP2_Set_nest_lock(omp_nest_lock_t *lock);
extern void POMP2_Unset_nest_lock(omp_nest_lock_t *lock);
extern int POMP2_Test_nest_lock(omp_nest_lock_t *lock);

#endif /* _OPENMP */

#ifdef __cplusplus
}
#endif

#endif
