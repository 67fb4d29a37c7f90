/* Events for a tool of OpenMP 5, in parts. The events of a part don't depend on which thread comes first. Arguments: the parts to
 * execute, in this order. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "older_names.h"

/* gcc's omp.h doesn't have it. */
extern int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));

/* Compilers remove tasks that do nothing. */
static volatile int done;

static void locks(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    if (omp_test_lock(&lock)) abort();
    omp_unset_lock(&lock);
    if (!omp_test_lock(&lock)) abort();
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    if (omp_test_nest_lock(&nest) != 2) abort();
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
}

static void critical(void) {
#pragma omp critical
    {}
#pragma omp critical(named)
    {}
}

static void region(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp critical
        {}
#pragma omp barrier
        done = 9;
    }
}

/* The compiler ends the function for the region with a jump to the barrier. */
static void jump(void) {
#pragma omp parallel num_threads(2)
    {
        done = 8;
#pragma omp barrier
    }
}

static void nested(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
            done = 10;
        }
    }
}

/* Undeferred tasks, on any thread that encounters them. */
static void tasks(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp task if (0)
        {
            done = 1;
#pragma omp task if (0) mergeable
            done = 2;
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task final(1) if (0)
            done = 3;
        }
    }
}

/* Tasks that are queued. */
static void queued(void) {
    int a = 0, b = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
        int i;
        for (i = 0; i < 5; i++) {
#pragma omp task depend(in : a) depend(inout : b)
            b += a;
        }
#pragma omp taskwait
    }
    if (b) abort();
}

static void work(void) {
    int i;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        done = 4;
#pragma omp sections
        {
#pragma omp section
            done = 5;
#pragma omp section
            done = 6;
#pragma omp section
            done = 7;
        }
#pragma omp for schedule(dynamic, 2) nowait
        for (i = 0; i < 8; i++) done = i;
    }
}

static void ordered(void) {
    int i;
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(dynamic, 1) nowait
    for (i = 0; i < 3; i++) {
#pragma omp ordered
        {}
    }
}

static void cancel(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp cancel parallel
    }
}

/* One thread, so that all tasks are queued before one of them runs. */
static void cancelled_tasks(void) {
    int i;
#pragma omp parallel num_threads(1)
    {
#pragma omp taskgroup
        for (i = 0; i < 3; i++) {
#pragma omp task
            {
#pragma omp cancel taskgroup
                done = 1;
            }
        }
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task if (0)
                {
#pragma omp cancel taskgroup
                    done = 1;
                }
#pragma omp cancellation point taskgroup
                done = 1;
            }
        }
    }
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        done = 1;
#pragma omp task
        done = 1;
#pragma omp cancel parallel
    }
}

/* Barriers of the initial task. */
static void outside(void) {
    int i;
#pragma omp barrier
#pragma omp single
    done = 1;
#pragma omp for schedule(dynamic, 2)
    for (i = 0; i < 2; i++) done = i;
}

static void forked(void) {
    int status;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        critical();
        exit(0);
    }
    printf("%d\n", (int)child);
    if (waitpid(child, &status, 0) != child || status != 0) abort();
}

static void control(int command) {
    int argument = 0;
    printf("control %d: %d\n", command, omp_control_tool ? omp_control_tool(command, 0, &argument) : -3);
}

/* Prints the same about places as the tool does with TRACE5_PLACES. */
static void say_places(const char *when) {
    int nums[64], ids[64], i, p, size = omp_get_partition_num_places();
    omp_get_partition_place_nums(nums);
#pragma omp critical(say)
    {
        printf("places %s %d of %d on %d:", when, omp_get_place_num(), omp_get_num_places(), omp_get_num_procs());
        for (p = 0; p < size; p++) {
            int count = omp_get_place_num_procs(nums[p]);
            omp_get_place_proc_ids(nums[p], ids);
            printf(" %d{", nums[p]);
            for (i = 0; i < count; i++) printf(i ? ",%d" : "%d", ids[i]);
            printf("}");
        }
        printf("\n");
    }
}

static void places(void) {
    say_places("before");
#pragma omp parallel num_threads(2) proc_bind(spread)
    {
        say_places("in");
#pragma omp parallel num_threads(1) proc_bind(close)
        say_places("in");
    }
    say_places("after");
}

/* Loops of each schedule for which the runtime is called, on one thread: by clauses of all kinds, then by OMP_SCHEDULE. */
static void schedules(void) {
    unsigned long long u;
    int i;
#pragma omp parallel num_threads(1)
    {
#pragma omp for schedule(dynamic)
        for (i = 0; i < 4; i++) done = i;
#pragma omp for schedule(monotonic : guided, 2)
        for (i = 0; i < 4; i++) done = i;
#pragma omp for schedule(dynamic)
        for (u = 0; u < 4; u++) done = (int)u;
#pragma omp for schedule(static) ordered
        for (i = 0; i < 4; i++)
#pragma omp ordered
            done = i;
#pragma omp for schedule(guided) ordered(1)
        for (i = 0; i < 4; i++) {
            /* OPARI attributes the next statement to the construct, unless it sees no construct. */
            _Pragma("omp ordered depend(sink : i - 1)");
            done = i;
            _Pragma("omp ordered depend(source)");
        }
    }
#pragma omp parallel for schedule(guided) num_threads(1)
    for (i = 0; i < 4; i++) done = i;
#pragma omp parallel for schedule(runtime) num_threads(1)
    for (i = 0; i < 4; i++) done = i;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(runtime)
    for (u = 0; u < 4; u++) done = (int)u;
}

/* For a region before and one after it, the program has only one processor left. */
static void narrow(void) {
    cpu_set_t one;
#pragma omp parallel num_threads(1)
    done = 1;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) abort();
#pragma omp parallel num_threads(1)
    done = 1;
}

static void first(void) { (void)omp_get_max_threads(); }

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*act)(void);
    } parts[] = {
        {"locks", locks}, {"critical", critical}, {"region", region},   {"nested", nested}, {"tasks", tasks},
        {"queued", queued}, {"work", work},         {"ordered", ordered}, {"cancel", cancel}, {"fork", forked},
        {"first", first}, {"places", places}, {"jump", jump}, {"narrow", narrow},
        {"schedules", schedules}, {"cancelled-tasks", cancelled_tasks}, {"outside", outside},
    };
    int i;
    for (i = 1; i < argc; i++) {
        size_t p, found = 0;
        if (strncmp(argv[i], "control", 7) == 0) {
            control(atoi(argv[i] + 7));
            continue;
        }
        for (p = 0; p < sizeof parts / sizeof *parts; p++)
            if (strcmp(argv[i], parts[p].name) == 0) parts[p].act(), found = 1;
        if (!found) return 2;
    }
    fflush(stdout);
    return 0;
}
