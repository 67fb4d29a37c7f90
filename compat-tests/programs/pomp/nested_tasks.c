/* Constructs in the bodies of tasks: a task's start and the next construct's call in its body have the same frame, and so the same stack
 * pointer. Prints how many bodies ran. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
#if __GNUC__ >= 16 /* warns of `master`; OPARI doesn't know `masked` */
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif

enum { TASKS = 8 };

static int done, inside, waiting;
static omp_lock_t lock;

static void count(void) {
#pragma omp atomic
    done++;
}

/* 1 + 1 + 2 + 1 tasks, one in another. */
static void descend(void) {
#pragma omp task
    {
#pragma omp task
        {
#pragma omp task
            count();
#pragma omp task
            {
#pragma omp task
                count();
                count();
            }
#pragma omp taskwait
            count();
        }
        count();
    }
}

/* A thread that is inside stays there until another one is about to enter, or nobody else will. */
static void stay(void) {
    int i;
    for (i = 0; i < 20 && __atomic_load_n(&waiting, __ATOMIC_RELAXED) == 0; i++) usleep(1000);
    usleep(2000);
    inside++;
}

/* Each task waits for the others that are inside, and then continues as itself. */
static void contend(void) {
    int i;
    for (i = 0; i < TASKS; i++) {
#pragma omp task
        {
            __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
#pragma omp critical(inside)
            {
                __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
                stay();
            }
#pragma omp task
            count();
            omp_set_lock(&lock);
            usleep(1000);
            omp_unset_lock(&lock);
#pragma omp task
            count();
#pragma omp taskwait
            count();
        }
    }
}

/* Included tasks run inside their creations. */
static void include(void) {
#pragma omp task final(1)
    {
#pragma omp task
        {
#pragma omp task
            count();
            count();
        }
        count();
    }
}

/* Regions in tasks, and tasks in these regions. */
static void enclose(void) {
#pragma omp task
    {
#pragma omp parallel num_threads(2)
        {
            int i;
#pragma omp for
            for (i = 0; i < 4; i++) count();
#pragma omp task
            {
#pragma omp task
                count();
                count();
            }
#pragma omp master
            {
#pragma omp task
                count();
            }
        }
#pragma omp task
        count();
        count();
    }
}

int main(void) {
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        {
            descend();
            contend();
            include();
            enclose();
        }
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", done, inside);
    return 0;
}
