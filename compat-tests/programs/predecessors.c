/*
 * Tasks whose dependences on unfinished tasks are known: whoever could be depended on waits at a gate until all are there.
 * Tasks are numbered as they are created; `w` is a taskwait. Prints a line of pairs for each part.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "omp-tools.h"

enum { MOST = 64, TASKWAIT = 1000 };

static int created, pairs[MOST], count;
static int gate, second_gate, body_done;

static int is_set(int *flag) {
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

/* Not forever: if a pair is missing, the test must report it. */
static void wait_at(int *flag) {
    struct timespec moment = {0, 1000000};
    int i;
    for (i = 0; i < 5000 && !is_set(flag); i++) nanosleep(&moment, NULL);
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int depends,
                           const void *code) {
    (void)creator, (void)frame, (void)depends, (void)code;
    if (flags & ompt_task_explicit) task->value = (uint64_t)__atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
    if (flags & ompt_task_taskwait) task->value = TASKWAIT;
}

static void on_task_dependence(ompt_data_t *first, ompt_data_t *second) {
    int at = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (at < MOST) pairs[at] = (int)(second->value * 10000 + first->value);
    if (second->value == TASKWAIT) set(&gate);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    printf("answer %d\n", (int)set_callback(ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence));
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

#define TASK(...) DO(omp task __VA_ARGS__ shared(a, b, gate)) wait_at(&gate)
#define DO(text) _Pragma(#text)

static int a, b, v[4];

static void readers(void) {
    TASK(depend(out : a));
    TASK(depend(in : a));
    TASK(depend(in : a));
    TASK(depend(inout : a));
    TASK(depend(in : a));
    TASK(depend(out : b));
}

static void sets(void) {
    TASK(depend(out : a));
    TASK(depend(mutexinoutset : a));
    TASK(depend(mutexinoutset : a));
    TASK(depend(in : a));
    TASK(depend(mutexinoutset : a));
    TASK(depend(out : a));
}

/* A pair is reported once, and a task is not its own predecessor. */
static void variables(void) {
    TASK(depend(out : a));
    TASK(depend(out : b));
    TASK(depend(in : a, b));
    TASK(depend(out : a, b));
    TASK(depend(in : a) depend(out : a));
    TASK(depend(in : a));
}

/* Only siblings depend on one another. */
static void children(void) {
#pragma omp task depend(out : a) shared(a, gate, second_gate)
    {
        wait_at(&gate);
#pragma omp task depend(inout : a) shared(a, second_gate)
        wait_at(&second_gate);
#pragma omp task depend(in : a) shared(a, second_gate)
        wait_at(&second_gate);
        set(&second_gate);
#pragma omp taskwait
    }
    TASK(depend(in : a));
}

/* A completed task is not a predecessor. */
static void complete(void) {
    set(&gate);
    TASK(depend(out : a));
    TASK(depend(out : b));
#pragma omp taskwait
    TASK(depend(in : a));
#pragma omp taskwait
    TASK(depend(inout : a, b));
}

static void objects(void) {
    static omp_depend_t writes, reads;
#pragma omp depobj(writes) depend(inout : a)
#pragma omp depobj(reads) depend(in : a)
    TASK(depend(in : a));
    TASK(depend(depobj : reads));
    TASK(depend(depobj : writes));
    TASK(depend(depobj : reads));
}

static void iterators(void) {
    TASK(depend(iterator(i = 0 : 4), out : v[i]));
    TASK(depend(in : v[2]));
    TASK(depend(iterator(i = 0 : 4), inout : v[i]));
}

/* A detached task is complete when its event is fulfilled. */
static void detached(void) {
    omp_event_handle_t event = {0};
#pragma omp task depend(out : a) detach(event) shared(a, body_done)
    set(&body_done);
    wait_at(&body_done);
    TASK(depend(in : a));
    omp_fulfill_event(event);
    set(&gate);
#pragma omp taskwait
    TASK(depend(in : a));
}

/* The first pair opens the gate. */
static void waits(void) {
    TASK(depend(out : a));
    TASK(depend(out : b));
#pragma omp taskwait depend(in : a)
#pragma omp taskwait depend(inout : a)
}

/* Many simultaneously, none of which exists for the next. */
static void many(void) {
    int i;
    set(&gate);
    for (i = 0; i < 20000; i++) {
        TASK(depend(inout : v[i % 4]));
        if (i % 32 == 31) {
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
    TASK(depend(inout : v[0]));
}

static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

static void run(const char *name, void (*part)(void)) {
    int i;
    __atomic_store_n(&created, 0, __ATOMIC_RELAXED);
    gate = second_gate = body_done = count = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        part();
        set(&gate);
    }
    printf("%s", name);
    qsort(pairs, (size_t)(count < MOST ? count : MOST), sizeof *pairs, compare);
    for (i = 0; i < count && i < MOST; i++) {
        printf(" %d>", pairs[i] % 10000);
        printf(pairs[i] / 10000 == TASKWAIT ? "w" : "%d", pairs[i] / 10000);
    }
    puts("");
}

int main(void) {
#define RUN(part) run(#part, part)
    RUN(readers);
    RUN(sets);
    RUN(variables);
    RUN(children);
    RUN(complete);
    RUN(objects);
    RUN(iterators);
    RUN(detached);
    RUN(waits);
    RUN(many);
    return 0;
}
