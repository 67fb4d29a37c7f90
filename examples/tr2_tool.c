/*
 * A tool of OMPT as in Technical Report 2 (2014): the time that each thread idles and waits in barriers.
 *
 * The library finds `ompt_initialize` in the program, in a library that it is linked to, or in a preloaded one, and calls
 * it before the program's first use of OpenMP.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "ompt_tr2.h"

/* A thread's times, in nanoseconds. Only the thread itself writes them. */
struct thread {
    ompt_thread_id_t id;
    ompt_thread_type_t type;
    uint64_t begun, ended;
    uint64_t idle, idle_since;
    uint64_t barrier, barrier_since;
    struct thread *next;
};

static _Atomic(struct thread *) threads;
static _Thread_local struct thread *me;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Callbacks run on the thread that the event is about. */

static void on_thread_begin(ompt_thread_type_t type, ompt_thread_id_t id) {
    me = calloc(1, sizeof *me);
    if (!me) return;
    me->id = id;
    me->type = type;
    me->begun = now();
    me->next = atomic_load(&threads);
    while (!atomic_compare_exchange_weak(&threads, &me->next, me)) {}
}

static void on_thread_end(ompt_thread_type_t type, ompt_thread_id_t id) {
    (void)type, (void)id;
    if (me) me->ended = now();
}

static void on_idle_begin(ompt_thread_id_t id) {
    (void)id;
    if (me) me->idle_since = now();
}

static void on_idle_end(ompt_thread_id_t id) {
    (void)id;
    if (me && me->idle_since) me->idle += now() - me->idle_since;
    if (me) me->idle_since = 0;
}

static void on_barrier_begin(ompt_parallel_id_t region, ompt_task_id_t task) {
    (void)region, (void)task;
    if (me) me->barrier_since = now();
}

static void on_barrier_end(ompt_parallel_id_t region, ompt_task_id_t task) {
    (void)region, (void)task;
    if (me && me->barrier_since) me->barrier += now() - me->barrier_since;
    if (me) me->barrier_since = 0;
}

/* The runtime shuts down. No event follows, but threads of the pool may not have ended: their clocks still run. */
static void on_shutdown(void) {
    uint64_t end = now();
    fputs("thread  kind        lived   idle  barriers\n", stderr);
    for (struct thread *it = atomic_load(&threads); it; it = it->next) {
        uint64_t idle = it->idle + (it->idle_since && !it->ended ? end - it->idle_since : 0);
        fprintf(stderr, "%6llu  %-7s %6.3f s %6.3f %9.3f\n", (unsigned long long)it->id,
                it->type == ompt_thread_initial ? "initial" : it->type == ompt_thread_worker ? "worker" : "other",
                (double)((it->ended ? it->ended : end) - it->begun) / 1e9, (double)idle / 1e9, (double)it->barrier / 1e9);
    }
}

/* Events with their callbacks. Each signature is that which ompt_tr2.h names beside the event. */
static const struct { ompt_event_t event; ompt_callback_t callback; } registrations[] = {
    {ompt_event_thread_begin, (ompt_callback_t)on_thread_begin},
    {ompt_event_thread_end, (ompt_callback_t)on_thread_end},
    {ompt_event_idle_begin, (ompt_callback_t)on_idle_begin},
    {ompt_event_idle_end, (ompt_callback_t)on_idle_end},
    {ompt_event_wait_barrier_begin, (ompt_callback_t)on_barrier_begin},
    {ompt_event_wait_barrier_end, (ompt_callback_t)on_barrier_end},
    {ompt_event_runtime_shutdown, (ompt_callback_t)on_shutdown},
};

/* Callbacks can be registered in here only. A 0 instead of the last 1 would send the tool away. */
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)ompt_version;
    for (size_t i = 0; i < sizeof registrations / sizeof *registrations; i++)
        if (set(registrations[i].event, registrations[i].callback) != ompt_tr2_set_always)
            fprintf(stderr, "tool: %s doesn't always report event %d\n", runtime_version, registrations[i].event);
    return 1;
}
