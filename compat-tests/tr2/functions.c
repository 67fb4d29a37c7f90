/* A program that is its own tool: checks that none of the functions reported to it belongs to the runtime, even if the program jumps to
 * the runtime at the end of an outlined function. Prints differences, and nothing else. */
#include <ompt_tr2.h>

#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int sum;

static void look(const char *event, void *function) {
    Dl_info in;
    if (function && dladdr(function, &in) && strstr(in.dli_fname, "omp.so")) printf("%s: in %s\n", event, in.dli_fname);
}

static void on_parallel_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t requested,
                              void *function) {
    (void)task, (void)frame, (void)region, (void)requested;
    look("parallel_begin", function);
}

static void on_task_begin(ompt_task_id_t parent, ompt_frame_t *frame, ompt_task_id_t task, void *function) {
    (void)parent, (void)frame, (void)task;
    look("task_begin", function);
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)runtime_version, (void)ompt_version;
    set(ompt_event_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_event_task_begin, (ompt_callback_t)on_task_begin);
    return 1;
}

static void add(void) { __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED); }

static __attribute__((noinline)) void inner(void) {
#pragma omp parallel num_threads(2)
    add();
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    inner();
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        add();
    }
    if (sum != 6) printf("the program adds up to %d\n", sum);
    return 0;
}
