/* Executes regions, and in between truncates each file that it has inherited as far as it can. Prints how many it could truncate. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int shortened = 0;
    for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(2)
        usleep(1000);
        for (int file = 3; file < 1024; file++)
            if (ftruncate(file, 0) == 0)
                shortened++;
    }
    printf("%d\n", shortened);
    return 0;
}
