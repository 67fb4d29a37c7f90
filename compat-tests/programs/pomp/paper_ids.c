/* The values that the calls of OPARI's 2010 paper have for tasks, written by hand: one for each task, the same throughout it, on
 * whichever thread it was created; if a tool is attached, those of TASK_ID. Prints how many tasks there were, how many values were
 * wrong, and whether a tool was present to compare with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <opari2/pomp2_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "omp_collector_api.h"

typedef int64_t POMP_Task_handle;
extern void POMP_Task_create_begin(void *region);
extern void POMP_Task_create_end(void *region);
extern POMP_Task_handle POMP_Task_begin(POMP_Task_handle creator, void *region);
extern void POMP_Task_end(void *region);
extern void POMP_Taskwait_begin(void *region);
extern void POMP_Taskwait_end(void *region);
extern POMP_Task_handle POMP_Get_current_task(void);
extern void POMP_Set_current_task(POMP_Task_handle task);

enum { MOST = 4096 };

static OPARI2_Region_handle handle;
static POMP_Task_handle all[MOST];
static int count, wrong, compared, unseen;
static int region;
static int (*api)(void *);

static void complain(const char *what) {
    fprintf(stderr, "%s\n", what);
    __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

/* Value that tools get for the current task; 0 if there is none. */
static POMP_Task_handle told(void) {
    struct { int size, request, error, reply; unsigned long id; int end; } entry = {24, OMP_REQ_TASK_ID, 0, 8, 0, 0};
    if (!api || api(&entry) != 0 || entry.error != 0) return 0;
    return (POMP_Task_handle)entry.id;
}

/* The value of the current task must be this one. */
static void expect(POMP_Task_handle value) {
    POMP_Task_handle id = told();
    if (POMP_Get_current_task() != value) complain("the value changed");
    if (id == 0 || unseen) return;
    __atomic_store_n(&compared, 1, __ATOMIC_RELAXED);
    if (id != value) complain("tools have another one");
}

static void note(POMP_Task_handle value) {
    if (value == 0) complain("no value");
    all[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % MOST] = value;
}

static void create(int depth, int at_once) {
    POMP_Task_handle creator = POMP_Get_current_task();
    POMP_Task_create_begin(&region);
    {
        POMP_Task_handle pomp_old_task = POMP_Get_current_task();
        if (pomp_old_task != creator) complain("another creator");
#pragma omp task firstprivate(pomp_old_task, depth, creator) if (!at_once)
        {
            POMP_Task_handle mine = POMP_Task_begin(pomp_old_task, &region);
            POMP_Set_current_task(mine);
            note(mine);
            expect(mine);
            if (depth > 0) {
                create(depth - 1, 0);
                expect(mine);
                create(depth - 1, 1);
                expect(mine);
            }
            POMP_Taskwait_begin(&region);
            {
                POMP_Task_handle pomp_old_task = POMP_Get_current_task();
#pragma omp taskwait
                POMP_Set_current_task(pomp_old_task);
            }
            POMP_Taskwait_end(&region);
            expect(mine);
            POMP_Task_end(&region);
        }
        POMP_Set_current_task(pomp_old_task);
    }
    POMP_Task_create_end(&region);
    expect(creator);
}

static int by_value(const void *a, const void *b) {
    POMP_Task_handle x = *(const POMP_Task_handle *)a, y = *(const POMP_Task_handle *)b;
    return (x > y) - (x < y);
}

/* Two regions of three threads, one of them with tasks. */
static void regions(int tasks) {
    POMP2_Task_handle old;
    POMP2_Parallel_fork(&handle, 1, 3, &old, "41*regionType=parallel*sscl=p.c:1:1*escl=p.c:2:2**");
#pragma omp parallel num_threads(3)
    {
        POMP2_Task_handle pomp2_old_task;
        POMP_Task_handle mine;
        int i;
        POMP2_Parallel_begin(&handle);
        mine = POMP_Get_current_task();
        note(mine);
        expect(mine);
        for (i = 0; i < tasks; i++) create(3, i % 2);
        expect(mine);
        POMP2_Implicit_barrier_enter(&handle, &pomp2_old_task);
#pragma omp barrier
        POMP2_Implicit_barrier_exit(&handle, pomp2_old_task);
        expect(mine);
        POMP2_Parallel_end(&handle);
    }
    POMP2_Parallel_join(&handle, old);
}

/* Argument: "follows" if each region has its own value for each task, even if OPARI has not instrumented it. */
int main(int argc, char **argv) {
    POMP_Task_handle mine;
    int i, follows = argc > 1 && strcmp(argv[1], "follows") == 0;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    mine = POMP_Get_current_task();
    note(mine);
    expect(mine);
    regions(0);
    expect(mine);
    regions(4);
    expect(mine);
    /* Tools may not know these regions, but each task keeps its value. */
    unseen = 1;
    for (i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2)
        {
            POMP_Task_handle implicit = POMP_Get_current_task();
            /* Without a tool, a worker's second region at the same depth can't be distinguished from the first. */
            if (i == 0 || follows || omp_get_thread_num() == 0) note(implicit);
            create(1, 0);
            expect(implicit);
#pragma omp parallel num_threads(2) if (omp_get_thread_num() == 0)
            {
                POMP_Task_handle inner = POMP_Get_current_task();
                if (inner == implicit || inner == mine) complain("the value of a task around");
            }
            expect(implicit);
        }
        expect(mine);
    }
    qsort(all, (size_t)count, sizeof *all, by_value);
    for (i = 1; i < count; i++)
        if (all[i] == all[i - 1]) complain("two tasks with one value");
    printf("%d tasks, %d wrong, %s\n", count, wrong, compared ? "compared" : "no tool");
    return 0;
}
