/* threadprivate and copyin over regions of different sizes, copyprivate of scalars, arrays, structures and pointers. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int number = 1, array[4] = {1, 2, 3, 4};
static struct {
    double real;
    char text[30];
} object = {1.5, "as it was"};
#pragma omp threadprivate(number, array, object)

int main(void) {
    long sum = 0, wrong = 0, values[3];
    const char *pointer;
    number = 4;
    array[2] = 9;
    strcpy(object.text, "copied in");
#pragma omp parallel copyin(number, array, object) reduction(+ : sum, wrong)
    {
        sum += number + array[2];
        wrong += strcmp(object.text, "copied in") != 0;
        number += omp_get_thread_num();
    }
#pragma omp parallel reduction(+ : sum, wrong)
    {
        wrong += number != 4 + omp_get_thread_num();
#pragma omp single copyprivate(number, array, object)
        {
            number = 70;
            array[0] = 71;
            object.real = 72;
        }
        wrong += number != 70 || array[0] != 71 || object.real != 72;
    }
#pragma omp parallel private(values, pointer) reduction(+ : sum, wrong)
    {
        int round;
        for (round = 0; round < 10; round++) {
#pragma omp single copyprivate(values, pointer)
            {
                values[0] = round;
                values[2] = 2 * round;
                pointer = "of one thread";
            }
            wrong += values[0] != round || values[2] != 2 * round || pointer[3] != 'o';
        }
    }
    printf("%ld %ld\n", sum / omp_get_max_threads(), wrong);
    return 0;
}
