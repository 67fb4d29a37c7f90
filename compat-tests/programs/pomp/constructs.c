/* Every construct that OPARI instruments, each a known number of times (tests/all/pomp.rs counts), with T threads. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
#if __GNUC__ >= 16 /* warns of `master`; OPARI doesn't know `masked` */
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif

static int regions(void) {
    int members = 0, n = 3;
#pragma omp parallel
    {
#pragma omp atomic
        members++;
    }
#pragma omp parallel if (n > 5)
    {
#pragma omp critical
        members += 100;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(named)
        members += 10000;
    }
    return members;
}

static int loops(void) {
    int sum = 0, turn = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for
        for (int i = 0; i < 40; i++) sum += i;
#pragma omp for schedule(static, 3) nowait
        for (int i = 0; i < 40; i++) sum += i;
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 40; i++) sum += i;
#pragma omp for schedule(static, 1) ordered
        for (int i = 0; i < 8; i++) {
#pragma omp ordered
            turn = turn * 2 + (i & 1);
        }
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 40; i++) sum += i;
    return sum * 1000 + turn;
}

static int shares(void) {
    int done[3] = {0, 0, 0}, single = 0, masters = 0;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            done[0]++;
#pragma omp section
            done[1]++;
        }
#pragma omp single
        single++;
#pragma omp single nowait
        single++;
#pragma omp barrier
#pragma omp master
        masters++;
#pragma omp flush
    }
#pragma omp parallel sections
    {
#pragma omp section
        done[2]++;
#pragma omp section
        done[0]++;
    }
    return done[0] * 1000 + done[1] * 100 + done[2] * 10 + single + masters;
}

static int fibonacci(int n) {
    int a = 0, b = 0;
    if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n) untied
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static int tasks(void) {
    int result = 0, late = 0;
#pragma omp parallel
    {
#pragma omp single
        result = fibonacci(8);
#pragma omp master
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(late)
            {
#pragma omp atomic
                late++;
            }
        }
    }
    return result * 100 + late;
}

static int locks(void) {
    int sum = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    if (!omp_test_lock(&lock) || omp_test_lock(&lock)) return 0;
    omp_unset_lock(&lock);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 2000; i++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        if (omp_test_nest_lock(&nest) != 2) sum += 1000000;
        sum++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    /* The two kinds of lock guard one sum: only the contribution of each of them alone is certain. */
    return sum <= 8000 && sum >= 4000;
}

static int outer_threads(void) {
    int sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            sum++;
        }
    }
    return sum;
}

int main(void) {
    printf("%d\n", regions());
    printf("%d\n", loops());
    printf("%d\n", shares());
    printf("%d\n", tasks());
    printf("%d\n", locks());
    printf("%d\n", outer_threads());
    return 0;
}
