// Work that is split by construction, by the first argument, for so many seconds of CPU time in all. Says of each of the
// functions `a`, `b` and `c` where its code is and how much CPU time it took, and then of two threads how much each had.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORK(name)                                                                                                     \
  extern char __start_code_##name[], __stop_code_##name[];                                                             \
  __attribute__((noinline, noclone, section("code_" #name))) void name(long steps) {                                   \
    for (volatile long i = 0; i < steps; i++)                                                                          \
      ;                                                                                                                \
  }
WORK(a)
WORK(b)
WORK(c)

static void (*const functions[3])(long) = {a, b, c};
static double took[3], had[2];
static double total;

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Runs the work of a function in this many pieces, whose irregular lengths can't be in step with samples.
static void pieces(int which, int count, unsigned *seed) {
  double begin = cpu_s();
  while (count--)
    functions[which](50000 + rand_r(seed) % 100000);
  double time = cpu_s() - begin;
#pragma omp atomic
  took[which] += time;
#pragma omp atomic
  total += time;
}

static int goes_on(double seconds) {
  double now;
#pragma omp atomic read
  now = total;
  return now < seconds;
}

// 70 % and 30 % of each thread's work.
static void both(int times, unsigned *seed) {
  while (times--) {
    pieces(0, 7, seed);
    pieces(1, 3, seed);
  }
}

// One thread has a quarter of the work.
static void threads(double seconds) {
#pragma omp parallel num_threads(2)
  {
    unsigned seed = 1 + omp_get_thread_num();
    double begin = cpu_s();
    for (int more = 1; more;) {
      both(omp_get_thread_num() ? 30 : 10, &seed);
      // All threads see the same time before any of them goes on.
#pragma omp barrier
      more = goes_on(seconds);
#pragma omp barrier
    }
    had[omp_get_thread_num()] = cpu_s() - begin;
  }
}

// One inner team has a quarter of the work.
static void nested(double seconds) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int round = 0, more = 1; more; round++) {
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      unsigned seed = 4 * round + 2 * outer + omp_get_thread_num();
      pieces(outer, outer ? 300 : 100, &seed);
    }
#pragma omp barrier
    more = goes_on(seconds);
#pragma omp barrier
  }
}

// Each level does twice the work of the level around it.
static void deeper(int level, unsigned *seed) {
#pragma omp parallel num_threads(1)
  {
    pieces(level, 10 << level, seed);
    if (level < 2)
      deeper(level + 1, seed);
  }
}

static void recursion(double seconds) {
  omp_set_max_active_levels(3);
  for (unsigned seed = 7; goes_on(seconds);)
    deeper(0, &seed);
}

// Tasks from two constructs.
static void tasks(double seconds) {
  while (goes_on(seconds)) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (unsigned i = 0; i < 20; i++) {
#pragma omp task firstprivate(i)
      pieces(0, 7, &i);
#pragma omp task firstprivate(i)
      pieces(1, 3, &i);
    }
  }
}

int main(int count, char **words) {
  if (count < 3)
    return 2;
  double seconds = atof(words[2]);
  if (!strcmp(words[1], "threads"))
    threads(seconds);
  if (!strcmp(words[1], "nested"))
    nested(seconds);
  if (!strcmp(words[1], "recursion"))
    recursion(seconds);
  if (!strcmp(words[1], "tasks"))
    tasks(seconds);
  printf("%p %p %f\n", (void *)__start_code_a, (void *)__stop_code_a, took[0]);
  printf("%p %p %f\n", (void *)__start_code_b, (void *)__stop_code_b, took[1]);
  printf("%p %p %f\n", (void *)__start_code_c, (void *)__stop_code_c, took[2]);
  printf("%f %f\n", had[0], had[1]);
  return 0;
}
