/* A region of two threads here; and processes with regions of their own, as the argument says. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(void)
{
#pragma omp parallel num_threads(2)
    usleep(1000);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "none";
    pid_t child = 0;
    if (!strcmp(how, "fork")) {
        child = fork();
        if (child == 0) {
            region();
            region();
            return 0;
        }
    }
    if (!strcmp(how, "spawn")) {
        char line[4096] = "\"";
        strncat(line, words[0], 4000);
        strcat(line, "\" none; /bin/true; true");
        child = fork();
        if (child == 0) {
            execl("/bin/sh", "sh", "-c", line, (char *)0);
            _exit(1);
        }
    }
    if (child > 0)
        waitpid(child, 0, 0);
    region();
    if (!strcmp(how, "exec"))
        execl(words[0], words[0], "none", (char *)0);
    return 0;
}
