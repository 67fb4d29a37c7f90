/* Uses OpenMP in one way, or not at all: `uses KIND`. */
#include <ompt_tr2.h>

#include <omp.h>
#include <stdio.h>
#include <string.h>

static int is(const char *kind, const char *wanted) { return strcmp(kind, wanted) == 0; }

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    int done = 1;
    if (is(kind, "parallel")) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        done += 1;
    } else if (is(kind, "critical")) {
#pragma omp critical
        done = 2;
    } else if (is(kind, "barrier")) {
#pragma omp barrier
    } else if (is(kind, "task")) {
#pragma omp task shared(done)
        done = 3;
#pragma omp taskwait
    } else if (is(kind, "lock")) {
        omp_lock_t lock;
        omp_init_lock(&lock);
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
    } else if (is(kind, "control")) {
        if (ompt_control) ompt_control(64, UINT64_C(0x123456789abcdef0));
    } else if (!is(kind, "nothing")) {
        return 1;
    }
    printf("%s %d\n", kind, done);
    return 0;
}
