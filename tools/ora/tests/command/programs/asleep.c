// Sleeps outside of regions, between them and before serial work, beside a thread that works and sleeps but never uses OpenMP. Prints, in
// seconds: how long the program slept, regions ran, and the other thread ran; and whether a sleep was cut short.
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static double now_s(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline, noclone)) static double work(double seconds) {
  double begin = now_s(CLOCK_THREAD_CPUTIME_ID), now;
  do
    for (volatile int i = 0; i < 20000; i++)
      ;
  while ((now = now_s(CLOCK_THREAD_CPUTIME_ID)) < begin + seconds);
  return now - begin;
}

static int interrupted;

static double nap(double seconds) {
  struct timespec t = {(long)seconds, (long)((seconds - (long)seconds) * 1e9)};
  double begin = now_s(CLOCK_MONOTONIC);
  if (nanosleep(&t, NULL) && errno == EINTR)
    interrupted++;
  return now_s(CLOCK_MONOTONIC) - begin;
}

static double beside;

static void *other(void *argument) {
  for (int i = 0; i < 4; i++) {
    beside += work(0.05);
    nap(0.2);
  }
  return argument;
}

int main(void) {
  double slept = 0, worked = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  for (int i = 0; i < 3; i++) {
    slept += nap(0.3);
#pragma omp parallel num_threads(2) reduction(+ : worked)
    worked += work(0.1);
    slept += nap(0.2);
    work(0.05);
  }
  pthread_join(thread, NULL);
  printf("%f %f %f %d\n", slept, worked, beside, interrupted);
}
