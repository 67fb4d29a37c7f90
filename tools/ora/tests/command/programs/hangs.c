/* Programs that hang, each in a different way, which the first argument names. All of them print a line first. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t first, second, third;
static omp_nest_lock_t nest_first, nest_second;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int sum;

/* Keeps the compiler from seeing which construct is inside which. */
__attribute__((noinline)) static void meet(void) {
#pragma omp barrier
}

__attribute__((noinline)) static void count(void) {
#pragma omp critical(count)
    sum++;
}

#define ME omp_get_thread_num()

static void lock_cycle(void) {
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(ME ? &first : &second);
        meet();
        omp_set_lock(ME ? &second : &first);
        sum++;
        omp_unset_lock(ME ? &second : &first);
        omp_unset_lock(ME ? &first : &second);
    }
}

static void lock_cycle_of_three(void) {
    omp_lock_t *locks[3] = {&first, &second, &third};
#pragma omp parallel num_threads(3)
    {
        omp_lock_t *own = locks[ME], *next = locks[(ME + 1) % 3];
        omp_set_lock(own);
        meet();
        omp_set_lock(next);
        sum++;
        omp_unset_lock(next);
        omp_unset_lock(own);
    }
}

static void nest_lock_cycle(void) {
#pragma omp parallel num_threads(2)
    {
        omp_nest_lock_t *own = ME ? &nest_first : &nest_second, *other = ME ? &nest_second : &nest_first;
        omp_set_nest_lock(own);
        omp_set_nest_lock(own);
        meet();
        omp_set_nest_lock(other);
        sum++;
        omp_unset_nest_lock(other);
        omp_unset_nest_lock(own);
        omp_unset_nest_lock(own);
    }
}

static void critical_cycle(void) {
    int in = 0;
#pragma omp parallel num_threads(2)
    if (ME) {
#pragma omp critical(left)
        {
            __atomic_fetch_add(&in, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&in, __ATOMIC_SEQ_CST) < 2)
                usleep(100);
#pragma omp critical(right)
            sum++;
        }
    } else {
#pragma omp critical(right)
        {
            __atomic_fetch_add(&in, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&in, __ATOMIC_SEQ_CST) < 2)
                usleep(100);
#pragma omp critical(left)
            sum++;
        }
    }
}

static void critical_within_itself(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(count)
        count();
    }
}

static void lock_twice(void) {
#pragma omp parallel num_threads(2)
    if (ME == 1) {
        omp_set_lock(&first);
        sum++;
        omp_set_lock(&first);
        sum++;
        omp_unset_lock(&first);
        omp_unset_lock(&first);
    }
}

static void barrier_in_critical(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp critical(count)
        meet();
    }
}

static void barrier_of_some(void) {
#pragma omp parallel num_threads(3)
    if (ME == 0)
        meet();
}

static void lock_over_barrier(void) {
#pragma omp parallel num_threads(3)
    {
        if (ME == 0)
            omp_set_lock(&first);
        meet();
        if (ME == 2) {
            omp_set_lock(&first);
            sum++;
            omp_unset_lock(&first);
        }
        meet();
        if (ME == 0)
            omp_unset_lock(&first);
    }
}

static void lock_forgotten(void) {
#pragma omp parallel num_threads(2)
    if (ME == 1)
        omp_set_lock(&first);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&first);
        sum++;
        omp_unset_lock(&first);
    }
}

static void ordered_out_of_turn(void) {
    int in = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            while (!__atomic_load_n(&in, __ATOMIC_SEQ_CST))
                usleep(100);
        omp_set_lock(&first);
        __atomic_store_n(&in, 1, __ATOMIC_SEQ_CST);
#pragma omp ordered
        sum += i;
        omp_unset_lock(&first);
    }
}

static void doacross_without_source(void) {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
    for (int i = 0; i < 3; i++) {
#pragma omp ordered depend(sink : i - 1)
        sum += i;
        if (i != 1) {
#pragma omp ordered depend(source)
        }
    }
}

static void taskwait_with_lock(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_set_lock(&first);
        int begun = 0;
#pragma omp task shared(begun)
        {
            __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
            omp_set_lock(&first);
            sum++;
            omp_unset_lock(&first);
        }
        while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
            usleep(100);
#pragma omp taskwait
        omp_unset_lock(&first);
    }
}

static void task_never_fulfilled(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        sum += event != 0;
    }
}

