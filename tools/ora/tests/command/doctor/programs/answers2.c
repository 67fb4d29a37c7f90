/* A tool of TR2: prints what ompt_set_callback answers for each event, then lets the program go on alone. */
#include <stdio.h>

#include "ompt_tr2.h"

static void never(void) {}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version)
{
    (void)runtime, (void)version;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    for (int number = 1; number <= 61; number++)
        printf("%d %d\n", number, (int)set((ompt_event_t)number, (ompt_callback_t)never));
    fflush(stdout);
    return 0;
}
