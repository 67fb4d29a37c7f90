/* Known numbers of tasks; the argument names their kind. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int done;

static void count(void) {
#pragma omp atomic
    done++;
}

static void once(int tasks) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < tasks; i++) {
#pragma omp task
        count();
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (!strcmp(kind, "undeferred")) {
#pragma omp parallel num_threads(1)
        for (int i = 0; i < 30; i++) {
#pragma omp task if (i % 3 == 0)
            count();
        }
    } else if (!strcmp(kind, "asleep")) {
#pragma omp parallel num_threads(2)
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task
            usleep(10000);
        }
    } else if (!strcmp(kind, "awaited")) {
        volatile int begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        {
#pragma omp task shared(begun)
            {
                begun = 1;
                usleep(100000);
            }
            while (!begun) usleep(1000);
#pragma omp taskwait
        }
    } else if (!strcmp(kind, "taskloop")) {
#pragma omp parallel num_threads(2)
#pragma omp single
        {
#pragma omp taskloop num_tasks(8)
            for (int i = 0; i < 80; i++) count();
        }
    } else if (!strcmp(kind, "cancelled")) {
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
        for (int i = 0; i < 20; i++) {
#pragma omp task
            {
                count();
#pragma omp cancel taskgroup
            }
        }
    } else if (!strcmp(kind, "fork")) {
        if (fork() == 0) {
            once(10);
            return 0;
        }
        wait(NULL);
        once(5);
    } else if (!strcmp(kind, "inner")) {
#pragma omp parallel num_threads(1)
#pragma omp task if (0)
#pragma omp parallel num_threads(1)
#pragma omp task
        count();
    } else if (!strcmp(kind, "held_up")) {
        /* The runtime copies it for each task, as the compiler doesn't know its size: that takes far longer than the body. */
        char carried[argc * 8192];
        memset(carried, 0, sizeof carried);
#pragma omp parallel num_threads(1)
        for (int i = 0; i < 2000; i++) {
#pragma omp task firstprivate(carried)
            {
                for (volatile int k = 0; k < 32; k++) done += carried[k];
                done++;
                if (i == 1000) usleep(20000);
            }
        }
    } else if (!strcmp(kind, "threads")) {
        for (int i = 0; i < 8; i++) {
#pragma omp parallel num_threads(9)
#pragma omp task
            count();
        }
    }
    printf("%d\n", done);
    return 0;
}
