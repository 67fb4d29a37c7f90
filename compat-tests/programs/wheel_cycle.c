/* `wheel_cycle ROUNDS LIBRARY...`: loads libraries that bring their own OpenMP, one after the other, each for the time in
 * which some threads at once use it for the first time. Says whether the results were right, how many regions a collector
 * in it has heard of (-1: there is no interface), and how much memory and how many mappings the second half of the rounds
 * has left. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

static int regions;
static pthread_barrier_t line;

static void on_fork(int event) {
    (void)event;
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}

static int (*api)(void *);

static int listen(void) {
    struct {
        int sz, r, ec, rsz, end;
    } start = {16, 0, 0, 0, 0};
    struct {
        int sz, r, ec, rsz, event;
        void (*callback)(int);
        int end;
    } fork_event = {32, 1, 0, 0, 1, on_fork, 0};
    void *symbol = dlsym(RTLD_DEFAULT, "__omp_collector_api");
    if (!symbol) return 0;
    memcpy(&api, &symbol, sizeof api);
    return api(&start) == 0 && api(&fork_event) == 0 && start.ec == 0 && fork_event.ec == 0;
}

static void find(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    if (!symbol) abort();
    memcpy(function, &symbol, sizeof symbol);
}

/* A thread that was never reported before queries its state after the last library's runtime has been unloaded. */
static void *ask(void *data) {
    struct {
        int sz, r, ec, rsz, state, wait_id[2], end;
    } state = {28, 3, 0, 0, 0, {0, 0}, 0};
    (void)data;
    return (void *)(long)(api(&state) == 0 && state.ec == 0 ? state.state : -1);
}

/* The thread's own pool of threads must end before the library is unloaded. */
static void *use(void *handle) {
    long (*compute)(int);
    int (*finish)(void);
    long result;
    find(handle, "wheel_compute", &compute);
    find(handle, "wheel_finish", &finish);
    pthread_barrier_wait(&line);
    result = compute(1);
    if (finish() != 0) abort();
    return (void *)result;
}

static long resident(void) {
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) abort();
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int mappings(void) {
    FILE *file = fopen("/proc/self/maps", "r");
    int count = 0, c;
    if (!file) abort();
    while ((c = getc(file)) != EOF) count += c == '\n';
    fclose(file);
    return count;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 0, count = argc - 2, heard = listen();
    long memory = 0, first = 0;
    int maps = 0, round, i, wrong = 0, uneven = 0, unknown = 0;
    if (count < 1) return 2;
    pthread_barrier_init(&line, NULL, THREADS);
    for (round = 0; round < rounds * count; round++) {
        void *handle = dlopen(argv[2 + round % count], RTLD_NOW | RTLD_LOCAL);
        pthread_t threads[THREADS];
        const int before = regions;
        if (!handle) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        for (i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, use, handle) != 0) abort();
        for (i = 0; i < THREADS; i++) {
            void *result;
            pthread_join(threads[i], &result);
            if (round == 0 && i == 0) first = (long)result;
            wrong += (long)result != first || first <= 0;
        }
        if (dlclose(handle) != 0) abort();
        if (heard) {
            void *state;
            if (pthread_create(&threads[0], NULL, ask, NULL) != 0) abort();
            pthread_join(threads[0], &state);
            unknown += (long)state != 6; /* THR_SERIAL_STATE */
        }
        uneven += heard && regions - before != THREADS;
        if (round == rounds * count / 2) {
            memory = resident();
            maps = mappings();
        }
    }
    printf("wrong %d\nregions %d\nuneven %d\nunknown %d\n", wrong, heard ? regions : -1, uneven, unknown);
    printf("memory %ld\nmappings %d\n", resident() - memory, mappings() - maps);
    return 0;
}
