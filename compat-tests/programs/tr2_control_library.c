/* A library with an ompt_control that prints its arguments. */
#include <inttypes.h>
#include <stdio.h>

void ompt_control(uint64_t command, uint64_t modifier);
void ompt_control(uint64_t command, uint64_t modifier) {
    printf("control %" PRIu64 " %" PRIu64 "\n", command, modifier);
}
