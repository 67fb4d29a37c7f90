// The program with the cure applied: an atomic update, or a reduction.
#include <cstdio>
#include "../work.h"

static long distances;

struct Query {
    long computed = 0;
    double run() {
        computed += 3;
        return work(30);
    }
};

int main() {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum, distances)
    for (int i = 0; i < 4000000; i++) {
        Query query;
        sum += query.run();
        distances += query.computed;
    }
    std::printf("%ld %.3f\n", distances, sum);
    return 0;
}
