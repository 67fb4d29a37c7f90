/* Computes for 50 ms inside of 100 tasks, each of which its parent waits for. */
#include <stdio.h>
#include <time.h>

static volatile long steps;

static void go(int left)
{
    if (left == 0) {
        struct timespec ran;
        do {
            steps++;
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
        } while (ran.tv_sec == 0 && ran.tv_nsec < 50000000);
        return;
    }
#pragma omp task
    go(left - 1);
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel num_threads(1)
    go(100);
    puts("done");
    return 0;
}
