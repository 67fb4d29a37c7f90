/* A program with a given size in one dimension: growth DIMENSION SIZE */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "growth_hold.h"

static long members;
static const char *dimension;

static int is(const char *name) { return strcmp(dimension, name) == 0; }

static void region(int threads) {
#pragma omp parallel num_threads(threads) reduction(+ : members)
    members++;
}

/* A region in which the first thread waits while a command examines the process. */
static void team(int threads) {
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        members++;
#pragma omp master
        hold();
    }
}

static void deeper(long left) {
    if (left == 0) {
        hold();
        return;
    }
#pragma omp task
    deeper(left - 1);
#pragma omp taskwait
}

/* Works for 50 ms, in many regions. */
static void work(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + 0.05;
    do {
        region(2);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

__attribute__((noinline)) static int recurse(long left) {
    volatile char frame[32];
    frame[0] = (char)left;
    if (left == 0) {
        work();
        hold();
    }
    return left == 0 ? 0 : recurse(left - 1) + frame[0];
}

/* Takes each lock, and releases each before it takes the next one, or all of them afterwards. */
static void lock_each(long size, int is_held) {
    omp_lock_t *locks = calloc((size_t)size, sizeof *locks);
    for (long i = 0; i < size; i++) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(2)
    {
        for (long i = 0; i < size; i++) {
            omp_set_lock(&locks[i]);
            if (!is_held) omp_unset_lock(&locks[i]);
        }
        for (long i = 0; is_held && i < size; i++) omp_unset_lock(&locks[i]);
    }
    for (long i = 0; i < size; i++) omp_destroy_lock(&locks[i]);
    free(locks);
}

/* The runtime's entries for critical sections with names: each name is a word. */
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);

static void enter_each(long size) {
    void **names = calloc((size_t)size, sizeof *names);
#pragma omp parallel num_threads(2)
    for (long i = 0; i < size; i++) {
        GOMP_critical_name_start(&names[i]);
        GOMP_critical_name_end(&names[i]);
    }
    free(names);
}

/* Loads each library, which has a region. */
static int load_each(long size, const char *folder) {
    for (long i = 0; i < size; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/lib%ld.so", folder, i);
        void *library = dlopen(path, RTLD_NOW);
        void (*run)(void) = library ? (void (*)(void))dlsym(library, "library_region") : NULL;
        if (!run) return 1;
        run();
    }
    return 0;
}

/* Forks processes that have a region, or that start a command without OpenMP. */
static int fork_each(long size, char *command) {
    for (long i = 0; i < size; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (command) execl(command, command, (char *)NULL);
            region(2);
            _exit(0);
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    return 0;
}

/* Returns the exit code. */
static int run(long size, const char *folder) {
    if (is("threads")) {
        team((int)size);
    } else if (is("churn")) {
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
        for (long i = 0; i < size / 2; i++) region(2);
    } else if (is("regions")) {
        for (long i = 0; i < size; i++) region(2);
    } else if (is("tasks")) {
#pragma omp parallel num_threads(2)
#pragma omp single
        for (long i = 0; i < size; i++) {
#pragma omp task
#pragma omp atomic
            members++;
            if (i % 1000 == 999) {
#pragma omp taskwait
            }
        }
    } else if (is("depth")) {
#pragma omp parallel num_threads(2)
#pragma omp single
        deeper(size);
    } else if (is("locks")) {
        lock_each(size, 0);
    } else if (is("held")) {
        lock_each(size, 1);
    } else if (is("criticals")) {
        enter_each(size);
    } else if (is("mappings")) {
        for (long i = 0; i < size; i++) {
            if (mmap(NULL, 8192, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 1;
        }
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
        for (int i = 0; i < 100; i++) region(2);
        hold();
    } else if (is("libraries")) {
        return load_each(size, folder);
    } else if (is("processes")) {
        return fork_each(size, NULL);
    } else if (is("commands")) {
        return fork_each(size, "/bin/true");
    } else if (is("stack")) {
        (void)recurse(size);
    } else {
        return 2;
    }
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    dimension = words[1];
    int code = 0;
    do {
        code = run(atol(words[2]), words[3]);
    } while (code == 0 && again());
    return code;
}
