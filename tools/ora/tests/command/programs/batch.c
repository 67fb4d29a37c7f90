/* An ORA collector of the old kind: 35 registrations in one packed batch, answers unread; queries from callbacks, and
 * with BATCH_SAMPLE from SIGPROF. errno must come through every call as it was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static int (*api)(void *);
static long samples;

static char *entry(char *at, int size, int request)
{
    memcpy(at, &size, 4);
    memcpy(at + 4, &request, 4);
    return at + size;
}

static void ask(void)
{
    char buffer[28 + 24 + 20 + 4];
    int zero = 0;
    char *region = entry(buffer, 28, 3), *task = entry(region, 24, 4), *end = entry(task, 20, 4);
    memcpy(end, &zero, 4);
    errno = 4711;
    if (api(buffer) != 0 || errno != 4711)
        abort();
}

static void on_event(int event)
{
    (void)event;
    ask();
}

static void on_sample(int signal)
{
    int saved = errno;
    (void)signal;
    ask();
    __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
    errno = saved;
}

__attribute__((constructor)) static void begin(void)
{
    static char batch[35 * 28 + 4];
    char *at = batch;
    int start[] = { 16, 0, -1, -1, 0 };
    void (*callback)(int) = on_event;
    api = (int (*)(void *))dlsym(RTLD_DEFAULT, "__omp_collector_api");
    api(start);
    for (int event = 1; event <= 35; event++) {
        memcpy(at + 16, &event, 4);
        memcpy(at + 20, &callback, 8);
        at = entry(at, 28, 1);
    }
    if (api(batch) != 0 || start[2] != 0)
        abort();
    if (getenv("BATCH_SAMPLE")) {
        struct sigaction action = { .sa_handler = on_sample, .sa_flags = SA_RESTART };
        struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
        sigaction(SIGPROF, &action, NULL);
        setitimer(ITIMER_PROF, &every, NULL);
    }
}

__attribute__((destructor)) static void end(void)
{
    struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_PROF, &never, NULL);
    if (getenv("BATCH_SAMPLE"))
        fprintf(stderr, "%ld samples\n", samples);
}
