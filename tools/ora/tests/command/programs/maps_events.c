/* Maps a file, as the recorder of `ora trace` maps its events, says so, and waits for the end of its input. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int file = argc > 1 ? open(argv[1], O_RDWR) : -1;
    if (file < 0 || mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED)
        return 1;
    close(file);
    puts("ready");
    fflush(stdout);
    return getchar() == EOF ? 0 : 2;
}
