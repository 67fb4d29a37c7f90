// The program with the cure applied: one scratch array for each thread.
#include <cstdio>
#include <vector>

int main() {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        std::vector<double> scores(300);
#pragma omp for
    for (int i = 0; i < 8000000; i++) {
        scores.assign(200 + i % 100, 0);
        scores[i % 200] = i;
        sum += scores[i % 200];
    }
    }
    std::printf("%.0f\n", sum);
    return 0;
}
