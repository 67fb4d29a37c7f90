/* Nested regions create a new thread each: twice the number in the argument. All of them end before the outer region does. */
#include <omp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of threads: a folder has one link for each subfolder, and two more. */
static int threads(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (int)tasks.st_nlink - 2 : 0;
}

int main(int count, char **words)
{
    int times = count > 1 ? atoi(words[1]) : 1, sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
            sum++;
        }
        for (int waited = 0; waited < 10000 && threads() > 2; waited++)
            usleep(1000);
    }
    return sum == times * 4 ? 0 : 1;
}
