/* One of each thing that a trace shows; "kill", "fork", "exec" and so on end it in other ways. */
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void work(int n) {
    for (int i = 0; i < n; i++) sink = i * 0.5;
}

static void regions(int count) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    int first = 0, second = 0;
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(2) shared(lock, first, second)
        {
#pragma omp critical
            work(100);
            omp_set_lock(&lock);
            work(100);
            omp_unset_lock(&lock);
#pragma omp barrier
            if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : first)
                first++;
#pragma omp task depend(in : first) depend(out : second)
                second = first;
#pragma omp taskwait
#pragma omp taskgroup
                {
#pragma omp task
                    work(10);
                }
            }
        }
    }
    omp_destroy_lock(&lock);
}

/* The second thread is late at the barrier, where all others wait for it. */
static void late(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) usleep(200000);
#pragma omp barrier
    }
}

/* The first thread holds the lock for a long time. */
static void contended(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2) shared(lock)
    {
        if (omp_get_thread_num() == 0) omp_set_lock(&lock);
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            usleep(200000);
        else
            omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

/* A lock that is still held after the region in which it was set. */
static void across(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(1) shared(lock)
    omp_set_lock(&lock);
    work(100);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
}

static void locks(long count) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (long i = 0; i < count; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "regions";
    int count = argc > 2 ? atoi(argv[2]) : 10;
    if (strcmp(how, "late") == 0) late();
    else if (strcmp(how, "contended") == 0) contended();
    else if (strcmp(how, "across") == 0) across();
    else if (strcmp(how, "busy") == 0) {
        for (int i = 0; i < count; i++) work(1000000);
        regions(1);
    } else if (strcmp(how, "locks") == 0) { regions(1); locks(count); }
    else if (strcmp(how, "ask") == 0) {
        /* After the regions, waits for a line; then works until the input ends. */
        regions(count);
        puts("ready");
        fflush(stdout);
        while (getchar() != '\n');
        for (struct pollfd in = {0, POLLIN, 0}; poll(&in, 1, 0) == 0;) regions(1);
    } else if (strcmp(how, "slow") == 0) {
        regions(count);
        late();
        regions(count);
    } else if (strcmp(how, "pause") == 0) {
        regions(count);
        usleep(300000);
        regions(1);
    } else regions(count);
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "_exit") == 0) _exit(0);
    if (strcmp(how, "fork") == 0) {
        pid_t child = fork();
        /* After a region of several threads, only a region of one thread is safe in a child. */
        if (child == 0) {
#pragma omp parallel num_threads(1)
            work(10);
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(how, "exec") == 0) execl(argv[0], argv[0], "regions", "3", (char *)NULL);
    puts("done");
    return 0;
}
