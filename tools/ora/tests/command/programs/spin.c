/* Two threads work for 0.2 s of processor time each. */
#include <time.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        struct timespec now;
        do {
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while (now.tv_sec == 0 && now.tv_nsec < 200000000);
    }
    return 0;
}
