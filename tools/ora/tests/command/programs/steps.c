/* A library that steps the wall clock by an hour, forward or back, at every seventh reading. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec *time)
{
    static unsigned looks;
    const int answer = (int)syscall(SYS_clock_gettime, which, time);
    if (which == CLOCK_REALTIME && __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) / 7 % 2) time->tv_sec += 3600;
    return answer;
}
