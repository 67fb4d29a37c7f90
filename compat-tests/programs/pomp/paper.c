/* The calls that the OPARI of 2010 inserted around tasks (Table 1 of its paper), written by hand, next to those of OPARI 2: one region
 * whose primary thread creates tasks, each of which creates one. */
#include <omp.h>
#include <opari2/pomp2_lib.h>
#include <stdio.h>

typedef int64_t POMP_Task_handle;
extern void POMP_Task_create_begin(void *region);
extern void POMP_Task_create_end(void *region);
extern POMP_Task_handle POMP_Task_begin(POMP_Task_handle creator, void *region);
extern void POMP_Task_end(void *region);
extern void POMP_Taskwait_begin(void *region);
extern void POMP_Taskwait_end(void *region);
extern POMP_Task_handle POMP_Get_current_task(void);
extern void POMP_Set_current_task(POMP_Task_handle task);

enum { TASKS = 6 };

static OPARI2_Region_handle handle;
static int done, wrong;
static int region;

static void create(int depth) {
    POMP_Task_create_begin(&region);
    {
        POMP_Task_handle pomp_old_task = POMP_Get_current_task();
#pragma omp task firstprivate(pomp_old_task, depth)
        {
            POMP_Task_handle mine = POMP_Task_begin(pomp_old_task, &region);
            POMP_Set_current_task(mine);
            if (POMP_Get_current_task() != mine || mine == 0 || mine == pomp_old_task) wrong++;
            __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
            if (depth > 0) create(depth - 1);
            POMP_Taskwait_begin(&region);
            {
                POMP_Task_handle pomp_old_task = POMP_Get_current_task();
#pragma omp taskwait
                POMP_Set_current_task(pomp_old_task);
            }
            POMP_Taskwait_end(&region);
            if (POMP_Get_current_task() != mine) wrong++;
            POMP_Task_end(&region);
        }
        POMP_Set_current_task(pomp_old_task);
    }
    POMP_Task_create_end(&region);
}

int main(void) {
    POMP2_Task_handle old;
    POMP2_Parallel_fork(&handle, 1, 2, &old, "41*regionType=parallel*sscl=p.c:1:1*escl=p.c:2:2**");
#pragma omp parallel num_threads(2)
    {
        POMP2_Task_handle pomp2_old_task;
        POMP2_Parallel_begin(&handle);
        if (omp_get_thread_num() == 0)
            for (int i = 0; i < TASKS; i++) create(1);
        POMP2_Implicit_barrier_enter(&handle, &pomp2_old_task);
#pragma omp barrier
        POMP2_Implicit_barrier_exit(&handle, pomp2_old_task);
        POMP2_Parallel_end(&handle);
    }
    POMP2_Parallel_join(&handle, old);
    printf("%d %d\n", done, wrong);
    return 0;
}
