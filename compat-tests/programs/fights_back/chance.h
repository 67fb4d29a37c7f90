/* Random numbers for each thread, phases, and pauses. */
#include <stdint.h>
#include <time.h>

static uint64_t random_number(void)
{
    static __thread uint64_t state;
    if (!state)
        state = (uint64_t)(uintptr_t)&state ^ (uint64_t)time(0) << 20;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void pause_for(long microseconds)
{
    struct timespec span = {0, microseconds * 1000};
    nanosleep(&span, 0);
}

/* 0 to 3, for some milliseconds each: an attack that never pauses would keep ora from reaching the next target. */
static int phase(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec * 1000 + now.tv_nsec / 1000000) / 30 % 4;
}
