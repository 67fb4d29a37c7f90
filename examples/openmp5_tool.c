/*
 * A tool of OpenMP 5: counts and times parallel regions by their place in the program.
 *
 * The OpenMP runtime, or libora.so in its place, finds `ompt_start_tool` at the end of this file: in the program, in a
 * library that it is linked to, in a preloaded one, or in one that OMP_TOOL_LIBRARIES names.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "omp-tools.h"

/* Regions that return to one address of the program. The table is open-addressed: a place is taken once, for good. */
static struct place {
    _Atomic(const void *) address;
    atomic_ullong count, time;
} places[1024];
enum { PLACES = sizeof places / sizeof *places };

static struct place *place_of(const void *address) {
    size_t hash = (size_t)((uintptr_t)address * 0x9e3779b97f4a7c15u >> 54);
    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &places[(hash + i) % PLACES];
        const void *taken = NULL;
        if (atomic_compare_exchange_strong(&place->address, &taken, address) || taken == address) return place;
    }
    return NULL; /* the table is full */
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/*
 * The runtime keeps one word of the tool's with each thread, region and task. The region's word holds the time at which it
 * began: no table of open regions is needed. `code` is the address that the call into the runtime returns to.
 */
static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int threads,
                              int flags, const void *code) {
    (void)task, (void)frame, (void)threads, (void)flags, (void)code;
    region->value = now();
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    struct place *place = place_of(code);
    (void)task, (void)flags;
    if (!place) return;
    atomic_fetch_add(&place->count, 1);
    atomic_fetch_add(&place->time, now() - region->value);
}

/* Called once, before the other callbacks. A 0 would send the tool away. */
static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)initial_device, (void)tool;
    return set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin) == ompt_set_always &&
           set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end) == ompt_set_always;
}

static int by_time(const void *left, const void *right) {
    unsigned long long a = ((const struct place *)left)->time, b = ((const struct place *)right)->time;
    return (a < b) - (a > b);
}

/* Called once, after the other callbacks. */
static void finalize(ompt_data_t *tool) {
    (void)tool;
    qsort(places, PLACES, sizeof *places, by_time);
    fputs("   count   total s  mean us  place (addr2line -f -e FILE ADDRESS)\n", stderr);
    for (struct place *place = places; place < places + PLACES && place->count; place++) {
        const char *address = place->address;
        Dl_info info = {0};
        int known = dladdr(address, &info) != 0;
        /* One byte before the return address is inside of the call, and has its line. */
        fprintf(stderr, "%8llu %9.3f %8.1f  %s 0x%tx\n", (unsigned long long)place->count, (double)place->time / 1e9,
                (double)place->time / 1e3 / (double)place->count, known ? info.dli_fname : "?",
                address - (known ? (const char *)info.dli_fbase : NULL) - 1);
    }
}

/* The runtime asks for the tool. NULL would decline. The result lives as long as the process. */
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    fprintf(stderr, "tool: OMPT %u on %s\n", omp_version, runtime_version);
    return &result;
}
