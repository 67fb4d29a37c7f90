/* The first thread ends by pthread_exit, and the process goes on. Then another thread runs regions and tasks and ends the process; with
   the argument "waits" it waits for a lock that it has itself, and with "serves" it runs regions until its input ends. */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

/* True once the first thread is a zombie: the state follows the name, which has no parentheses. */
static int has_first_ended(void)
{
    char text[256] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    if (file && !fgets(text, sizeof text, file))
        text[0] = 0;
    if (file)
        fclose(file);
    return strstr(text, ") Z ") != NULL;
}

static void step(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        sink = 1;
    }
}

static void *run(void *word)
{
    omp_lock_t lock;
    while (!has_first_ended())
        usleep(1000);
    step();
    puts("ready");
    fflush(stdout);
    if (word && strcmp(word, "waits") == 0) {
        omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
        omp_set_lock(&lock);
    } else if (word) {
        fcntl(0, F_SETFL, O_NONBLOCK);
        for (char byte; read(0, &byte, 1) != 0; usleep(1000))
            step();
    }
    exit(0);
}

int main(int count, char **words)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, count > 1 ? words[1] : NULL);
    pthread_exit(NULL);
}
