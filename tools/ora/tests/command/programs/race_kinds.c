/* Races of several kinds, by definition: -DCHUNKS between chunks of one thread (-DBUFFER, -DTASKS, -DSLOT: which use what is
   their thread's), -DORPHANED outside of regions, -DNUMBER by the thread's number, -DTEAMS between
   teams, -DCHILD in a forked child, -DCREATOR a task and its creator, -DMUTEX beside a critical section, -DCALLS a task that is
   created some calls deep, -DFLUSH a hand-over by flushes (-DONE: the reader has none); -DMANY: a million tasks, and how much memory they take; -DOWN: tasks of one
   thread in a block that it allocated there (-DSERIAL: before the region); -DLIBRARY: tasks and a thread-local variable of a library,
   which -DLOADS loads; -DINNER: of a thread outside of an inner region with one in it, or with what follows it (-DAFTER); -DCLEAN:
   none. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long slot[64], total;

static void set(long *place, long value) { *place = value; }
static void (*volatile hidden)(long *, long) = set;

static void chunks(void) {
    long mine = 0;
#pragma omp parallel num_threads(1) firstprivate(mine)
    {
        long *buffer = malloc(sizeof *buffer), *own = &slot[omp_get_max_threads() & 1];
#ifdef SLOT
        own = &slot[omp_get_thread_num()];
#endif
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; i++) {
            hidden(&mine, i);
#if defined BUFFER
            hidden(buffer, i);
#elif defined SLOT
            hidden(own, i);
#elif defined TASKS
            hidden(&total, i);
#pragma omp task
            hidden(&total, i);
#pragma omp taskwait
#elif !defined CLEAN
            hidden(&total, i);
#endif
        }
        free(buffer);
        (void)own;
    }
}

static void orphaned(void) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++)
        hidden(&total, i);
#pragma omp sections
    {
#pragma omp section
        hidden(&total, 1);
#pragma omp section
        hidden(&total, 2);
    }
}

static void by_number(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
        slot[omp_get_thread_num()] += 1;
    }
}

static void teams(void) {
#pragma omp target teams map(tofrom : total)
#pragma omp parallel num_threads(1)
    {
#ifdef CLEAN
#pragma omp atomic
#endif
        total++;
    }
}

static int child(void) {
    int status = 0;
    pid_t pid;
#pragma omp parallel num_threads(1)
    slot[omp_get_thread_num()]++;
    pid = fork();
    if (pid == 0) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
#pragma omp task
        slot[0]++;
        exit(slot[0] == 2 ? 4 : 9);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void creator(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
    {
        long *place = &slot[9];
#pragma omp task firstprivate(place)
        hidden(place, 1);
#ifdef CLEAN
#pragma omp taskwait
#endif
        total += *place;
    }
}

static void mutex(void) {
    static int turn;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            total++;
            __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
        } else {
            while (!__atomic_load_n(&turn, __ATOMIC_RELAXED))
                usleep(100);
            total++;
        }
    }
}

static void flush(void) {
    static int full, seen;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        slot[20] = 10;
#pragma omp flush
#pragma omp atomic write
        full = 1;
    } else {
        int now = 0;
        while (!now) {
#pragma omp atomic read
            now = full;
        }
#ifndef ONE
#pragma omp flush
#endif
        seen = (int)slot[20];
    }
    (void)seen;
}

static __attribute__((noinline)) void inner(long *place) {
#pragma omp task
    hidden(place, 1);
}

static __attribute__((noinline)) void outer(long *place) {
    inner(place);
    slot[0]++;
}

static void calls(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
    {
        outer(&slot[8]);
        hidden(&slot[8], 2);
    }
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(9);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

static void tree(int depth) {
    if (depth > 0) {
#pragma omp task
        tree(depth - 1);
#pragma omp task
        tree(depth - 1);
#pragma omp taskwait
    }
}

static int many(void) {
    long before = 0, after = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 33; i++) {
        tree(14);
        if (i == 10)
            before = resident();
        after = resident();
    }
    printf("%ld more megabytes\n", after - before);
    return after - before > 32;
}

static long *own;
#pragma omp threadprivate(own)

static void own_block(void) {
#ifdef SERIAL
    own = malloc(sizeof *own);
#endif
#pragma omp parallel num_threads(1)
    {
#ifndef SERIAL
        own = malloc(sizeof *own);
#endif
        for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i)
            hidden(own, i);
        }
    }
}

#ifdef LIBRARY
static _Thread_local long counter;

void run(void) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 20; i++) {
#pragma omp task
        counter++;
    }
}
#endif

static void inner_region(void) {
    int turn = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) shared(turn)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < 2; i++) {
#ifdef AFTER
#pragma omp task if (turn) firstprivate(i)
                if (i == 1)
                    total = 1;
#endif
#pragma omp parallel num_threads(2)
                {
#ifdef AFTER
                    hidden(&slot[omp_get_thread_num()], 1);
#else
                    if (omp_get_thread_num() == 0)
                        total = 1;
#endif
                }
            }
            __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
        } else {
            while (!__atomic_load_n(&turn, __ATOMIC_RELAXED))
                usleep(1000);
            total = 2;
        }
    }
}

static int loads(const char *library) {
    void *handle = dlopen(library, RTLD_NOW);
    void (*run)(void) = handle ? (void (*)(void))dlsym(handle, "run") : NULL;
    if (!run)
        return 9;
    run();
    return 0;
}

int main(int argc, char **argv) {
#if defined CHUNKS
    chunks();
#elif defined ORPHANED
    orphaned();
#elif defined NUMBER
    by_number();
#elif defined TEAMS
    teams();
#elif defined CHILD
    return child();
#elif defined CREATOR
    creator();
#elif defined MUTEX
    mutex();
#elif defined CALLS
    calls();
#elif defined FLUSH
    flush();
#elif defined MANY
    return many();
#elif defined OWN
    own_block();
#elif defined INNER
    inner_region();
#elif defined LOADS
    return loads(argv[1]);
#endif
    (void)own_block, (void)inner_region, (void)loads, (void)argc, (void)argv;
    (void)orphaned, (void)calls, (void)many, (void)chunks, (void)by_number, (void)teams, (void)child, (void)creator, (void)mutex,
        (void)flush;
    return 0;
}
