/* A program that is its own tool of OpenMP 5: prints the frames of the tasks of levels 0 and 1 at the ends of bodies, in callbacks and in a
 * signal handler that interrupts each member of a team at the region's last barrier.
 *
 * A line is THREAD MOMENT FRAMES [FRAMES], the frames of a level being "exit/enter", with "-" for one that isn't there. */
#include "omp-tools.h"
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ompt_get_task_info_t task_info;
static ompt_get_state_t state;
static pthread_t members[2];
static int here[2], interrupted;
/* The frame of the function that calls omp_control_tool. */
static uintptr_t caller;

static int on_libgomp, silent;

/* Ends the program unless both frames have the flags of LLVM's newer runtimes, null frames as well. */
static void check_flags(const ompt_frame_t *frame) {
    int expected = (int)ompt_frame_runtime | (int)ompt_frame_cfa;
    if (!on_libgomp) return;
    if (frame->exit_frame_flags != expected || frame->enter_frame_flags != expected) abort();
}

#pragma GCC diagnostic ignored "-Wframe-address"

/* Ends the program unless the current task's exit frame is where its outlined function keeps its caller's frame pointer. */
static void check_exit(const void *pointer) {
    ompt_frame_t *frame = NULL;
    if (on_libgomp && task_info(0, NULL, NULL, &frame, NULL, NULL) == 2 && frame->exit_frame.ptr != pointer) abort();
}

static void say(const char *moment, const char *level) {
    char line[128], frames[2][32] = {"", ""};
    int at, number = 0;
    if (silent) return;
    for (at = 0; at < 2; at++) {
        ompt_frame_t *frame = NULL;
        ompt_data_t *word = NULL;
        int flags = 0, own = 0;
        if (task_info(at, &flags, &word, &frame, NULL, &own) != 2 || !frame) break;
        check_flags(frame);
        if (at == 0) number = own;
        sprintf(frames[at], " %s/%s", frame->exit_frame.ptr ? "exit" : "-", frame->enter_frame.ptr ? "enter" : "-");
        if (flags & ompt_task_initial) break;
    }
    /* A worker that is in the pool by now. */
    if (!frames[0][0]) return;
    sprintf(line, "%s %s%s%s%s\n", number ? "worker" : "primary", moment, level, frames[0], frames[1]);
    if (write(1, line, strlen(line)) < 0) abort();
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned size, int flags,
                              const void *code) {
    (void)task, (void)region, (void)size, (void)flags, (void)code;
    check_flags(frame);
    say("parallel", "-begin");
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int depends,
                           const void *code) {
    (void)creator, (void)task, (void)flags, (void)depends, (void)code;
    if (frame) check_flags(frame);
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)region, (void)task, (void)flags, (void)code;
    say("parallel", "-end");
}

static const char *of(ompt_scope_endpoint_t at) { return at == ompt_scope_begin ? "-begin" : "-end"; }

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, unsigned size, unsigned index,
                             int flags) {
    (void)region, (void)task, (void)size, (void)index;
    if (flags & ompt_task_implicit) say("implicit-task", of(at));
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task,
                    const void *code) {
    (void)region, (void)task, (void)code;
    if (kind == ompt_sync_region_barrier_implicit_parallel) say("barrier", of(at));
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task,
                    const void *code) {
    (void)region, (void)task, (void)code;
    if (kind == ompt_sync_region_barrier_implicit_parallel) say("wait", of(at));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    (void)prior, (void)next;
    if (status == ompt_task_complete) say("task", "-complete");
}

static int on_control(uint64_t command, uint64_t modifier, void *argument, const void *code) {
    ompt_frame_t *frame = NULL;
    char local;
    (void)command, (void)modifier, (void)argument, (void)code;
    say("control", "");
    task_info(0, NULL, NULL, &frame, NULL, NULL);
    /* The stack grows down: the frame is between the callback's and that of the program's function. */
    return frame && frame->enter_frame.value > (uintptr_t)&local && frame->enter_frame.value <= caller;
}

/* Only at the last barrier: signals come all the time. */
static void on_signal(int number) {
    (void)number;
    if (state(NULL) != ompt_state_wait_barrier_implicit_parallel) return;
    if (!__atomic_exchange_n(&interrupted, 1, __ATOMIC_ACQ_REL)) say("signal", "");
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    struct sigaction action;
    (void)device, (void)data;
    task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    state = (ompt_get_state_t)lookup("ompt_get_state");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
    set(ompt_callback_control_tool, (ompt_callback_t)on_control);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version;
    on_libgomp = strncmp(runtime, "GNU", 3) == 0;
    return &result;
}

/* The member with this number leaves its body when the other one has been interrupted at the barrier. */
static void region(int last) {
    memset(here, 0, sizeof here);
    interrupted = 0;
#pragma omp parallel num_threads(2)
    {
        int number = omp_get_thread_num(), other = 1 - number;
        members[number] = pthread_self();
        __atomic_store_n(&here[number], 1, __ATOMIC_RELEASE);
        if (number == last)
            while (!__atomic_load_n(&interrupted, __ATOMIC_ACQUIRE)) {
                if (__atomic_load_n(&here[other], __ATOMIC_ACQUIRE)) pthread_kill(members[other], SIGUSR1);
                usleep(1000);
            }
    }
}

static void task(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
        interrupted = 1;
    }
}

/* Bodies of an implicit task, a deferred and an undeferred one. */
static void bodies(void) {
    silent = 1;
#pragma omp parallel num_threads(2)
    {
        check_exit(__builtin_frame_address(1));
#pragma omp task
        check_exit(__builtin_frame_address(1));
#pragma omp task if (0)
        check_exit(__builtin_frame_address(1));
    }
    silent = 0;
}

static int control(void) {
    int (*call)(int, int, void *) = (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
    int answer = -3;
    caller = (uintptr_t)__builtin_frame_address(0) + 16;
    if (call) answer = call(1, 0, NULL);
    return answer;
}

int main(void) {
    region(0);
    region(1);
    task();
#pragma omp parallel num_threads(1)
    if (control() != 1) abort();
    if (control() != 1) abort();
    bodies();
    return 0;
}
