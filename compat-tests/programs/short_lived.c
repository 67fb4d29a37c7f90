/* Threads of the program itself that start, have a team with tasks, and end: `short_lived COUNT`. After the first hundred the process
 * must not grow. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sum;

static void *one(void *data) {
    int i;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (i = 0; i < 5; i++) {
#pragma omp task
#pragma omp atomic
            sum += 1;
        }
        omp_set_lock(&lock);
        sum += 1;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return data;
}

/* In KiB. */
static long resident(void) {
    char line[200];
    long size = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmRSS:", 6) == 0) size = atol(line + 6);
    if (status) fclose(status);
    return size;
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 2000;
    long after_hundred = 0, at_last;
    int i;
    for (i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one, NULL) != 0) return 1;
        pthread_join(thread, NULL);
        if (i == 99) after_hundred = resident();
    }
    at_last = resident();
    if (at_last > after_hundred + 400) printf("grew from %ld to %ld KiB\n", after_hundred, at_last);
    printf("%ld\n", sum);
    return 0;
}
