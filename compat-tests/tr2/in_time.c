/* A program that is its own tool: checks that all of a team's implicit tasks have ended when their region ends, for a tool that
 * registers no barrier events. Prints differences, and nothing else. */
#include <ompt_tr2.h>

#include <stdio.h>

static int begun, ended;

static void on_begin(ompt_parallel_id_t region, ompt_task_id_t task) {
    (void)region, (void)task;
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
}

static void on_end(ompt_parallel_id_t region, ompt_task_id_t task) {
    (void)region, (void)task;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

static void on_parallel_end(ompt_parallel_id_t region, ompt_task_id_t task) {
    int of[] = {__atomic_load_n(&begun, __ATOMIC_RELAXED), __atomic_load_n(&ended, __ATOMIC_RELAXED)};
    (void)region, (void)task;
    if (of[0] != of[1]) printf("%d implicit tasks have begun, and %d have ended\n", of[0], of[1]);
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)runtime_version, (void)ompt_version;
    set(ompt_event_implicit_task_begin, (ompt_callback_t)on_begin);
    set(ompt_event_implicit_task_end, (ompt_callback_t)on_end);
    set(ompt_event_parallel_end, (ompt_callback_t)on_parallel_end);
    return 1;
}

int main(void) {
    int i;
    for (i = 0; i < 20; i++) {
#pragma omp parallel num_threads(3)
        __asm__ volatile("" ::: "memory");
    }
    if (begun != 60) printf("%d implicit tasks\n", begun);
    return 0;
}
