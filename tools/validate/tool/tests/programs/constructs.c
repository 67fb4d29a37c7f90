/* Every construct that has events, on two threads, so that each rule is met. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static int sum, started, children;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void add(int n) { __atomic_add_fetch(&sum, n, __ATOMIC_RELAXED); }

static void wait_for(int *counter, int n) {
    while (__atomic_load_n(counter, __ATOMIC_RELAXED) < n)
        usleep(100);
}

static void loops(void) {
    int total = 0;
#pragma omp parallel reduction(+ : total)
    {
#pragma omp for
        for (int i = 0; i < 8; i++)
            total += i;
#pragma omp for schedule(dynamic) ordered
        for (int i = 0; i < 4; i++) {
#pragma omp ordered
            total += i;
        }
#pragma omp sections
        {
#pragma omp section
            total++;
#pragma omp section
            total++;
        }
#pragma omp masked
        total++;
#pragma omp single
        total++;
#pragma omp flush
    }
    add(total);
}

static void mutexes(void) {
    /* First without waiting threads: another thread's acquire event may come before the release event, and hide its depth. */
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
        while (!omp_test_lock(&lock))
            usleep(1);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        for (int i = 0; i < 3; i++) {
#pragma omp critical
            sum++;
        }
#pragma omp barrier
#pragma omp barrier
    }
}

/* Two tasks that run at the same time, each suspended while its child runs. */
static void side_by_side(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        {
            __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
            wait_for(&started, 2);
#pragma omp task
            {
                __atomic_add_fetch(&children, 1, __ATOMIC_RELAXED);
                wait_for(&children, 2);
            }
#pragma omp taskwait
        }
    }
}

static void tasks(void) {
    int x = 0, ran = 0;
    omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (0)
        add(1);
#pragma omp taskgroup
        {
#pragma omp task
            add(1);
        }
#pragma omp task
        add(1);
#pragma omp taskwait
#pragma omp task depend(out : x)
        usleep(20000);
#pragma omp task depend(in : x)
        add(x);
#pragma omp task detach(event) shared(ran)
        __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
        wait_for(&ran, 1);
        usleep(20000);
        omp_fulfill_event(event);
    }
#pragma omp parallel
    {
#pragma omp task
        add(1);
    }
}

static void nested(void) {
#pragma omp parallel
    {
#pragma omp parallel
        add(1);
    }
}

static void cancelled(void) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 8; i++) {
#pragma omp cancel for
        }
    }
}

int main(void) {
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    loops();
    mutexes();
    side_by_side();
    tasks();
    nested();
    cancelled();
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
#pragma omp error at(execution) severity(warning) message("as asked")
    puts(sum > 0 ? "done" : "nothing");
    return 0;
}
