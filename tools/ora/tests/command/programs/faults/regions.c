/* Regions that are too small, teams, and code between regions. */
#include "faults.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

/* A region for a microsecond of work. */
OUTLINED static void small_regions(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms * 400; round++) {
#pragma omp parallel for reduction(+ : sum) if (!mended)
        for (int i = 0; i < 4; i++)
            sum += work(0.02);
    }
    sink = sum;
}

/* Four of them, one after the other. */
OUTLINED static void many_small(long ms, int mended) {
    static double field[64];
    for (long round = 0; round < ms * 100; round++)
        for (int part = 0; part < 4; part++) {
#pragma omp parallel for if (!mended)
            for (int i = 0; i < 4; i++)
                field[part * 16 + i] += work(0.02);
        }
    sink = field[7];
}

/* Half of the time is one thread's, between regions. */
OUTLINED static void between(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms; round++) {
        if (mended) {
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < 8; i++)
                sum += work(62);
        } else {
            sum += work(500);
        }
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += work(125);
    }
    sink = sum;
}

/* Few regions among long serial code. */
OUTLINED static void mostly_serial(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 10; round++) {
        if (mended) {
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < 8; i++)
                sum += work(1000);
        } else {
            sum += work(8000);
        }
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += work(500);
    }
    sink = sum;
}

/* More threads than processors. */
OUTLINED static void crowded(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms / 10; round++) {
#pragma omp parallel for num_threads((mended ? 1 : 4) * omp_get_num_procs()) reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += work(50);
    }
    sink = sum;
}

/* Two initial threads, each with a team for all processors. */
struct team {
    long ms;
    int threads;
};

static void *one_of_two(void *of) {
    struct team *team = of;
    double sum = 0;
    for (long round = 0; round < team->ms / 10; round++) {
#pragma omp parallel for num_threads(team->threads) reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += work(25);
    }
    sink = sum;
    return NULL;
}

OUTLINED static void two_teams(long ms, int mended) {
    pthread_t threads[2];
    struct team team = {ms, mended ? 1 : omp_get_num_procs()};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, one_of_two, &team);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* A team inside of each thread of a team, made and ended each time. */
OUTLINED static void nested(long ms, int mended) {
    double sum = 0;
    omp_set_max_active_levels(mended ? 1 : 2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (long round = 0; round < ms * 5; round++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += work(20);
    }
    sink = sum;
}

/* Teams of another size each time: the threads beyond the smaller one end. */
OUTLINED static void team_sizes(long ms, int mended) {
    double sum = 0;
    for (long round = 0; round < ms * 5; round++) {
#pragma omp parallel for num_threads(mended ? 2 : 2 + round % 2) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += work(20);
    }
    sink = sum;
}

static void *outside(void *until) {
    double sum = 0;
    while (!*(volatile int *)until)
        sum += work(100);
    sink = sum;
    return NULL;
}

/* Idle threads that spin, where OMP_WAIT_POLICY=active, and a thread without OpenMP that has work. */
OUTLINED static void spinning(long ms, int mended) {
    (void)mended;
    int until = 0;
    double sum = 0;
    pthread_t other;
    pthread_create(&other, NULL, outside, &until);
    for (long round = 0; round < ms / 20; round++) {
#pragma omp parallel reduction(+ : sum)
        sum += work(1000);
        sum += work(9000);
    }
    until = 1;
    pthread_join(other, NULL);
    sink = sum;
}

/* Threads that move between two processors all the time: here another thread says where they may run. */
struct moved {
    volatile int until;
    int tids[2];
};

static void *move(void *of) {
    struct moved *moved = of;
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    for (int round = 0; !moved->until; round++) {
        int number = 0;
        for (int cpu = 0; cpu < CPU_SETSIZE && number < 2; cpu++)
            if (CPU_ISSET(cpu, &all)) {
                CPU_ZERO(&one);
                CPU_SET(cpu, &one);
                sched_setaffinity(moved->tids[(number++ + round) % 2], sizeof one, &one);
            }
        usleep(150);
    }
    for (int i = 0; i < 2; i++)
        sched_setaffinity(moved->tids[i], sizeof all, &all);
    return NULL;
}

OUTLINED static void moving(long ms, int mended) {
    double sum = 0;
    pthread_t mover;
    struct moved moved = {0};
#pragma omp parallel num_threads(2)
    moved.tids[omp_get_thread_num()] = gettid();
    if (!mended)
        pthread_create(&mover, NULL, move, &moved);
    for (long round = 0; round < ms / 5; round++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < 400; i++)
            sum += work(50);
    }
    moved.until = 1;
    if (!mended)
        pthread_join(mover, NULL);
    sink = sum;
}

const struct planted regions[] = {
    {"small_regions", small_regions}, {"many_small", many_small}, {"between", between},
    {"mostly_serial", mostly_serial}, {"crowded", crowded},       {"two_teams", two_teams},
    {"nested", nested},               {"team_sizes", team_sizes}, {"spinning", spinning},
    {"moving", moving},
    {NULL, NULL},
};
