/* Loops and sections whose chunks are reported to a tool. Argument: which one. Each prints its number of executed iterations. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "older_names.h"

static long executed;

#define COUNT                                    \
    do {                                         \
        _Pragma("omp atomic") executed++;        \
    } while (0)

static void down(void) {
    int i;
#pragma omp parallel for num_threads(2) schedule(dynamic, 2)
    for (i = 10; i > 0; i--) COUNT;
}

static void step(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2)
    for (i = 0; i < 10; i += 3) COUNT;
}

static void step_down(void) {
    long i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2)
    for (i = 100; i >= -3; i -= 7) COUNT;
}

static void combined(void) {
    long i;
#pragma omp parallel for num_threads(2) schedule(dynamic, 3)
    for (i = -20; i < 20; i += 4) COUNT;
}

static void wide(void) {
    long i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2)
    for (i = LONG_MIN / 2 - 1; i < LONG_MAX / 2 + 2; i += LONG_MAX / 8) COUNT;
}

static void ull(void) {
    unsigned long long i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2)
    for (i = 7; i < 30; i += 5) COUNT;
}

static void ull_down(void) {
    unsigned long long i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2)
    for (i = 10; i > 1; i -= 2) COUNT;
}

static void ull_wide(void) {
    unsigned long long i;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 1)
    for (i = 5; i < ULLONG_MAX / 2 + 9; i += ULLONG_MAX / 8) COUNT;
}

static void collapse(void) {
    int i, j;
#pragma omp parallel num_threads(2)
#pragma omp for collapse(2) schedule(dynamic, 4)
    for (i = 0; i < 3; i++)
        for (j = 9; j > 0; j -= 3) COUNT;
}

static void ordered(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(dynamic, 2)
    for (i = 9; i > 0; i -= 2) {
#pragma omp ordered
        executed++;
    }
}

static void chain(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(dynamic, 2)
    for (i = 9; i > 0; i -= 2) {
#pragma omp ordered depend(sink : i + 2)
        executed++;
#pragma omp ordered depend(source)
    }
}

/* gcc passes the iterations of each loop to its runtime, clang those of the outermost one. */
static void doacross(void) {
    int i, j;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(2) schedule(dynamic, 2)
    for (i = 0; i < 3; i++)
        for (j = 4; j > 0; j--) {
#pragma omp ordered depend(sink : i - 1, j)
            COUNT;
#pragma omp ordered depend(source)
        }
}

static void doacross_collapsed(void) {
    int i, j;
    unsigned long long k;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(3) collapse(2) schedule(dynamic, 5)
    for (i = 0; i < 3; i++)
        for (j = 0; j < 4; j++)
            for (k = 0; k < 6; k += 3) {
#pragma omp ordered depend(sink : i - 1, j, k)
                COUNT;
#pragma omp ordered depend(source)
            }
}

static void taskloop(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(3)
    for (i = 20; i > 0; i -= 3) COUNT;
}

static void taskloop_ull(void) {
    unsigned long long i;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(4)
    for (i = 20; i > 3; i--) COUNT;
}

/* Each chunk is executed where the construct is encountered. */
static void taskloop_at_once(void) {
    int i, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(3) if (0) reduction(+ : sum)
    for (i = -10; i < 10; i += 2) {
        COUNT;
        sum++;
    }
    if (sum != 10) executed = -1;
}

static void __attribute__((noinline)) three_sections(void) {
#pragma omp parallel num_threads(2)
#pragma omp sections
    {
        COUNT;
#pragma omp section
        COUNT;
#pragma omp section
        COUNT;
    }
}

/* The same sections twice. */
static void sections(void) {
    three_sections();
    three_sections();
}

static void parallel_sections(void) {
#pragma omp parallel sections num_threads(2)
    {
        COUNT;
#pragma omp section
        COUNT;
#pragma omp section
        COUNT;
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*act)(void);
    } parts[] = {
        {"down", down},
        {"step", step},
        {"step_down", step_down},
        {"combined", combined},
        {"wide", wide},
        {"ull", ull},
        {"ull_down", ull_down},
        {"ull_wide", ull_wide},
        {"collapse", collapse},
        {"ordered", ordered},
        {"chain", chain},
        {"doacross", doacross},
        {"doacross_collapsed", doacross_collapsed},
        {"taskloop", taskloop},
        {"taskloop_ull", taskloop_ull},
        {"taskloop_at_once", taskloop_at_once},
        {"sections", sections},
        {"parallel_sections", parallel_sections},
    };
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) parts[i].act();
    printf("%ld\n", executed);
    return 0;
}
