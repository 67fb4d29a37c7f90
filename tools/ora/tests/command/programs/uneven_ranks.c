// A job of ranks with two threads each. Each thread works for 0.1 s; those of the last rank for six times as long, unless
// the program has an argument.
#include <mpi.h>
#include <time.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int count, char **words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double seconds = count == 1 && rank == ranks - 1 ? 0.6 : 0.1;
#pragma omp parallel num_threads(2)
  for (double begin = cpu(); cpu() - begin < seconds;) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
