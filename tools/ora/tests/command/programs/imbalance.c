/* A region of two threads whose work is 1 to 3; then serial time; then a region again. */
#include <omp.h>
#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(2)
    usleep(omp_get_thread_num() == 0 ? 300000 : 100000);
    usleep(200000);
#pragma omp parallel num_threads(2)
    usleep(1000);
    return 0;
}
