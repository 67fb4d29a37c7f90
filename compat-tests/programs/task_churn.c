/* Many short regions full of tasks of every kind, long enough for a storm of sessions: `task_churn ROUNDS`. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long total;
static int length = 70;

static void add(long value) {
#pragma omp atomic
    total += value;
}

static void spread(int depth) {
    int i;
    for (i = 0; i < 2; i++) {
#pragma omp task firstprivate(depth) untied if (depth != 2)
        {
            if (depth > 0) spread(depth - 1);
            add(1);
        }
    }
#pragma omp taskwait
}

static void kinds(int round) {
    struct {
        char bytes[2000];
    } large;
    struct {
        _Alignas(64) long value;
    } aligned = {round};
    long array[length], chain = 0, sum = 0;
    omp_event_handle_t event;
    int i;
    memset(&large, round & 7, sizeof large);
    for (i = 0; i < length; i++) array[i] = i;
    for (i = 0; i < 8; i++) {
#pragma omp task firstprivate(large, i) if (i & 3)
        add(large.bytes[i * 200]);
#pragma omp task firstprivate(array, i) priority(i)
        add(array[i]);
#pragma omp task firstprivate(aligned) final(i == 5)
        add(aligned.value);
#pragma omp task depend(inout : chain) firstprivate(i) shared(chain)
        chain = (chain * 3 + i) % 101;
    }
#pragma omp task detach(event) firstprivate(large)
    add(large.bytes[1999]);
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
    spread(3);
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
        sum += 5;
#pragma omp taskloop num_tasks(4) in_reduction(+ : sum)
        for (i = 0; i < 20; i++) sum += i;
    }
#pragma omp taskloop grainsize(3) firstprivate(array)
    for (i = 0; i < 20; i++) add(array[i]);
#pragma omp taskwait
    add(sum + chain);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    int round;
    for (round = 0; round < rounds; round++) {
#pragma omp parallel
        {
#pragma omp single nowait
            kinds(round);
#pragma omp task
            add(omp_get_num_threads());
        }
#pragma omp task
        add(3);
    }
    printf("%ld\n", total);
    return 0;
}
