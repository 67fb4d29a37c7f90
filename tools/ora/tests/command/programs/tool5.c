/* A tool of OpenMP 5: counts parallel regions and says how many at the end. TOOL5=decline: it does not want to; TOOL5=exit:
   it ends the process in place of an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp-tools.h"

#ifndef WISH
#define WISH getenv("TOOL5")
#endif

static int regions;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags,
                              const void *code)
{
    (void)task, (void)frame, (void)region, (void)size, (void)flags, (void)code;
    regions++;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    return set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin) == ompt_set_always;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    fprintf(stderr, "tool of OpenMP 5: %d regions\n", regions);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };
    const char *wish = WISH;
    (void)version, (void)runtime;
    if (wish && !strcmp(wish, "exit"))
        _exit(9);
    return wish && !strcmp(wish, "decline") ? NULL : &result;
}
