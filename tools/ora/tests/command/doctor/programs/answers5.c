/* A tool of OpenMP 5: prints what ompt_set_callback answers for each number, then lets the program go on alone. */
#include <stdio.h>

#include "omp-tools.h"

static void never(void) {}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    for (int number = 1; number <= 40; number++)
        printf("%d %d\n", number, (int)set((ompt_callbacks_t)number, (ompt_callback_t)never));
    fflush(stdout);
    return 0;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };
    (void)version, (void)runtime;
    return &result;
}
