// C++ objects: threadprivate with constructors, private, firstprivate, lastprivate, copyin, copyprivate, reductions.
#include <omp.h>

#include <cstdio>
#include <string>
#include <vector>

struct Named {
    Named() = default;
    std::string name = "made";
    int users = 0;
};

extern Named of_thread;
#pragma omp threadprivate(of_thread)
Named of_thread;

int main() {
    long wrong = 0, sum = 0;
    std::string first = "first", last, given;
    std::vector<int> all;
    of_thread.name = "of the master";
#pragma omp parallel copyin(of_thread) reduction(+ : wrong)
    {
        wrong += of_thread.name != "of the master";
        of_thread.users += 1;
    }
#pragma omp parallel for firstprivate(first) lastprivate(last) schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 30; i++) {
        first += 'x';
        last = std::to_string(i);
        sum += static_cast<long>(last.size());
    }
#pragma omp parallel private(given) reduction(+ : wrong)
    {
        wrong += !given.empty();
#pragma omp single copyprivate(given)
        given = "from one to all";
        wrong += given != "from one to all";
    }
#pragma omp declare reduction(append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
#pragma omp parallel for reduction(append : all)
    for (int i = 0; i < 40; i++) all.push_back(i);
    long hash = 0;
    for (int value : all) hash += value;
    std::printf("%ld %ld %s %s %zu %ld\n", wrong, sum, first.c_str(), last.c_str(), all.size(), hash);
    return 0;
}
