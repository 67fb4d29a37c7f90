// exit() in a critical section runs a destructor that enters it again.
#include <cstdio>
#include <cstdlib>

struct Log {
    long lines = 0;
    void add() {
#pragma omp critical // HERE
        lines++;
    }
    ~Log() {
        add();
        std::printf("closed\n");
    }
};

static Log log_file;

static void check(int i) {
#pragma omp critical
    if (i == 700)
        std::exit(0);
}

int main() {
#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        check(i);
    return 0;
}
