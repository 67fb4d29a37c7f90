/* The pool spins while the program waits for its next line of input. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    char line[80];
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += work(1000);
    FILE *input = popen("sleep 1; echo next", "r");
    if (!fgets(line, sizeof line, input))
        return 1;
    pclose(input);
    printf("%s%.3f\n", line, sum);
    return 0;
}
