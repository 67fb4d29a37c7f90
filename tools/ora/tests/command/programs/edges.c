/* Buffers that end where readable memory ends, good and bad ones; a program that closes every descriptor and opens
 * files of its own; a forked child; a call with its own call inside; and at last a call that never comes back. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*api)(void *);
static char *page_end;

static void expect(int line, long got, long wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "edges.c:%d: %ld in place of %ld\n", line, got, wanted);
    exit(1);
}
#define EXPECT(got, wanted) expect(__LINE__, got, wanted)

/* Puts the words at the end of the page, makes the call, and returns the error code of the first entry. */
static int call(int result, const int *words, int count)
{
    int *at = (int *)page_end - count;
    memcpy(at, words, count * sizeof *words);
    errno = 4711;
    EXPECT(api(at), result);
    EXPECT(errno, 4711);
    return count > 2 ? at[2] : 0;
}
#define CALL(result, ...) call(result, (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

int main(int count, char **words)
{
    long page = sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(map + page, page, PROT_NONE);
    page_end = map + page;
    api = (int (*)(void *))dlsym(RTLD_DEFAULT, "__omp_collector_api");

    EXPECT(CALL(0, 16, 0, -1, -1, 0), 0);
    EXPECT(CALL(0, 20, 3, -1, -1, 0, 0), 0);
    CALL(0, 0);
    CALL(-1, 18);
    CALL(-1, -16);
    EXPECT(CALL(-1, 16, 99, -1, -1, 3), 2);
    EXPECT(api(NULL), -1);
    EXPECT(api(map + 2), -1);

    /* A file that has the number of the recorder's descriptor now is not the recorder's. */
    for (int file = 3; file < 1024; file++)
        close(file);
    int own = open(words[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int file = 400; file < 600; file++)
        dup2(own, file);
    EXPECT(CALL(0, 16, 8, -1, -1, 0), 0);
    EXPECT(lseek(own, 0, SEEK_END), 0);
    /* Now no file has that number. Finding that out sets errno, which callers must not see. */
    for (int file = 3; file < 1024; file++)
        close(file);
    EXPECT(CALL(0, 16, 8, -1, -1, 0), 0);

    if (fork() == 0) {
        EXPECT(CALL(0, 24, 4, -1, -1, 0, 0, 0), 0);
        _exit(0);
    }
    int status;
    wait(&status);
    EXPECT(status, 0);
    puts("ready");
    fflush(stdout);
    /* The size is larger than the memory: the walk leaves the page. */
    if (count > 2)
        CALL(0, 0x7ffffffc, 7, -1, -1);
    return 0;
}
