/* A program on the runtime of teams.c: 3 regions of 3 threads; each member creates 4 tasks and adds up under a lock. */
#include "teams.h"
#include <stdio.h>

static teams_lock lock;
static int sum;

static void add(void *data) {
    teams_lock_set(&lock);
    sum += *(int *)data;
    teams_lock_unset(&lock);
}

static void body(void *data, int member) {
    (void)member;
    for (int i = 0; i < 4; i++) teams_task(add, data);
    teams_barrier();
    add(data);
}

int main(void) {
    int one = 1;
    teams_start(3);
    for (int i = 0; i < 3; i++) teams_parallel(body, &one);
    teams_stop();
    printf("%d\n", sum);
    return 0;
}
