/* A tool that is linked to LLVM's runtime, and starts it: at the time that BRINGS names, or else in its callback at the second region.
 * Counts its starts and the regions that are reported to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp-tools.h"

/* LLVM's runtime starts at the first call of this function. */
extern int __kmpc_global_thread_num(void *);

static int asked, started, ended, regions;

static void bring(const char *time) {
    const char *wish = getenv("BRINGS");
    if (wish && !strcmp(wish, time)) __kmpc_global_thread_num(NULL);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags,
                              const void *code) {
    (void)task, (void)frame, (void)region, (void)size, (void)flags, (void)code;
    if (++regions == 2) bring("region");
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    started++;
    bring("initialize");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    ended++;
    fprintf(stderr, "asked %d, started %d, ended %d, regions %d\n", asked, started, ended, regions);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    asked++;
    bring("start");
    return &result;
}

__attribute__((constructor)) static void load(void) { bring("load"); }
