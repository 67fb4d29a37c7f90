/* Threads that switch from their stack to another one and back, inside regions and tasks: `stacks KIND`. With the kinds "signal-..." a
 * handler on an alternate stack does so, with "context-..." the program itself. The other stacks are below all threads' stacks ("-low")
 * or above those of the workers ("-high"). */
#include "queries.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { TEAM = 3, SIZE = 1 << 18 };

static char low[TEAM][SIZE], *high;
static long work_done, guarded;

static char *stack_of(int thread, const char *kind) { return strstr(kind, "-low") ? low[thread] : high + thread * SIZE; }

/* Everything that a thread may do. */
__attribute__((noinline)) static void work(void) {
    long sum = 0;
    int i;
#pragma omp critical(elsewhere)
    guarded += 1;
#pragma omp task shared(sum) if (0)
    sum += 1;
    for (i = 0; i < 5; i++) {
#pragma omp task firstprivate(i) shared(sum)
#pragma omp atomic
        sum += i;
    }
#pragma omp taskwait
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        sum += 100;
#pragma omp barrier
#pragma omp task
        {
#pragma omp atomic
            work_done += 1;
        }
    }
#pragma omp atomic
    work_done += sum;
}

static void on_signal(int signal) {
    (void)signal;
    work();
}

static __thread ucontext_t here, there;

static void entered(void) { work(); }

static void elsewhere(int thread, const char *kind) {
    static __thread int away;
    if (away) {
        /* The other stack waits for this task. */
        work();
        return;
    }
    away = 1;
    if (strstr(kind, "signal")) {
        raise(SIGUSR1);
    } else {
        getcontext(&there);
        there.uc_stack.ss_sp = stack_of(thread, kind);
        there.uc_stack.ss_size = SIZE;
        there.uc_link = &here;
        makecontext(&there, entered, 0);
        swapcontext(&here, &there);
    }
    away = 0;
}

static void prepare(int thread, const char *kind) {
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = stack_of(thread, kind);
    stack.ss_size = SIZE;
    if (strstr(kind, "signal") && sigaltstack(&stack, NULL) != 0) abort();
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    struct sigaction action;
    int round;
    high = mmap(NULL, TEAM * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (high == MAP_FAILED) return 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    /* Threads that are created in a handler must not inherit a blocked signal. */
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(SIGUSR1, &action, NULL);
    omp_set_max_active_levels(2);
    prepare(0, kind);
    elsewhere(0, kind);
    for (round = 0; round < 3; round++) {
#pragma omp parallel num_threads(TEAM)
        {
            const int me = omp_get_thread_num();
            prepare(me, kind);
            elsewhere(me, kind);
#pragma omp barrier
            note(me, "in the region");
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 3; i++) elsewhere(omp_get_thread_num(), kind);
#pragma omp task
            elsewhere(omp_get_thread_num(), kind);
#pragma omp task if (0)
            {
                elsewhere(omp_get_thread_num(), kind);
#pragma omp task
                work();
#pragma omp taskwait
            }
#pragma omp single
            {
                elsewhere(omp_get_thread_num(), kind);
#pragma omp critical
                elsewhere(omp_get_thread_num(), kind);
            }
        }
        print_notes();
    }
    elsewhere(0, kind);
    printf("%ld %ld\n", work_done, guarded);
    say_queries("end");
    return 0;
}
