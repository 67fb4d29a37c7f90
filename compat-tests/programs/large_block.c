/* Takes two thirds of the memory that a limit allows, after a region and tasks. The first argument: what it limits. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LIMIT 3000000000ul

int main(int count, char **words) {
    if (count == 2) {
        struct rlimit limit = {LIMIT, LIMIT};
        if (setrlimit(strcmp(words[1], "data") ? RLIMIT_AS : RLIMIT_DATA, &limit)) return 1;
        execl("/proc/self/exe", words[0], words[1], "limited", (char *)NULL);
        return 2;
    }
    int tasks = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task
#pragma omp atomic
        tasks++;
    }
    char *volatile block = malloc(LIMIT / 3 * 2);
    puts(block && tasks == 100 ? "done" : "refused");
    free(block);
    return 0;
}
