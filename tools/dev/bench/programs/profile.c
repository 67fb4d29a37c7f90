/*
 * Programs to be sampled. Each prints the time of its own work, so that a profiler's work before and after is separate.
 *
 *     profile NAME calibrate MS     prints COUNT SPINS: so much work takes so many milliseconds
 *     profile NAME run COUNT SPINS  runs it and prints its wall-clock time and its threads' CPU time, in ns
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* How often the loop below runs in a microsecond. */
static long spins;
static volatile double sink;

static __attribute__((noinline)) void work(double us)
{
    double x = 1;
    for (long i = 0, end = (long)(us * (double)spins); i < end; i++)
        x = x * 0.999 + 1;
    sink = x;
}

/* Nothing but regions. */
static void regions(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel
        __asm__ volatile("" ::: "memory");
    }
}

/* A hundred microseconds on each thread. */
static void region_work(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel
        work(100);
    }
}

/* About 100,000 regions in a second. */
static void often(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel
        __asm__ volatile("" ::: "memory");
        work(8);
    }
}

static void barriers(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
        work(1);
#pragma omp barrier
    }
}

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(long n)
{
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < n; i++)
        sink = (double)fib(12);
}

/* A stencil whose rows don't fit into the nearer caches. */
enum { ROWS = 512, COLUMNS = 2048 };
static double grid[2][ROWS][COLUMNS];

static void stencil(long n)
{
    for (long step = 0; step < n; step++) {
        double(*from)[COLUMNS] = grid[step % 2], (*to)[COLUMNS] = grid[(step + 1) % 2];
#pragma omp parallel for
        for (int i = 1; i < ROWS - 1; i++)
            for (int j = 1; j < COLUMNS - 1; j++)
                to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) + 1;
    }
    sink = grid[0][ROWS / 2][COLUMNS / 2];
}

/* As in the STREAM benchmark: three vectors, each larger than the caches. */
enum { LENGTH = 1 << 22 };
static double vectors[3][LENGTH];

static void triad(long n)
{
    double *a = vectors[0], *b = vectors[1], *c = vectors[2];
    for (long step = 0; step < n; step++) {
#pragma omp parallel for
        for (int i = 0; i < LENGTH; i++)
            a[i] = b[i] + 3 * c[i];
    }
    sink = a[LENGTH / 2];
}

static const struct {
    const char *name;
    void (*run)(long n);
} programs[] = {{"regions", regions}, {"region_work", region_work}, {"often", often},
                {"barriers", barriers}, {"tasks", tasks}, {"stencil", stencil}, {"triad", triad}};

int main(int argc, char **argv)
{
    void (*run)(long) = NULL;
    for (size_t i = 0; argc > 3 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            run = programs[i].run;
    if (!run)
        return 2;
    if (strcmp(argv[2], "calibrate") == 0) {
        double ns = atof(argv[3]) * 1e6, took = 0, begun;
        long n = 1;
        spins = 1000;
        begun = now(CLOCK_MONOTONIC);
        work(10000);
        spins = (long)(1000 * 1e7 / (now(CLOCK_MONOTONIC) - begun));
        regions(100);
        for (; took < ns / 10; n *= 2) {
            begun = now(CLOCK_MONOTONIC);
            run(n);
            took = now(CLOCK_MONOTONIC) - begun;
        }
        n = (long)((double)(n / 2) * ns / took);
        printf("%ld %ld\n", n > 0 ? n : 1, spins);
        return 0;
    }
    spins = argc > 4 ? atol(argv[4]) : 1000;
    /* Creates the team before the time is taken. */
    regions(1);
    double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    run(atol(argv[3]));
    printf("%.0f %.0f\n", now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    return 0;
}
