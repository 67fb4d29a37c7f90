// Work and waits whose CPU time, in seconds, the program measures itself.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define IN(section_name) __attribute__((noinline, noclone, section(#section_name)))
extern char __start_work_code[], __stop_work_code[];

static double now_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double process_s(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + 1e-6 * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void nap(double seconds) {
  struct timespec t = {0, (long)(seconds * 1e9)};
  while (nanosleep(&t, &t))
    ;
}

IN(work_code) void steps(long count) {
  for (volatile long i = 0; i < count; i++)
    ;
}

// Returns the CPU time that the work took.
static double work(double seconds) {
  double begin = now_s(CLOCK_THREAD_CPUTIME_ID), now;
  do
    steps(20000);
  while ((now = now_s(CLOCK_THREAD_CPUTIME_ID)) < begin + seconds);
  return now - begin;
}

// Nested teams: libgomp creates and ends their threads.
static double teams(void) {
  double worked = 0;
  omp_set_max_active_levels(2);
  for (int i = 0; i < 150; i++) {
#pragma omp parallel num_threads(2) reduction(+ : worked)
#pragma omp parallel num_threads(2) reduction(+ : worked)
    worked += work(0.001);
  }
  return worked;
}

// One thread works, and then waits three times as long for the other one, which has nothing to do. `waited` is wall-clock time.
static double waits(double *waited) {
  double worked = 0;
  static atomic_int done;
#pragma omp parallel num_threads(2)
  for (int i = 1; i <= 30; i++) {
    if (omp_get_thread_num() == 0) {
      worked += work(0.006);
      double begin = now_s(CLOCK_MONOTONIC);
      done = i;
#pragma omp barrier
      *waited += now_s(CLOCK_MONOTONIC) - begin;
    } else {
      while (done < i)
        nap(0.0002);
      nap(0.018);
#pragma omp barrier
    }
  }
  return worked;
}

int main(int argc, char **argv) {
  double waited = 0, begin = process_s();
  double worked = argc > 1 && !strcmp(argv[1], "teams") ? teams() : waits(&waited);
  printf("%p %p %.6f %.6f %.6f\n", (void *)__start_work_code, (void *)__stop_work_code, worked, waited,
         process_s() - begin);
  return 0;
}
