/* A process that forks: `forks PARENT CHILD`, each "region" or "nothing": its use of OpenMP, for the parent before the fork. The child
 * prints its process id. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void act(const char *what) {
    int members = 0;
    if (strcmp(what, "region") != 0) return;
    /* libgomp can't make a pool of threads again in a child. */
#pragma omp parallel num_threads(1) reduction(+ : members)
    members += 1;
    if (members != 1) abort();
}

int main(int argc, char **argv) {
    pid_t child;
    int status;
    if (argc < 3) return 1;
    act(argv[1]);
    child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        setenv("TR2_CHILD", "1", 1);
        act(argv[2]);
        printf("%d\n", (int)getpid());
        return 0;
    }
    if (waitpid(child, &status, 0) != child || status != 0) return 3;
    act(argv[1]);
    return 0;
}
