/* A second thread is traced by a child that never waits: from the beginning ("now"), or on SIGUSR1. On SIGUSR1 the first thread then
   executes another program, which waits for the end of the second one for ever. Ends when stdin is closed. */
#define _GNU_SOURCE
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

static volatile int sleeper;
static volatile sig_atomic_t executes;

static void *sleeps(void *unused)
{
    sleeper = gettid();
    for (;;)
        pause();
    return unused;
}

static void execute(int signal)
{
    executes = signal;
}

static int trace(void)
{
    int ends[2];
    char ready;
    if (pipe(ends))
        return 0;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_SEIZE, sleeper, NULL, NULL) || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    return child > 0 && read(ends[0], &ready, 1) == 1 ? child : 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int sum = 0, tracer = 0;
    struct pollfd input = {0, POLLIN, 0};
    signal(SIGUSR1, execute);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    /* Yama lets only parents trace, unless they are asked to (prctl(2)). */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pthread_create(&thread, NULL, sleeps, NULL);
    while (!sleeper)
        usleep(1000);
    if (argc == 2 && strcmp(argv[1], "now") == 0 && !(tracer = trace()))
        return 3;
    printf("%d %d\n", sleeper, tracer);
    fflush(stdout);
    /* `ora hang` stops a running thread to inspect it. */
    while (!executes)
        if (poll(&input, 1, tracer ? 10 : 0) > 0)
            return sum == 2 ? 0 : 4;
    if (!tracer && !trace())
        return 5;
    execl("/bin/true", "true", (char *)NULL);
    return 6;
}
