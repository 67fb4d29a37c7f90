/* Says in the memory that it shares with `ora` that the process of another number is the one that was started. Then it waits for a
   signal. Arguments: the place of that number, and the number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words)
{
    uint32_t number = count > 2 ? (uint32_t)atoi(words[2]) : 0;
#pragma omp parallel num_threads(2)
    usleep(1000);
    for (int file = 900; file < 1024; file++)
        pwrite(file, &number, sizeof number, atol(words[1]));
    alarm(60);
    for (;;)
        pause();
}
