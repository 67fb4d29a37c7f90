// Work that is measured by the threads' own CPU clocks: serial, in an uneven loop (2 to 1), in an even one; and sleep in regions.
// Says, in seconds: CPU time of each of the three, all the sleep, and the program's CPU time.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double clock_s(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline, noclone)) static double work(double seconds) {
  double begin = clock_s(CLOCK_THREAD_CPUTIME_ID), now;
  do
    for (volatile int i = 0; i < 20000; i++)
      ;
  while ((now = clock_s(CLOCK_THREAD_CPUTIME_ID)) < begin + seconds);
  return now - begin;
}

__attribute__((noinline, noclone)) static double uneven(void) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += work(omp_get_thread_num() ? 0.015 : 0.03);
  return sum;
}

__attribute__((noinline, noclone)) static double even(void) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += work(0.02);
  return sum;
}

__attribute__((noinline, noclone)) static double asleep(void) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    double begin = clock_s(CLOCK_MONOTONIC);
    nanosleep(&(struct timespec){0, 100000000}, 0);
    sum += clock_s(CLOCK_MONOTONIC) - begin;
  }
  return sum;
}

int main(void) {
  double in_uneven = 0, in_even = 0, in_sleep = 0, serial = work(0.15);
  for (int i = 0; i < 10; i++)
    in_uneven += uneven();
  for (int i = 0; i < 2; i++)
    in_sleep += asleep();
  for (int i = 0; i < 10; i++)
    in_even += even();
  printf("%f %f %f %f %f\n", serial, in_uneven, in_even, in_sleep, clock_s(CLOCK_PROCESS_CPUTIME_ID));
}
