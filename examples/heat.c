// Smooths a grid whose rows get longer from top to bottom.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2000 };
static double *old[ROWS], *new[ROWS];

static void smooth(void)
{
#pragma omp parallel for
  for (int row = 0; row < ROWS; row++)
    for (int i = 1; i + 1 < row; i++)
      new[row][i] =
          (old[row][i - 1] + old[row][i] +
           old[row][i + 1]) / 3;
}

static double add_up(void)
{
  double all = 0;
#pragma omp parallel for
  for (int row = 0; row < ROWS; row++) {
    double sum = 0;
    for (int i = 0; i < row; i++) sum += new[row][i];
#pragma omp critical
    all += sum;
  }
  return all;
}

int main(int count, char **words)
{
  double all = 0;
  for (int row = 0; row < ROWS; row++) {
    old[row] = calloc(row + 1, sizeof(double));
    new[row] = calloc(row + 1, sizeof(double));
    for (int i = 0; i < row; i++) old[row][i] = i % 7;
  }
  for (int step = count > 1 ? atoi(words[1]) : 100; step > 0; step--) {
    smooth();
    all += add_up();
  }
  printf("%g\n", all);
}
