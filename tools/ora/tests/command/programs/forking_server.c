/* For each byte of stdin: forks a child that executes regions until its pipe is closed, and writes the child's number. At the end of
   stdin all end. The first process executes none: libgomp's pool of threads doesn't survive a fork. */
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long regions(void)
{
    long sum = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += 1;
    }
    return sum;
}

static int is_readable(int file)
{
    struct pollfd input = {file, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

int main(void)
{
    int ends[2], children = 0, wrong = 0, status;
    char byte;
    if (pipe(ends))
        return 1;
    while (read(0, &byte, 1) == 1) {
        pid_t child = fork();
        if (child == 0) {
            close(ends[1]);
            while (!is_readable(ends[0]))
                wrong |= regions() != 100;
            _exit(wrong);
        }
        children++;
        printf("%d\n", (int)child);
        fflush(stdout);
    }
    close(ends[1]);
    for (; children; children--)
        wrong |= wait(&status) < 0 || status != 0;
    return wrong;
}
