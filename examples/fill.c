// Sums over short rows, many times; OMP_SCHEDULE sets the schedule.
#include <stdio.h>

enum { ROWS = 20000, LENGTH = 64 };
static float grid[ROWS][LENGTH];

int main(void)
{
  double all = 0;
  for (int step = 0; step < 300; step++) {
#pragma omp parallel for schedule(runtime) reduction(+ : all)
    for (int row = 0; row < ROWS; row++) {
      float sum = 0;
      for (int i = 0; i < LENGTH; i++) {
        grid[row][i] = grid[row][i] * 0.5f + i;
        sum += grid[row][i];
      }
      all += sum / LENGTH;
    }
  }
  printf("%.3f\n", all);
}
