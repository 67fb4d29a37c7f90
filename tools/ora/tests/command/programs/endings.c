/* Ends in the way named by the argument, after a region or inside the second one. */
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static void end(void)
{
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "segv"))
        raise(SIGSEGV);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "exit"))
        exit(8);
}

static void said(int signal)
{
    char line[] = "got 00\n";
    line[4] += signal / 10;
    line[5] += signal % 10;
    if (write(1, line, 7) != 7)
        _exit(1);
    _exit(9);
}

static volatile sig_atomic_t interrupts;

static void count_it(int signal)
{
    (void)signal;
    interrupts++;
}

int main(int count, char **words)
{
    how = count > 1 ? words[1] : "";
    if (!strcmp(how, "wait")) {
        int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };
        for (int i = 0; i < 6; i++)
            signal(signals[i], said);
    }
#pragma omp parallel num_threads(2)
    usleep(1000);
    if (!strcmp(how, "count"))
        signal(SIGINT, count_it);
    if (!strcmp(how, "wait") || !strcmp(how, "hang") || !strcmp(how, "count")) {
        puts("ready");
        fflush(stdout);
        /* A signal that arrives just before a sleep doesn't shorten it. */
        for (int i = 0; i < 600 && !interrupts; i++)
            usleep(100000);
    }
    if (!strcmp(how, "count")) {
        /* Leaves time for further signals. */
        for (int i = 0; i < 20; i++)
            usleep(10000);
        return 10 + interrupts;
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            usleep(100000);
            end();
        } else {
            usleep(400000);
        }
    }
    return 0;
}
