/* Sends SIGPROF to threads, as a sampling profiler does. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void (*take_sample)(void);

static void on_signal(int signal) {
    int saved = errno;
    (void)signal;
    take_sample();
    errno = saved;
}

static void *signal_each_thread(void *unused) {
    const struct timespec pause = {0, 100000};
    const long self = syscall(SYS_gettid), process = getpid();
    (void)unused;
    for (;;) {
        DIR *threads = opendir("/proc/self/task");
        const struct dirent *entry;
        if (!threads) return NULL;
        while ((entry = readdir(threads)) != NULL) {
            const long tid = atol(entry->d_name);
            if (tid == 0 || tid == self) continue;
            syscall(SYS_tgkill, process, tid, SIGPROF);
            nanosleep(&pause, NULL);
        }
        closedir(threads);
    }
}

void sampler_start(void (*sample)(void)) {
    const char *wish = getenv("TRACE_SAMPLE");
    struct sigaction action;
    if (!wish) return;
    take_sample = sample;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    if (strcmp(wish, "prof") == 0) {
        const struct itimerval every = {{0, 1000}, {0, 1000}};
        setitimer(ITIMER_PROF, &every, NULL);
    } else {
        sigset_t all, before;
        pthread_t thread;
        /* The sampler itself must get none of the program's signals. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pthread_create(&thread, NULL, signal_each_thread, NULL) == 0) pthread_detach(thread);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
}
