/* A program that loads libraries which bring their own OpenMP: `wheel_host HOW LIBRARY...`. Built with and without
 * OpenMP of its own. HOW: once, together (all at the same time, in threads), reopen (unloaded and loaded again), global
 * (the first library's names serve those after it). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { ROUNDS = 20, MOST = 12 };

struct wheel {
    void *handle;
    long (*compute)(int);
    int (*finish)(void);
    long result;
};

static void find(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static struct wheel load(const char *path, int mode) {
    struct wheel wheel;
    wheel.handle = dlopen(path, RTLD_LAZY | mode);
    if (!wheel.handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    find(wheel.handle, "wheel_compute", &wheel.compute);
    find(wheel.handle, "wheel_finish", &wheel.finish);
    wheel.result = 0;
    return wheel;
}

static void *run(void *data) {
    struct wheel *wheel = data;
    wheel->result = wheel->compute(ROUNDS);
    return NULL;
}

static void own_regions(const struct wheel *wheels, int count) {
#ifdef _OPENMP
    long members = 0, inside = 0;
    int round;
    for (round = 0; round < 5; round++) {
#pragma omp parallel num_threads(3) reduction(+ : members)
        {
            members += 1;
#pragma omp barrier
#pragma omp critical
            members += 1;
        }
    }
    /* Regions of the libraries inside one of the program's. If the program has a libgomp, the loader binds the libraries' calls to
     * it. */
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inside)
    {
#pragma omp critical(load)
        inside += wheels[0].compute(2);
#pragma omp barrier
        inside += count > 1 ? wheels[1].compute(1) : 0;
    }
    printf("own regions: %ld, around others: %ld\n", members, inside);
#else
    (void)wheels;
    (void)count;
#endif
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    const int count = argc - 2;
    struct wheel wheels[MOST];
    pthread_t threads[MOST];
    int i, again;
    if (count < 1 || count > MOST) return 2;
    for (again = 0; again < (strcmp(how, "reopen") == 0 ? 3 : 1); again++) {
        for (i = 0; i < count; i++)
            wheels[i] = load(argv[i + 2], i == 0 && strcmp(how, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
        if (strcmp(how, "together") == 0) {
            for (i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, &wheels[i]);
            for (i = 0; i < count; i++) pthread_join(threads[i], NULL);
        } else {
            for (i = 0; i < count; i++) run(&wheels[i]);
            for (i = count; i-- > 0;) run(&wheels[i]);
        }
        for (i = 0; i < count; i++) printf("library %d: %ld\n", i, wheels[i].result);
        own_regions(wheels, count);
        if (strcmp(how, "reopen") == 0)
            for (i = 0; i < count; i++) {
                wheels[i].finish();
                dlclose(wheels[i].handle);
            }
    }
    return 0;
}
