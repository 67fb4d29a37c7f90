/* A process that fights back: an OpenMP program that exchanges, while ora looks into it, everything that ora gets from it.

   fights_back VICTIM WAY...   VICTIM is a file that the process may not open, and that has to stay as it is.

   Ways: descriptors  puts VICTIM, pipes, folders and devices behind all numbers of descriptors
         sizes        shrinks and grows all files in memory
         contents     writes numbers of all kinds into memory that ora has mapped or shares
         folders      exchanges folders and files named ora-* for links, pipes, and files of gigabytes
         recording    exchanges the events that the process itself records, under ora trace
         threads      ends and creates threads
   It ends when stdin is closed. What becomes of its own results doesn't matter. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *victim;
#include "chance.h"
#include "folders.h"

/* VICTIM, a folder, a device, and a file of the process itself. */
static int exchanged[4];
static int first_number;

/* True for a descriptor that was not there before. */
static int is_new(int number)
{
    return number >= first_number && fcntl(number, F_GETFD) >= 0;
}

static void *descriptors(void *unused)
{
    (void)unused;
    for (;;) {
        int now = phase();
        for (int number = first_number; now % 2 && number < first_number + 12; number++)
            if (is_new(number))
                dup2(exchanged[random_number() % 4], number);
        for (int number = 900; now / 2 && number < 908; number++)
            if (is_new(number))
                dup2(exchanged[random_number() % 4], number);
    }
    return 0;
}

static void *sizes(void *unused)
{
    static const off_t lengths[] = {0, 1, 4096, (off_t)1 << 40};
    (void)unused;
    for (;;) {
        /* Libraries are in files with low numbers. */
        int low = phase() == 0;
        for (int number = low ? first_number : 900; number < (low ? first_number + 12 : 910); number++)
            for (int i = 0; is_new(number) && i < 4; i++)
                if (ftruncate(number, lengths[i]))
                    break;
        pause_for(20);
    }
    return 0;
}

static void write_at(uint64_t address, uint64_t value)
{
    /* Fails, instead of a fault, if nothing is mapped any more. */
    struct iovec local = {&value, sizeof value}, remote = {(void *)(uintptr_t)address, sizeof value};
    process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

/* Writes into the shared memory of collectors, and into the mapping of 256 KiB that a new thread starts with. */
static void *contents(void *unused)
{
    (void)unused;
    const uint64_t values[] = {0, 1, 2, 3, 4, 5, UINT64_MAX, INT64_MAX, UINT32_MAX, (uint64_t)7 << 32 | 3, 1u << 31, 12345};
    for (;;) {
        FILE *maps = fopen("/proc/self/maps", "r");
        char line[600];
        uint64_t before_end = 0, before_bytes = 0;
        int round = 0;
        while (maps && fgets(line, sizeof line, maps)) {
            uint64_t start, end;
            char access[8];
            if (sscanf(line, "%lx-%lx %7s", &start, &end, access) != 3)
                continue;
            int is_shared = strstr(line, "/memfd:ora-") != 0;
            int is_mail = start == before_end && before_bytes == 4096 && end - start == (256 << 10) - 4096;
            before_end = end;
            before_bytes = end - start;
            if (!(is_shared && phase() / 2) && !(is_mail && phase() % 2))
                continue;
            for (int i = 0; i < 400; i++) {
                uint64_t offset = i % 2 ? random_number() % 1024 : random_number() % (end - start);
                write_at(start + (offset & ~7ul), values[random_number() % 12]);
            }
            round++;
        }
        if (maps)
            fclose(maps);
        if (!round)
            pause_for(50);
    }
    return 0;
}

static void *ends(void *unused)
{
    return unused;
}

static void *threads(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_t thread;
        if (!pthread_create(&thread, 0, ends, 0))
            pthread_join(thread, 0);
        pause_for(200);
    }
    return 0;
}

static const struct {
    const char *name;
    void *(*run)(void *);
} ways[] = {{"descriptors", descriptors}, {"sizes", sizes}, {"contents", contents}, {"folders", folders}, {"recording", recording}, {"threads", threads}};

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    victim = words[1];
    /* A change of users prevents others from examining the process: here that is wanted. */
    prctl(PR_SET_DUMPABLE, 1);
    signal(SIGPIPE, SIG_IGN);
    exchanged[0] = open(victim, O_PATH);
    exchanged[1] = open("/", O_RDONLY | O_DIRECTORY);
    exchanged[2] = open("/dev/zero", O_RDWR);
    exchanged[3] = memfd_create("own", 0);
    first_number = dup(0);
    close(first_number);
    for (int word = 2; word < count; word++)
        for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
            pthread_t thread;
            if (!strcmp(words[word], ways[way].name) && pthread_create(&thread, 0, ways[way].run, 0))
                return 3;
        }
    double sum = 0;
    struct pollfd end = {0, POLLIN, 0};
    while (poll(&end, 1, 1) == 0) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic, 7)
            for (int i = 0; i < 200; i++)
                sum += i;
#pragma omp critical
            sum += 1;
        }
    }
    return sum == 1;
}
