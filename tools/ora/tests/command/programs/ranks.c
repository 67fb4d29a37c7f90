// An MPI program whose ranks have two threads each.
#include <mpi.h>
#include <time.h>

int main(int count, char **words) {
  MPI_Init(&count, &words);
#pragma omp parallel num_threads(2)
  {
    struct timespec now, begin;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < 0.2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