static void task_depends_on_one_that_does_not_end(void) {
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task depend(out : x) detach(event)
        x += event != 0;
#pragma omp task depend(in : x)
        sum += x;
#pragma omp taskwait
    }
}

static void tasks_that_wait_for_each_other(void) {
    int x = 0;
#pragma omp parallel num_threads(2)
    if (ME) {
        /* The outer task waits for its child, which depends on the other task, which waits for the lock that the outer task holds. */
#pragma omp task shared(x) depend(out : x)
        {
            omp_set_lock(&first);
            x++;
            omp_unset_lock(&first);
        }
        omp_set_lock(&first);
#pragma omp task shared(x) depend(in : x) if (0)
        sum += x;
        omp_unset_lock(&first);
    } else {
        /* Keeps this thread from executing a task. */
        char byte;
        sum += (int)read(0, &byte, 1);
    }
}

static void thread_has_left(void) {
#pragma omp parallel num_threads(3)
    {
        if (ME == 2)
            pthread_exit(NULL);
        meet();
    }
}

static void mutex_over_barrier(void) {
#pragma omp parallel num_threads(3)
    {
        if (ME == 1)
            pthread_mutex_lock(&mutex);
        meet();
        if (ME == 2) {
            pthread_mutex_lock(&mutex);
            sum++;
            pthread_mutex_unlock(&mutex);
        }
        meet();
        if (ME == 1)
            pthread_mutex_unlock(&mutex);
    }
}

static void nested_barrier(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (ME == 0)
            omp_set_lock(&first);
        meet();
        if (ME == 1) {
#pragma omp parallel num_threads(2)
            {
                if (ME == 1) {
                    omp_set_lock(&first);
                    sum++;
                    omp_unset_lock(&first);
                }
                meet();
            }
        }
        meet();
        if (ME == 0)
            omp_unset_lock(&first);
    }
}

static void *wants_lock(void *unused) {
    omp_set_lock(&first);
    sum++;
    omp_unset_lock(&first);
    return unused;
}

static void join_with_lock(void) {
#pragma omp parallel num_threads(2)
    if (ME == 1) {
        pthread_t thread;
        omp_set_lock(&first);
        if (pthread_create(&thread, NULL, wants_lock, NULL) == 0)
            pthread_join(thread, NULL);
        omp_unset_lock(&first);
    }
}

static void condition_without_signal(void) {
#pragma omp parallel num_threads(2)
    if (ME == 1) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&condition, &mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void section_waits_for_section(void) {
    int in = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            omp_set_lock(&first);
            __atomic_fetch_add(&in, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&in, __ATOMIC_SEQ_CST) < 2)
                usleep(100);
#pragma omp critical(count)
            sum++;
            omp_unset_lock(&first);
        }
#pragma omp section
        {
#pragma omp critical(count)
            {
                __atomic_fetch_add(&in, 1, __ATOMIC_SEQ_CST);
                while (__atomic_load_n(&in, __ATOMIC_SEQ_CST) < 2)
                    usleep(100);
                wants_lock(NULL);
            }
        }
    }
}

/* No hang: one thread reads, and the others wait for it. */
static void reads(void) {
#pragma omp parallel num_threads(3)
    {
        char letter;
        if (ME == 2 && read(0, &letter, 1) < 0)
            abort();
    }
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(lock_cycle), CASE(lock_cycle_of_three), CASE(nest_lock_cycle), CASE(critical_cycle), CASE(critical_within_itself),
    CASE(lock_twice), CASE(barrier_in_critical), CASE(barrier_of_some), CASE(lock_over_barrier), CASE(lock_forgotten),
    CASE(ordered_out_of_turn), CASE(doacross_without_source), CASE(taskwait_with_lock), CASE(task_never_fulfilled),
    CASE(task_depends_on_one_that_does_not_end), CASE(tasks_that_wait_for_each_other), CASE(thread_has_left),
    CASE(mutex_over_barrier), CASE(nested_barrier), CASE(join_with_lock), CASE(condition_without_signal),
    CASE(section_waits_for_section), CASE(reads),
};

int main(int argc, char **argv) {
    omp_init_lock(&first);
    omp_init_lock(&second);
    omp_init_lock(&third);
    omp_init_nest_lock(&nest_first);
    omp_init_nest_lock(&nest_second);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            puts("ready");
            fflush(stdout);
            cases[i].run();
            return 0;
        }
    fputs("no such case\n", stderr);
    return 2;
}
