/* Races of several kinds, by definition: -DCHUNKS between chunks of one thread, -DNUMBER by the thread's number, -DTEAMS between
   teams, -DCHILD in a forked child, -DCREATOR a task and its creator, -DMUTEX beside a critical section; -DCLEAN: none. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long slot[64], total;

static void set(long *place, long value) { *place = value; }
static void (*volatile hidden)(long *, long) = set;

static void chunks(void) {
    long mine = 0;
#pragma omp parallel for schedule(dynamic) num_threads(1) firstprivate(mine)
    for (int i = 0; i < 20; i++) {
        hidden(&mine, i);
#ifndef CLEAN
        hidden(&total, i);
#endif
    }
}

static void by_number(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
        slot[omp_get_thread_num()] += 1;
    }
}

static void teams(void) {
#pragma omp target teams map(tofrom : total)
#pragma omp parallel num_threads(1)
    {
#ifdef CLEAN
#pragma omp atomic
#endif
        total++;
    }
}

static int child(void) {
    int status = 0;
    pid_t pid;
#pragma omp parallel num_threads(1)
    slot[omp_get_thread_num()]++;
    pid = fork();
    if (pid == 0) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
#pragma omp task
        slot[0]++;
        exit(slot[0] == 2 ? 4 : 9);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void creator(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
    {
        long *place = &slot[9];
#pragma omp task firstprivate(place)
        hidden(place, 1);
#ifdef CLEAN
#pragma omp taskwait
#endif
        total += *place;
    }
}

static void mutex(void) {
    static int turn;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            total++;
            __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
        } else {
            while (!__atomic_load_n(&turn, __ATOMIC_RELAXED))
                usleep(100);
            total++;
        }
    }
}

int main(void) {
#if defined CHUNKS
    chunks();
#elif defined NUMBER
    by_number();
#elif defined TEAMS
    teams();
#elif defined CHILD
    return child();
#elif defined CREATOR
    creator();
#elif defined MUTEX
    mutex();
#endif
    (void)chunks, (void)by_number, (void)teams, (void)child, (void)creator, (void)mutex;
    return 0;
}
