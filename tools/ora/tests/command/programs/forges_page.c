/* Makes memory with the name of a collector's of `ora stat`, which speaks for another process, says so, and waits for the end of
   its input. Arguments: size of the memory, then pairs of an offset and a word of 64 bits; a size that begins with `-` isn't sealed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int file = memfd_create("ora-stat", MFD_ALLOW_SEALING);
    long long size = argc > 1 ? atoll(argv[1]) : 0;
    if (file < 0 || ftruncate(file, llabs(size)) != 0)
        return 1;
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t word = strtoull(argv[i + 1], NULL, 10);
        if (pwrite(file, &word, sizeof word, atoll(argv[i])) != sizeof word)
            return 1;
    }
    if (size > 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return 1;
    puts("ready");
    fflush(stdout);
    return getchar() == EOF ? 0 : 2;
}
