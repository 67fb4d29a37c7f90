/* One region, and then: nothing, `exit`, `abort`; or `fork`, in which the child has a region and becomes this program. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int region(void) {
    int threads = 0;
#pragma omp parallel num_threads(2)
    __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    return threads;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    printf("%d\n", region());
    fflush(stdout);
    if (strcmp(how, "exit") == 0)
        return 7;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0) {
            region();
            execl(words[0], words[0], NULL);
            _exit(1);
        }
        wait(NULL);
        region();
    }
    return 0;
}
