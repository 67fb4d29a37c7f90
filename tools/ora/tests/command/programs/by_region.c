// Regions and loops of each kind that settings by region change. Each prints the size of its team, but for "small", whose loop has
// many iterations that are hardly any work.
#include <omp.h>
#include <stdio.h>
#include <string.h>

static long sum;

static void team(const char *name) {
#pragma omp masked
    printf("%s %d\n", name, omp_get_num_threads());
}

static void plain(void) {
#pragma omp parallel num_threads(3)
    team("plain");
}

static void as_many_as_there_are(void) {
#pragma omp parallel
    team("as_many_as_there_are");
}

static void combined(void) {
#pragma omp parallel for num_threads(2) schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < 64; i++) sum += i;
}

static void inside(void) {
#pragma omp parallel num_threads(2)
    {
        team("inside");
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
        for (int i = 0; i < 64; i++) sum += i;
    }
}

static void inside_unsigned(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(monotonic : dynamic, 2) reduction(+ : sum)
    for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 64; i++) sum += i & 3;
}

static void with_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic, 2) reduction(task, + : sum)
    for (int i = 0; i < 64; i++) sum += i;
}

static void small(void) {
    static float row[400000];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 400000; i++) row[i] = row[i] * 0.5f + i;
}

int main(int count, char **words) {
    if (count > 1 && !strcmp(words[1], "small")) {
        for (int i = 0; i < 5; i++) small();
        return 0;
    }
    plain();
    as_many_as_there_are();
    combined();
    inside();
    inside_unsigned();
    with_tasks();
    printf("sum %ld\n", sum);
    return 0;
}
