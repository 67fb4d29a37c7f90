// Regions whose work is even or not, by the first argument, of so many threads (the second), on one processor where there is a
// third. Says, in seconds, what each of the threads ran in all regions, the longest one's and the mean, by instance, summed.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline, noclone)) static double work(double seconds) {
  double begin = cpu_s(), now;
  do
    for (volatile int i = 0; i < 20000; i++)
      ;
  while ((now = cpu_s()) < begin + seconds);
  return now - begin;
}

int main(int argc, char **argv) {
  int threads = argc > 2 ? atoi(argv[2]) : 2;
  const char *how = argc > 1 ? argv[1] : "even";
  if (argc > 3) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0, kept = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &set) && kept++)
        CPU_CLR(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  double longest = 0, mean = 0;
  for (int i = 0; i < 8; i++) {
    double max = 0, sum = 0;
#pragma omp parallel num_threads(threads) reduction(max : max) reduction(+ : sum)
    {
      int me = omp_get_thread_num();
      // With "round" the thread with the longest share changes each time; with "random" the numbers below choose it.
      static const int fallen[] = {3, 1, 4, 1, 5, 9, 2, 6};
      int first = !strcmp(how, "round") ? i % threads : !strcmp(how, "random") ? fallen[i] % threads : 0;
      max = sum = work(strcmp(how, "even") && me != first ? 0.02 : 0.06);
    }
    longest += max;
    mean += sum / threads;
  }
  printf("%f %f\n", longest, mean);
}
