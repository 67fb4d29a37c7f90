// Programs for settings of the environment: some make them faster, some would change their results.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    const char *kind = count > 1 ? words[1] : "";
    if (!strcmp(kind, "serial"))
        return 0;
    // With static shares the last thread has all of the work, which is sleep: it takes the same time on any machine.
    if (!strcmp(kind, "uneven")) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 64; i++)
            if (i >= 32)
                usleep(4000);
        return 0;
    }
    int threads = 1;
#pragma omp parallel
    {
#pragma omp masked
        threads = omp_get_num_threads();
        if (!strcmp(kind, "sleeps"))
            usleep(100000);
    }
    if (!strcmp(kind, "counts"))
        printf("threads %d\n", threads);
    if (!strcmp(kind, "differs"))
        printf("%d\n", (int)getpid());
    if (!strcmp(kind, "counts") || !strcmp(kind, "slower"))
        usleep(100000 * threads);
    return strcmp(kind, "fails") ? 0 : 3;
}
