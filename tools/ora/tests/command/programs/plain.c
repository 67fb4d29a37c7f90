// Works for a given number of seconds, without OpenMP.
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
  clock_t end = clock() + (clock_t)((count > 1 ? atof(words[1]) : 0) * CLOCKS_PER_SEC);
  while (clock() < end)
    for (volatile int i = 0; i < 10000; i++)
      ;
  return 0;
}
