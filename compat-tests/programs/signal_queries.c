/*
 * Every thread queries its state and region from a signal handler, many thousand times a second, while all events are
 * armed. Argument: seconds to run; 0: one pass and no signals. Exit code 1 when an answer can't be true.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "omp_collector_api.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { THREADS = 3 };

static int (*api)(void *);
static omp_lock_t lock;
static unsigned long events, answers[THR_LAST_STATE], wrong;
static char first_wrong[200];

/* The calling thread is a worker that has left its region's body. */
static __thread int has_left;

static void seen(OMP_COLLECTORAPI_EVENT event)
{
    (void)event;
    __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}

/* One request of `size` bytes of input; returns the answer's error code. */
static int request(int r, const void *input, int size)
{
    int entry[16] = {0};
    entry[0] = 16 + size;
    entry[1] = r;
    if (size)
        memcpy(entry + 4, input, (size_t)size);
    return api(entry) == 0 ? entry[2] : -1;
}

static void refuse(const char *why, int state, unsigned long id, unsigned long wait)
{
    if (__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED) == 0)
        snprintf(first_wrong, sizeof first_wrong, "%s: state %d, region %lu, wait id %#lx", why, state, id, wait);
}

static void sample(int number)
{
    (void)number;
    /* STATE with 12 bytes, CURRENT_PRID with 8, and the end. */
    int list[14] = {28, OMP_REQ_STATE, 0, 0, 0, 0, 0, 24, OMP_REQ_CURRENT_PRID, 0, 0, 0, 0, 0};
    int all[16] = {0};
    memcpy(all, list, sizeof list);
    int back = api(all), state = all[4];
    unsigned long id = 0, wait = 0;
    memcpy(&wait, all + 5, 8);
    memcpy(&id, all + 11, 8);
    if (back != 0 || all[2] != OMP_ERRCODE_OK || all[9] != OMP_ERRCODE_OK) {
        refuse("a query failed", state, id, wait);
        return;
    }
    if (state < THR_OVHD_STATE || state >= THR_LAST_STATE) {
        refuse("no such state", state, id, wait);
        return;
    }
    int outside = state == THR_SERIAL_STATE || state == THR_IDLE_STATE;
    /* A region's last barrier may end on another processor between the two requests. */
    int just_left = state == THR_IBAR_STATE && id == 0;
    /* A shrinking team ends its threads, and a thread that ends works for its runtime, in no region. */
    int ends = has_left && state == THR_OVHD_STATE && id == 0;
    if (outside != (id == 0) && !just_left && !ends)
        refuse("state and region disagree", state, id, wait);
    if (state == THR_LKWT_STATE && wait != (unsigned long)&lock)
        refuse("another lock", state, id, wait);
    if (state != THR_LKWT_STATE && wait == (unsigned long)&lock)
        refuse("a lock without a wait for it", state, id, wait);
    __atomic_fetch_add(&answers[state], 1, __ATOMIC_RELAXED);
}

/* A process has a limited number of timers, and a shrinking team ends its threads: each deletes its timer when it ends. */
static pthread_key_t end_of_thread;

static void forget(void *timer)
{
    timer_delete((timer_t)timer);
}

/* The calling thread is interrupted from now on. */
static void interrupt_me(void)
{
    static __thread int done;
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 50000}, {0, 50000}};
    timer_t timer;
    if (done)
        return;
    done = 1;
    to.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &to, &timer) || timer_settime(timer, 0, &every, NULL)) {
        perror("timer");
        exit(2);
    }
    pthread_setspecific(end_of_thread, timer);
}

static void pass(int interrupted)
{
    static unsigned long sum;
#pragma omp parallel num_threads(THREADS)
    {
        has_left = 0;
        if (interrupted)
            interrupt_me();
        for (int i = 0; i < 50; i++) {
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
#pragma omp critical(named)
            sum++;
#pragma omp critical
            sum++;
        }
#pragma omp barrier
#pragma omp for schedule(dynamic, 2) ordered
        for (int i = 0; i < 12; i++) {
#pragma omp ordered
            sum++;
        }
#pragma omp single
        sum++;
        has_left = omp_get_thread_num() > 0;
    }
#pragma omp parallel num_threads(2)
    {
        has_left = 0;
#pragma omp for schedule(guided)
        for (int i = 0; i < 100; i++)
            __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
        has_left = omp_get_thread_num() > 0;
    }
}

int main(int count, char **arguments)
{
    int seconds = count > 1 ? atoi(arguments[1]) : 2;
    struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
    pthread_key_create(&end_of_thread, forget);
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    if (!api || request(OMP_REQ_START, NULL, 0) != OMP_ERRCODE_OK) {
        fprintf(stderr, "signal_queries: no collector interface, or START refused: is libora.so preloaded?\n");
        return 2;
    }
    for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_ATWT; event++) {
        struct {
            int event;
            OMP_COLLECTORAPI_CALLBACK call;
        } input = {event, seen};
        int code = request(OMP_REQ_REGISTER, &input, sizeof input);
        if (code != OMP_ERRCODE_OK && code != OMP_ERRCODE_UNSUPPORTED) {
            fprintf(stderr, "signal_queries: REGISTER of event %d answers %d\n", event, code);
            return 2;
        }
    }
    omp_init_lock(&lock);
    sigaction(SIGUSR1, &action, NULL);
    if (seconds)
        interrupt_me();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t end = now.tv_sec + seconds;
    do {
        pass(seconds > 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end);
    signal(SIGUSR1, SIG_IGN);
    printf("%lu events; samples by state:", events);
    for (int state = 1; state < THR_LAST_STATE; state++)
        if (answers[state])
            printf(" %d: %lu", state, answers[state]);
    printf("\n");
    if (wrong)
        printf("%lu answers can't be true, the first: %s\n", wrong, first_wrong);
    return wrong != 0;
}
