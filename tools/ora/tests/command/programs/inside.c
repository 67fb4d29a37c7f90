// Locks without contention, in turn with other work. Prints how much CPU time the threads took for each.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline, noclone)) static void work(long steps) {
  for (volatile long i = 0; i < steps; i++)
    ;
}

int main(void) {
  double locked = 0, worked = 0;
#pragma omp parallel num_threads(2) reduction(+ : locked, worked)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (double begin = cpu_s(); cpu_s() < begin + 0.8;) {
      double before = cpu_s();
      for (int i = 0; i < 100000; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
      }
      double between = cpu_s();
      // Takes about as long: the loop around the calls counts as work but is only a small part of this.
      work(6000000);
      locked += between - before;
      worked += cpu_s() - between;
    }
    omp_destroy_lock(&lock);
  }
  printf("%f %f\n", locked, worked);
}
