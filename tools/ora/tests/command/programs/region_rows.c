/* Regions whose truth the program measures itself. For each place it prints: the line, how often, and in nanoseconds the
   work of all threads, the sum of (max - own CPU time) over them, as far as they wait at the barrier, and the sum of (max -
   mean), by instance; then the last two once more, with the time that the first thread took to make the team in its work. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 2 };

struct truth {
    int line;
    long count, work, imbalance[2], gain[2];
};

static long share[THREADS], ran[THREADS], arrived[THREADS], forked, setup;

static long now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Works for this much CPU time, however long it takes. */
static void spin(long ns)
{
    for (long begin = now(CLOCK_THREAD_CPUTIME_ID); now(CLOCK_THREAD_CPUTIME_ID) - begin < ns;) {
    }
}

static void work(long ns)
{
    int me = omp_get_thread_num();
    long begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
    if (forked && me == 0) {
        setup = cpu - forked;
        forked = 0;
    }
    spin(ns);
    ran[me] += now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    arrived[me] = now(CLOCK_MONOTONIC);
    share[me] += arrived[me] - begin;
}

static void fork_now(void)
{
    forked = now(CLOCK_THREAD_CPUTIME_ID);
}

/* Called at the end of an instance or of one of its phases. */
static void book(struct truth *truth, int count)
{
    long end = now(CLOCK_MONOTONIC);
    for (int with = 0; with < 2; with++) {
        long sum = 0, max = 0, waited = 0, longest = 0;
        for (int i = 0; i < THREADS; i++) {
            long own = ran[i] + (with && i == 0 ? setup : 0);
            sum += own;
            long wait = arrived[i] ? end - arrived[i] : 0;
            if (own > max) {
                max = own;
                longest = wait;
            }
            waited += wait;
            truth->work += with ? 0 : share[i];
        }
        long uneven = THREADS * max - sum;
        /* The thread that runs longest doesn't wait for it. */
        uneven = uneven < waited - longest ? uneven : waited - longest;
        truth->imbalance[with] += uneven;
        truth->gain[with] += uneven / THREADS;
    }
    truth->count += count;
    setup = 0;
    memset(share, 0, sizeof share);
    memset(ran, 0, sizeof ran);
    memset(arrived, 0, sizeof arrived);
}

static void print(struct truth truth)
{
    printf("%d %ld %ld %ld %ld %ld %ld\n", truth.line, truth.count, truth.work, truth.imbalance[0], truth.gain[0],
           truth.imbalance[1], truth.gain[1]);
}

/* Number of shares of work for this thread. */
static long shares(const char *how, int instance)
{
    int thread = omp_get_thread_num();
    if (!strcmp(how, "even"))
        return 2;
    if (!strcmp(how, "primary"))
        return thread == 0 ? 3 : 1;
    if (!strcmp(how, "worker"))
        return thread == THREADS - 1 ? 3 : 1;
    /* Each thread once in three instances: sums by thread over the instances show nothing. */
    return thread == instance % THREADS ? 3 : 1;
}

static void loop(const char *how, int times, long ns)
{
    struct truth truth = {0};
    for (int i = 0; i < times; i++) {
        truth.line = __LINE__ + 2;
        fork_now();
#pragma omp parallel num_threads(THREADS)
        work(shares(how, i) * ns);
        book(&truth, 1);
    }
    print(truth);
}

/* Each of two phases is uneven, but the sum of both is even. */
static void phases(int times, long ns)
{
    struct truth truth = {0};
    for (int i = 0; i < times; i++) {
        truth.line = __LINE__ + 2;
        fork_now();
#pragma omp parallel num_threads(THREADS)
        {
            int first = omp_get_thread_num() == 0;
            work(first ? 3 * ns : ns);
#pragma omp barrier
#pragma omp single
            book(&truth, 1);
            work(first ? ns : 3 * ns);
        }
        book(&truth, 0);
    }
    print(truth);
}

static void two(long ns)
{
    struct truth one = {0}, other = {0};
    for (int i = 0; i < 12; i++) {
        one.line = __LINE__ + 2;
        fork_now();
#pragma omp parallel num_threads(THREADS)
        work(omp_get_thread_num() == 1 ? 4 * ns : ns);
        book(&one, 1);
        if (i % 2)
            continue;
        other.line = __LINE__ + 2;
        fork_now();
#pragma omp parallel num_threads(THREADS)
        work(ns);
        book(&other, 1);
    }
    print(one);
    print(other);
}

static void tiny(int times)
{
    int line = 0, sum = 0;
    for (int i = 0; i < times; i++) {
        line = __LINE__ + 1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
    }
    printf("%d %d 0 0 0 0 0\n", line, sum / 2);
}

/* One thread creates all tasks, and the others execute them in the barrier. */
static void tasks(long ns)
{
    struct truth truth = {.line = __LINE__ + 2};
    fork_now();
#pragma omp parallel num_threads(THREADS)
#pragma omp single nowait
    for (int i = 0; i < 60; i++) {
#pragma omp task
        work(ns);
    }
    book(&truth, 1);
    print(truth);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "even";
    const long ns = 2000000;
    if (!strcmp(how, "two"))
        two(ns);
    else if (!strcmp(how, "phases"))
        phases(8, ns);
    else if (!strcmp(how, "tiny"))
        tiny(20000);
    else if (!strcmp(how, "tasks"))
        tasks(ns);
    else
        loop(how, 15, ns);
    return 0;
}
