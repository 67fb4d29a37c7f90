/*
 * Measures the cost of a request to __omp_collector_api on one thread. The session is opened by the collector beside it.
 *
 *     requests time BATCHES     a line "NAME NANOSECONDS" a request: the quickest of so many short batches
 *     requests run NAME COUNT   makes one request so many times, for instruction counts
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "omp_collector_api.h"

#define BATCH_NS 1000000.0

static int (*api)(void *);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void nothing(OMP_COLLECTORAPI_EVENT event)
{
    (void)event;
}

/* A function that does nothing, called as the interface is: no request can be faster. */
__attribute__((noinline)) static int no_request(void *list)
{
    __asm__ volatile("" : : "r"(list) : "memory");
    return 0;
}

/* Lists of entries, each with its end. */
static int empty[1] = {0};
static int state_28[8] = {28, OMP_REQ_STATE};
static int state_32[9] = {32, OMP_REQ_STATE};
static int region_id[7] = {24, OMP_REQ_CURRENT_PRID};
static int batch[14] = {28, OMP_REQ_STATE, 0, 0, 0, 0, 0, 24, OMP_REQ_CURRENT_PRID};
static int registration[8] = {28, OMP_REQ_REGISTER, 0, 0, OMP_EVENT_FORK};
static int registration_back[6] = {20, OMP_REQ_UNREGISTER, 0, 0, OMP_EVENT_FORK};

static struct {
    const char *name;
    int *list;
} requests[] = {
    {"no_request", NULL}, {"empty_list", empty},           {"state_28", state_28},
    {"state_32", state_32}, {"current_prid", region_id}, {"state_and_prid", batch},
    {"register", registration},
};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* Makes a request `n` times and returns the nanoseconds for each. */
static double once(int which, long n)
{
    int (*volatile call)(void *) = requests[which].list ? api : no_request;
    int (*function)(void *) = call;
    int *list = requests[which].list;
    double begun = now();
    for (long i = 0; i < n; i++)
        if (function(list) != 0)
            exit(3);
    double each = (now() - begun) / (double)n;
    if (list && list[0] && list[2] != OMP_ERRCODE_OK) {
        fprintf(stderr, "requests: %s answers %d\n", requests[which].name, list[2]);
        exit(3);
    }
    return each;
}

static void measure(const char *place, int which, int batches)
{
    double best = 1e18;
    long n = 64;
    for (int i = 0; i < 4; i++) {
        double each = once(which, n);
        if (each < best)
            best = each;
        n = (long)(BATCH_NS / best);
        if (n < 16)
            n = 16;
        if (n > 1000000)
            n = 1000000;
    }
    best = 1e18;
    for (int i = 0; i < batches; i++) {
        double each = once(which, n);
        if (each < best)
            best = each;
    }
    printf("%s_%s %.3f\n", requests[which].name, place, best);
}

static void measure_all(const char *place, int batches)
{
    for (int i = 0; i < REQUESTS; i++)
        measure(place, i, batches);
    /* Back to the mode in which only states are kept. */
    api(registration_back);
}

int main(int count, char **arguments)
{
    const char *task = count > 1 ? arguments[1] : "";
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    if (!api) {
        fprintf(stderr, "requests: no " OMP_COLLECTOR_API " in this process\n");
        return 2;
    }
    OMP_COLLECTORAPI_CALLBACK call = nothing;
    memcpy(registration + 5, &call, sizeof call);
    if (!strcmp(task, "time") && count == 3) {
        /* The runtime has started and knows this thread. */
#pragma omp parallel num_threads(1)
        __asm__ volatile("" ::: "memory");
        measure_all("outside", atoi(arguments[2]));
#pragma omp parallel num_threads(1)
        measure_all("inside", atoi(arguments[2]));
        return 0;
    }
    for (int i = 0; !strcmp(task, "run") && count == 4 && i < REQUESTS; i++) {
        size_t length = strlen(requests[i].name);
        if (strncmp(arguments[2], requests[i].name, length) || arguments[2][length] != '_')
            continue;
        long n = atol(arguments[3]);
        if (!strcmp(arguments[2] + length, "_outside")) {
            once(i, n);
            return 0;
        }
        if (!strcmp(arguments[2] + length, "_inside")) {
#pragma omp parallel num_threads(1)
            once(i, n);
            return 0;
        }
    }
    fprintf(stderr, "requests: time BATCHES | run NAME COUNT\n");
    return 2;
}
