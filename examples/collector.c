/*
 * A collector of the Sun Collector API: counts and times parallel regions, and samples what the program's threads do.
 *
 * It is a shared library that is loaded into the program beside libora.so. It starts and ends with the process: the two
 * functions at the end. `__omp_collector_api` is found at run time, so nothing has to be linked.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include "omp_collector_api.h"

/*
 * One request. `mem` holds its input, then its result; 16 bytes are enough for every request. An int 0 ends the list of
 * requests, which has only this one.
 */
struct request {
    int sz, r, ec, rsz;
    char mem[16];
    int end;
};

static int (*api)(void *);

/* Makes one request. Returns its error code: OMP_ERRCODE_OK if it was served. */
static int ask(struct request *request, OMP_COLLECTORAPI_REQUEST number) {
    request->sz = offsetof(struct request, end);
    request->r = number;
    request->end = 0;
    return api(request) == 0 ? request->ec : OMP_ERRCODE_ERROR;
}

/* Asks for callbacks of an event. The callback stands at offset 8 of `mem`, as in a C struct of an int and a pointer. */
static int register_for(OMP_COLLECTORAPI_EVENT event, OMP_COLLECTORAPI_CALLBACK callback) {
    struct request request = {0};
    int number = event;
    memcpy(request.mem, &number, sizeof number);
    memcpy(request.mem + 8, &callback, sizeof callback);
    return ask(&request, OMP_REQ_REGISTER);
}

/* FORK and JOIN: both run on the thread that has met the construct, so thread-local variables connect them. */
static atomic_ullong regions, region_time;
static _Thread_local int depth;
static _Thread_local uint64_t begun;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void on_fork(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&regions, 1);
    if (depth++ == 0) begun = now(); /* regions inside of another one are part of its time */
}

static void on_join(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    if (--depth == 0) atomic_fetch_add(&region_time, now() - begun);
}

/*
 * Every 10 ms of CPU time the kernel interrupts a thread that runs. OMP_REQ_STATE may be made from the signal handler.
 * Threads of the program that OpenMP doesn't know have no state: they are counted as state 0.
 */
static atomic_uint samples[THR_LAST_STATE];

static void on_tick(int signal) {
    struct request request = {0};
    int state = 0;
    (void)signal;
    if (ask(&request, OMP_REQ_STATE) == OMP_ERRCODE_OK) memcpy(&state, request.mem, sizeof state);
    if (state >= 0 && state < THR_LAST_STATE) atomic_fetch_add(&samples[state], 1);
}

static const char *const names[THR_LAST_STATE] = {
    [0] = "in threads without OpenMP",
    [THR_OVHD_STATE] = "in the OpenMP runtime",
    [THR_WORK_STATE] = "work in parallel regions",
    [THR_IBAR_STATE] = "wait in implicit barriers",
    [THR_EBAR_STATE] = "wait in explicit barriers",
    [THR_IDLE_STATE] = "idle between regions",
    [THR_SERIAL_STATE] = "serial work",
    [THR_REDUC_STATE] = "reductions",
    [THR_LKWT_STATE] = "wait for locks",
    [THR_CTWT_STATE] = "wait for critical sections",
    [THR_ODWT_STATE] = "wait for ordered turns",
    [THR_ATWT_STATE] = "wait for atomic updates",
    [THR_TASK_CREATE_STATE] = "creating tasks",
    [THR_TASK_SCHEDULE_STATE] = "looking for tasks",
    [THR_TASK_SUSPEND_STATE] = "wait for tasks",
    [THR_TASK_STEAL_STATE] = "stealing tasks",
    [THR_TASK_FINISH_STATE] = "ending tasks",
};

static void set_timer(int microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

__attribute__((constructor)) static void begin(void) {
    struct request start = {0};
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    if (!api) {
        fputs("collector: nothing in this process has " OMP_COLLECTOR_API ": preload libora.so\n", stderr);
        return;
    }
    /* START opens the session. Without it every other request is refused. */
    if (ask(&start, OMP_REQ_START) != OMP_ERRCODE_OK) {
        fputs("collector: another collector has a session in this process\n", stderr);
        api = NULL;
        return;
    }
    if (register_for(OMP_EVENT_FORK, on_fork) || register_for(OMP_EVENT_JOIN, on_join))
        fputs("collector: this runtime doesn't report parallel regions\n", stderr);
    sigaction(SIGPROF, &action, NULL);
    set_timer(10000);
}

__attribute__((destructor)) static void end(void) {
    struct request stop = {0};
    unsigned total = 0;
    if (!api) return;
    set_timer(0);
    ask(&stop, OMP_REQ_STOP); /* no callback comes after this */
    fprintf(stderr, "%llu parallel regions, %.3f s in them\n", (unsigned long long)regions, (double)region_time / 1e9);
    for (int state = 0; state < THR_LAST_STATE; state++) total += samples[state];
    for (int state = 0; state < THR_LAST_STATE; state++)
        if (samples[state]) fprintf(stderr, "%6.1f %% of CPU time: %s\n", 100.0 * samples[state] / total, names[state]);
}
