#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 40000 };

int main(int count, char **words) {
    int rank, ranks;
    double sum = 0, all;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int share = ROWS / ranks, begin = rank * share;
#pragma omp parallel for reduction(+ : sum)
    for (int row = begin; row < begin + share; row++)
        for (int i = 0; i < row; i++) sum += sqrt(row + i);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
