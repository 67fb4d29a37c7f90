/* A program without OpenMP that checks whether a runtime is present. It must find none. */
#include <dlfcn.h>
#include <stdio.h>

int omp_get_max_threads(void) __attribute__((weak));
int omp_get_num_threads(void) __attribute__((weak));
int omp_get_thread_num(void) __attribute__((weak));
int omp_in_parallel(void) __attribute__((weak));
void omp_set_num_threads(int) __attribute__((weak));
double omp_get_wtime(void) __attribute__((weak));

int main(void) {
    static const char *const names[] = {"omp_get_max_threads", "omp_get_num_threads", "omp_get_thread_num",
                                        "omp_in_parallel",     "omp_set_num_threads", "omp_get_wtime",
                                        "omp_get_level",       "omp_get_version",     "GOMP_no_such_thing"};
    unsigned i, found = 0;
    found += omp_get_max_threads != NULL;
    found += omp_get_num_threads != NULL;
    found += omp_get_thread_num != NULL;
    found += omp_in_parallel != NULL;
    found += omp_set_num_threads != NULL;
    found += omp_get_wtime != NULL;
    for (i = 0; i < sizeof names / sizeof *names; i++) found += dlsym(RTLD_DEFAULT, names[i]) != NULL;
    printf("found: %u\n", found);
    return 0;
}
