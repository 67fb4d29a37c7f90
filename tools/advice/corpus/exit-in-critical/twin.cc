// The program with the cure applied: leave the critical section before exit().
#include <cstdio>
#include <cstdlib>

struct Log {
    long lines = 0;
    void add() {
#pragma omp critical
        lines++;
    }
    ~Log() {
        add();
        std::printf("closed\n");
    }
};

static Log log_file;
static bool failed;

static void check(int i) {
    if (i == 700) {
#pragma omp atomic write
        failed = true;
    }
}

int main() {
#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        check(i);
    if (failed)
        std::exit(0);
    return 0;
}
