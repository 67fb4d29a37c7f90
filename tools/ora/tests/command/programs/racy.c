/* A sum with a race; with -DCLEAN without one. `fork`: a child runs it, too; `exit`: ends with 3; `abort`: dies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long total[4];

static void add_up(void) {
#ifdef CLEAN
#define AS_IT_SHOULD reduction(+ : sum)
#else
#define AS_IT_SHOULD
#endif
    long sum = 0;
#pragma omp parallel for AS_IT_SHOULD
    for (int i = 0; i < 1000; i++) {
        sum += i;
    }
    total[2] = sum;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            execl(argv[0], argv[0], "child", (char *)0);
            _exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0)
            return 9;
    }
    add_up();
    puts(total[2] > 0 ? "done" : "nothing");
    fflush(stdout);
    if (strcmp(how, "abort") == 0)
        abort();
    return strcmp(how, "exit") == 0 ? 3 : 0;
}
