/*
 * The artificial benchmark of the OPARI task paper of 2010 (section 8.1): every thread creates many tasks, each of which
 * adds one to an integer.
 *
 *     increments THREADS TASKS          prints the nanoseconds that a thread needs for each of its tasks
 *     increments waited THREADS TASKS   the same with a taskwait after every 32nd, so that all are queued
 *     increments queued THREADS         prints the bytes that libgomp's malloc holds for a task that waits in the queue
 *     increments growth THREADS TASKS   prints the bytes that the process grows by per million tasks
 */
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long done;
#pragma omp threadprivate(done)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The measured part, also for callgrind. Returns the number of tasks that have run. */
__attribute__((noinline, noclone)) static long measured(int threads, long tasks)
{
    long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        done = 0;
        for (long i = 0; i < tasks; i++) {
#pragma omp task
            done++;
        }
#pragma omp barrier
        sum += done;
    }
    return sum;
}

/* libgomp queues 64 tasks for each thread; further ones run immediately. */
__attribute__((noinline, noclone)) static long waited(int threads, long tasks)
{
    long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        done = 0;
        for (long i = 1; i <= tasks; i++) {
#pragma omp task
            done++;
            if (i % 32 == 0) {
#pragma omp taskwait
            }
        }
#pragma omp barrier
        sum += done;
    }
    return sum;
}

static long bytes_resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(3);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Queues tasks while no thread can run them: the other members wait outside of OpenMP. */
static double queued(int threads)
{
    /* libgomp runs a task immediately if 64 tasks for each thread are queued. */
    const int tasks = 32 * threads;
    int go_on = 0;
    double each = 0;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
            struct mallinfo2 before = mallinfo2();
            for (int i = 0; i < tasks; i++) {
#pragma omp task
                done++;
            }
            struct mallinfo2 after = mallinfo2();
            each = (double)(after.uordblks - before.uordblks) / tasks;
            __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
        } else {
            while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
                usleep(100);
        }
    }
    return each;
}

int main(int count, char **arguments)
{
    if (count == 3 && !strcmp(arguments[1], "queued")) {
        /* For the first allocations of libgomp itself. */
        queued(atoi(arguments[2]));
        printf("%.1f\n", queued(atoi(arguments[2])));
        return 0;
    }
    if (count == 4 && !strcmp(arguments[1], "growth")) {
        int threads = atoi(arguments[2]);
        long tasks = atol(arguments[3]) / threads;
        measured(threads, tasks / 10);
        long before = bytes_resident();
        measured(threads, tasks);
        printf("%.1f\n", (double)(bytes_resident() - before) / ((double)tasks * threads / 1e6));
        return 0;
    }
    long (*run)(int, long) = measured;
    if (count == 4 && !strcmp(arguments[1], "waited")) {
        run = waited;
        arguments++;
        count--;
    }
    if (count != 3) {
        fprintf(stderr, "increments [waited] THREADS TASKS | queued THREADS | growth THREADS TASKS\n");
        return 2;
    }
    int threads = atoi(arguments[1]);
    long tasks = atol(arguments[2]);
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
    double begun = now();
    long sum = run(threads, tasks);
    double each = (now() - begun) / (double)tasks;
    if (sum != tasks * threads) {
        fprintf(stderr, "increments: %ld tasks have run, not %ld\n", sum, tasks * threads);
        return 1;
    }
    printf("%.3f\n", each);
    return 0;
}
