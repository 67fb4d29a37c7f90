// Each iteration allocates its scratch array; the process is limited to one arena of the allocator.
#include <cstdio>
#include <vector>

int main() {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8000000; i++) {
        std::vector<double> scores(200 + i % 100); // HERE
        scores[i % 200] = i;
        sum += scores[i % 200];
    }
    std::printf("%.0f\n", sum);
    return 0;
}
