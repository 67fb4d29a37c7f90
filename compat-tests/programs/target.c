/* Target regions that the host executes: in libgomp, a thread is alone in them. Argument: the part. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int alone = 1, wrong;

static void check(int right) {
    if (!right) {
#pragma omp atomic
        wrong++;
    }
}

/* Work-sharing constructs and barriers of a team of one. */
static void share(void) {
    int i, sum = 0, count = 0;
    check(omp_get_num_threads() == alone);
#pragma omp single
    count++;
#pragma omp barrier
#pragma omp for schedule(dynamic, 2)
    for (i = 0; i < 7; i++) sum += i;
#pragma omp sections
    {
        count++;
#pragma omp section
        count++;
    }
#pragma omp for ordered schedule(dynamic, 1)
    for (i = 0; i < 3; i++) {
#pragma omp ordered
        sum += i;
    }
    check(sum == 24 && count == 3);
}

static void in_team(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp target
        share();
#pragma omp single
        check(omp_get_num_threads() == 2);
    }
}

static void in_serial(void) {
#pragma omp target
    share();
#pragma omp parallel num_threads(2)
    check(omp_get_num_threads() == 2);
}

/* In a separate function, because gcc warns about a target region that it sees inside another one. */
static void share_in_target(void) {
#pragma omp target
    share();
}

/* A team inside a target region, and a target region inside that one. */
static void nested(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp target
        {
#pragma omp parallel num_threads(3)
            {
                check(omp_get_num_threads() == 3);
#pragma omp barrier
                share_in_target();
#pragma omp barrier
            }
            check(omp_get_num_threads() == 1);
        }
#pragma omp barrier
    }
#pragma omp parallel num_threads(2)
    check(omp_get_num_threads() == 2);
}

/* Created by tasks, on any thread; also with variables that are copied, and tasks created inside. */
static void tasks(void) {
    int i, done = 0, x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (i = 0; i < 8; i++) {
#pragma omp target nowait firstprivate(i) map(tofrom : done) depend(inout : done)
            {
                int j, sum = 0;
                share();
                for (j = 0; j < 4; j++) {
#pragma omp task shared(sum)
                    sum += i;
                }
#pragma omp taskwait
                done += sum;
            }
        }
#pragma omp taskwait
#pragma omp task depend(out : x)
        x = 5;
#pragma omp target map(tofrom : x) depend(inout : x)
        x += 2;
        check(x == 7);
    }
    check(done == 4 * 28);
}

/* More variables than fit into a small block. */
static void many(void) {
    int a[24], b[24], i, n = 3;
    int c0 = 0, c1 = 1, c2 = 2, c3 = 3, c4 = 4, c5 = 5, c6 = 6, c7 = 7, c8 = 8, c9 = 9;
    int d0 = 0, d1 = 1, d2 = 2, d3 = 3, d4 = 4, d5 = 5, d6 = 6, d7 = 7, d8 = 8, d9 = 9;
    for (i = 0; i < 24; i++) a[i] = i, b[i] = 0;
#pragma omp target map(to : a) map(tofrom : b, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9) \
    firstprivate(n, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9)
    {
        for (i = 0; i < 24; i++) b[i] = n * a[i];
        c0 = d9, c1 = d8, c2 = d7, c3 = d6, c4 = d5, c5 = d4, c6 = d3, c7 = d2, c8 = d1, c9 = d0;
        n = 100;
    }
    for (i = 0; i < 24; i++) check(b[i] == 3 * i);
    check(n == 3 && c0 == 9 && c1 == 8 && c2 == 7 && c3 == 6 && c4 == 5 && c5 == 4 && c6 == 3 && c7 == 2 && c8 == 1 && c9 == 0);
}

/* A league inside a target region, whose regions are encountered by a jump to the runtime. */
static void teams(void) {
    int sum = 0;
#pragma omp target teams num_teams(2) map(tofrom : sum)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    sum++;
    check(sum >= 2);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*act)(void);
    } parts[] = {{"in_team", in_team}, {"in_serial", in_serial}, {"nested", nested},
                 {"tasks", tasks},     {"many", many},           {"teams", teams}};
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) parts[i].act();
    printf("%d\n", wrong);
    return wrong != 0;
}
