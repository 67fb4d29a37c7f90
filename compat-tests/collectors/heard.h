/* Counts the calls of each callback of a tool, by callback number, in a file that the tool's processes share, so that the counts exist
 * no matter how the processes end. The file is ORA_TEST_HEARD with the tool's name appended; without the variable nothing is counted. */
#ifndef HEARD_H
#define HEARD_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEARD_NUMBERS 64

static uint64_t *heard_counts;

static void heard_open(const char *tool) {
    char path[4096];
    int file;
    void *memory;
    if (!getenv("ORA_TEST_HEARD")) return;
    snprintf(path, sizeof path, "%s.%s", getenv("ORA_TEST_HEARD"), tool);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, HEARD_NUMBERS * sizeof(uint64_t)) != 0) abort();
    memory = mmap(NULL, HEARD_NUMBERS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) abort();
    close(file);
    heard_counts = (uint64_t *)memory;
}

static inline void heard(int number) {
    if (heard_counts) __atomic_fetch_add(&heard_counts[number % HEARD_NUMBERS], 1, __ATOMIC_RELAXED);
}

#endif
