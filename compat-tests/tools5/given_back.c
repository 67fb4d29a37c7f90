/* A program that is its own tool: gcc's code, nested regions, LLVM's runtime. The runtime's `GOMP_parallel` clears the exit frame in the
 * record of its team's implicit task after the region has ended; it has returned the team to the pool before, so another thread may
 * already have it (LLVM's kmp_gsupport.cpp, `GOMP_parallel`; kmp_runtime.cpp, `__kmp_join_call`). One thread waits between the two, in
 * the callback of its region's end, until the other one has started its own region. Prints how often the other thread's task has an exit
 * frame before and after. */
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static ompt_get_task_info_t task_info;
/* 1: the first region has ended; 2: the second one has started; 3: the first call has returned. */
static int step;
static __thread int is_first;

static void reach(int number) { __atomic_store_n(&step, number, __ATOMIC_RELEASE); }

static void wait_for(int number) {
    while (__atomic_load_n(&step, __ATOMIC_ACQUIRE) < number) usleep(1000);
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)region, (void)task, (void)flags, (void)code;
    if (!is_first) return;
    is_first = 0;
    reach(1);
    wait_for(2);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

static int has_exit_frame(void) {
    ompt_frame_t *frame = NULL;
    return task_info(0, NULL, NULL, &frame, NULL, NULL) && frame && frame->exit_frame.ptr;
}

int main(void) {
    int before = 0, after = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            is_first = 1;
#pragma omp parallel num_threads(2)
            __asm__ volatile("");
            reach(3);
        } else {
            wait_for(1);
#pragma omp parallel num_threads(2)
            if (omp_get_thread_num() == 0) {
                before = has_exit_frame();
                reach(2);
                wait_for(3);
                after = has_exit_frame();
            }
        }
    }
    printf("%d %d\n", before, after);
    return 0;
}
