/* Processes that are about to become another program. "vfork": a child in its parent's memory, until stdin is closed, which executes
   a program then. "executes N": regions, and the same program again, N times. "until": regions until stdin is closed, and another program. */
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    return sum;
}

static int in_its_parents_memory(void)
{
    int status;
    int right = region() == 3;
    pid_t child = vfork();
    if (child == 0) {
        struct pollfd input = {0, POLLIN, 0};
        dprintf(1, "%d\n", (int)getpid());
        poll(&input, 1, -1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return right && status == 0 && region() == 3 ? 0 : 1;
}

static int until_stdin_ends(void)
{
    struct pollfd input = {0, POLLIN, 0};
    while (poll(&input, 1, 0) == 0)
        if (region() != 3)
            return 1;
    execl("/bin/sh", "sh", "-c", "sleep 1; exit 5", (char *)NULL);
    return 2;
}

int main(int argc, char **argv)
{
    char left[16];
    if (argc == 2 && strcmp(argv[1], "until") == 0)
        return until_stdin_ends();
    if (argc == 2 && strcmp(argv[1], "vfork") == 0)
        return in_its_parents_memory();
    int times = argc == 3 ? atoi(argv[2]) : 0;
    for (int i = 0; i < 200; i++)
        if (region() != 3)
            return 1;
    if (times == 0)
        return 7;
    snprintf(left, sizeof left, "%d", times - 1);
    execl("/proc/self/exe", argv[0], "executes", left, (char *)NULL);
    return 2;
}
