/*
 * Measures the cost of an OMPT tool's queries on one thread. The program makes them, by the entry points that its tool has
 * got. Compiled by gcc for libgomp and by clang for libomp.
 *
 *     queries time BATCHES NAMES    a line "NAME NANOSECONDS" a query: the quickest of so many short batches
 *     queries run COUNT NAME        makes one query so many times, for instruction counts
 *
 * A name ends in the place of the query: _outside of all regions, or _inside one, by the first of two threads while the other
 * waits outside of OpenMP.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

typedef void function(void);

/* Signature of each query: those of OpenMP 5, then those of Technical Report 2. */
static int nothing(uint64_t *wait)
{
    __asm__ volatile("" : : "r"(wait) : "memory");
    return 0;
}

static function *entry;
static uint64_t wait_id, *data, *region;
static int flags, size, number;
static void *frame;

static void ask_nothing(void)
{
    int (*volatile ask)(uint64_t *) = nothing;
    ask(&wait_id);
}

static void ask_state(void)
{
    ((int (*)(uint64_t *))entry)(&wait_id);
}

static void ask_parallel_info(void)
{
    ((int (*)(int, uint64_t **, int *))entry)(0, &region, &size);
}

static void ask_task_info(void)
{
    ((int (*)(int, int *, uint64_t **, void **, uint64_t **, int *))entry)(0, &flags, &data, &frame, &region, &number);
}

static void ask_thread_data(void)
{
    data = ((uint64_t *(*)(void))entry)();
}

static void ask_at_level_0(void)
{
    wait_id = ((uint64_t (*)(int))entry)(0);
}

static const struct {
    const char *name, *entry;
    function *ask;
} questions[] = {
    {"nothing", NULL, ask_nothing},
    {"state", "ompt_get_state", ask_state},
    {"parallel_info", "ompt_get_parallel_info", ask_parallel_info},
    {"task_info", "ompt_get_task_info", ask_task_info},
    {"thread_data", "ompt_get_thread_data", ask_thread_data},
    {"parallel_id", "ompt_get_parallel_id", ask_at_level_0},
    {"task_id", "ompt_get_task_id", ask_at_level_0},
    {"task_frame", "ompt_get_task_frame", ask_at_level_0},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static double once(int which, long n)
{
    function *ask = questions[which].ask;
    double begun = now();
    for (long i = 0; i < n; i++)
        ask();
    return (now() - begun) / (double)n;
}

static void answer(const char *task, const char *name, const char *count, int which)
{
    if (!strcmp(task, "run"))
        once(which, atol(count));
    else
        printf("%s %.3f\n", name, quickest(once, which, atoi(count)));
}

/* In a region of two threads, the other of which waits outside of OpenMP. */
static void answer_inside(const char *task, const char *name, const char *count, int which)
{
    static sem_t over;
    sem_init(&over, 0, 0);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            answer(task, name, count, which);
            sem_post(&over);
        } else {
            while (sem_wait(&over)) {
            }
        }
    }
}

int main(int count, char **arguments)
{
    const char *task = count > 3 ? arguments[1] : "";
    function *(*find)(const char *);
    int found = 0;
    *(void **)&find = dlsym(RTLD_DEFAULT, "bench_entry_point");
    /* Starts the runtime, and its tool with it. */
#pragma omp parallel num_threads(1)
    __asm__ volatile("" ::: "memory");
    for (int i = 3; find && i < count; i++)
        for (int j = 0; j < QUESTIONS; j++) {
            size_t length = strlen(questions[j].name);
            const char *place = arguments[i] + length;
            if (strncmp(arguments[i], questions[j].name, length) || (strcmp(place, "_inside") && strcmp(place, "_outside")))
                continue;
            entry = questions[j].entry ? find(questions[j].entry) : NULL;
            if (questions[j].entry && !entry)
                continue;
            found++;
            (strcmp(place, "_inside") ? answer : answer_inside)(task, arguments[i], arguments[2], j);
        }
    if (found && found == count - 3)
        return 0;
    fprintf(stderr, "queries: time BATCHES NAMES | run COUNT NAME (with a tool that has got those entry points)\n");
    return 2;
}
