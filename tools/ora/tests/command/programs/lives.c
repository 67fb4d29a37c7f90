/* Programs that don't hang, each busy in a different way until stdin is closed; the first argument names the way. */
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t first, second;
static volatile int sum;

static int is_over(void) {
    struct pollfd input = {0, POLLIN, 0};
    return poll(&input, 1, 0) != 0;
}

static void work(int amount) {
    for (volatile int i = 0; i < amount; i++)
        ;
}

static void barriers(void) {
    int over = 0;
#pragma omp parallel num_threads(3)
    while (!over) {
#pragma omp barrier
#pragma omp single
        over = is_over();
    }
}

static void regions(void) {
    while (!is_over()) {
#pragma omp parallel num_threads(3)
        work(100);
    }
}

static void dynamic_loop(void) {
    while (!is_over()) {
#pragma omp parallel for schedule(dynamic) num_threads(3)
        for (int i = 0; i < 100; i++) {
            work(i * 10);
#pragma omp critical(sum)
            sum++;
        }
    }
}

static void locks(void) {
    int over = 0;
#pragma omp parallel num_threads(3)
    while (!over) {
        omp_set_lock(&first);
        omp_set_lock(&second);
        over |= is_over();
        omp_unset_lock(&second);
        omp_unset_lock(&first);
    }
}

/* One thread holds a lock for long; the second thread waits for it and holds another lock, for which the third thread waits. */
static void long_lock(void) {
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        if (me == 0) {
            omp_set_lock(&first);
#pragma omp barrier
            while (!is_over())
                work(1000);
            omp_unset_lock(&first);
        } else if (me == 1) {
            omp_set_lock(&second);
#pragma omp barrier
            omp_set_lock(&first);
            omp_unset_lock(&first);
            omp_unset_lock(&second);
        } else {
#pragma omp barrier
            omp_set_lock(&second);
            omp_unset_lock(&second);
        }
    }
}

static void uneven(void) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1)
        while (!is_over())
            work(1000);
}

static void sleeps(void) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1)
        while (!is_over())
            usleep(300000);
}

static void long_critical(void) {
    int over = 0;
#pragma omp parallel num_threads(3)
    while (!over) {
#pragma omp critical
        {
            usleep(20000);
            over |= is_over();
        }
    }
}

static int fib(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 5)
    a = fib(n - 1);
#pragma omp task shared(b) if (n > 5)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    while (!is_over()) {
#pragma omp parallel num_threads(3)
#pragma omp single
        sum = fib(15);
    }
}

static void dependences(void) {
    int x = 0;
    while (!is_over()) {
#pragma omp parallel num_threads(3)
#pragma omp single
        for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : x)
            {
                usleep(1000);
                x++;
            }
        }
    }
}

static void nested(void) {
    omp_set_max_active_levels(2);
    while (!is_over()) {
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
            work(me * 10000);
        }
    }
}

static void ordered(void) {
    while (!is_over()) {
#pragma omp parallel for ordered schedule(dynamic) num_threads(3)
        for (int i = 0; i < 30; i++) {
            work(i * 100);
#pragma omp ordered
            sum += i;
        }
    }
}

static void doacross(void) {
    while (!is_over()) {
#pragma omp parallel for ordered(1) num_threads(3) schedule(static, 1)
        for (int i = 0; i < 30; i++) {
#pragma omp ordered depend(sink : i - 1)
            work(1000);
#pragma omp ordered depend(source)
        }
    }
}

static void serial(void) {
#pragma omp parallel num_threads(3)
    work(100);
    while (!is_over())
        usleep(50000);
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(barriers), CASE(regions), CASE(dynamic_loop), CASE(locks), CASE(long_lock), CASE(uneven), CASE(sleeps), CASE(long_critical),
    CASE(tasks), CASE(dependences), CASE(nested), CASE(ordered), CASE(doacross), CASE(serial),
};

int main(int argc, char **argv) {
    omp_init_lock(&first);
    omp_init_lock(&second);
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
